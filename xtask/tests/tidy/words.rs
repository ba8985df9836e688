//! The words of logs, errors and names are those of the field, so that an engineer who reads them at night knows what
//! they mean. What is listed here was said once and is not to come back.

use std::collections::BTreeSet;

use crate::source::code;
use crate::{none, read, rust_files};

/// Beginnings of a text for the log or an error. Texts for callers are in `domain::refusal`, and are none of these.
const OPENINGS: &[&str] = &[
    "trace!(",
    "debug!(",
    "info!(",
    "warn!(",
    "error!(",
    "Fault::broken(",
    "Fault::new(",
    "Fault::with_source(",
    "#[error(",
];

/// Phrases that such a text does not use, each with what it says instead.
const PHRASES: &[(&str, &str)] = &[
    ("came to nothing", "failed, with the reason"),
    ("what came of", "the result of"),
    ("whoever", "a noun: the caller, the node, the holder"),
    ("heard", "received, reached, rejected"),
    ("told", "written, sent, reported, read"),
    ("given back", "released"),
    ("given up", "exhausted, canceled, released"),
    ("turned away", "refused"),
    ("moves the log", "checkpoints the WAL"),
    ("stays behind", "could not be deleted"),
    ("put off", "rescheduled, due too far ahead"),
    ("is spared", "circuit breaker open"),
    ("broke off", "closed with an error"),
    ("without an answer", "returned no row"),
    ("keep ending", "concurrent, with the number of tries"),
    ("not to be had", "could not be read"),
    ("that is not there", "missing"),
    ("and is not there", "missing"),
    ("was just there", "disappeared"),
    ("not believed", "rejected"),
    ("cut short", "truncated, interrupted"),
];

/// The phrases that a text for people may have all the same: it is on the wire, or says it of a thing.
const ALLOWED: &[&str] = &["the first report of an undelivered answer could not be given back"];

/// Names that are gone, and what the thing is called.
const NAMES: &[(&str, &str)] = &[
    ("Remembered", "AuthCache"),
    ("at_rest", "quiescent_epoch"),
    ("writes_access", "touches_auth_tables"),
    ("reads_access", "reads_auth"),
    ("Handover", "after_commit"),
    ("Mover", "CheckpointThread"),
    ("aftermath", "crash_marker"),
    ("make_good", "recover_if_marked"),
    ("Sabotage", "FaultInjection"),
    ("Gauges", "Metrics"),
    ("recalling", "find_prior_result"),
    ("foretold", "answered before the commit, which nothing is"),
    ("vain_attempt", "nth_latest_failed_check"),
    ("tail_backwards", "reversed_suffix"),
    ("Teller", "LinkEvents"),
    ("Announced", "FirstReportGuard"),
    ("Sought", "ReferenceQuery"),
    ("Shelf", "DayCache"),
    ("Shelved", "CachedDay"),
    ("Rim", "RequestLayer"),
    ("Rimmed", "RequestService"),
    ("Outside", "Runtime"),
    ("Turns", "Scheduler"),
    ("Hungry", "BackfillQueue"),
    ("is_hungry", "request_backfill"),
    ("Gathering", "Batcher"),
    ("EVERY", "POLL_INTERVAL, or how often what is done"),
    ("PATIENCE", "a timeout, named after what is waited for"),
    ("AGAIN_AFTER", "RECORD_RETRY_DELAY, or the delay of what is tried again"),
    ("announced_by", "reported_by"),
    ("key_months", "actor_months"),
    ("NewsId", "FirstReportId"),
    ("news", "first_report"),
    ("SealedNews", "SealedFirstReport"),
    ("transfer_report", "give_back_report"),
    ("look_again_and_again", "poll"),
    ("KEEPING", "RECORD_TIME"),
    ("Settlement", "SettleInput"),
];

/// Words of which no name is made, and of what instead.
const PARTS: &[(&str, &str)] = &[
    ("told", "answer, event, reported, notified, shown"),
    ("heard", "received, answered"),
    ("tell", "notify, report, push, log"),
    ("tells", "reveals, shows, reports"),
    ("whoever", "a noun: the caller, a reader, the holder"),
];

#[test]
fn logs_and_errors_are_in_the_words_of_the_field() {
    let mut violations = Vec::new();
    let mut texts_seen = 0;
    for file in rust_files() {
        let is_of_tests = ["/tests", "/conformance", "/simulation", "/testkit", "xtask/"];
        if is_of_tests.iter().any(|part| file.contains(part)) {
            continue;
        }
        for text in texts(&read(&file)) {
            texts_seen += 1;
            violations
                .extend(phrases_in(&text).map(|wanted| format!("{file}: \"{text}\": {wanted}")));
        }
    }
    assert!(texts_seen > 100, "only {texts_seen} texts were found");
    none("the words of logs and errors", &violations);
}

#[test]
fn names_that_are_gone_stay_gone() {
    let mut violations = Vec::new();
    for file in rust_files() {
        let code = code(&read(&file));
        let words: BTreeSet<&str> =
            code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let gone = NAMES.iter().filter(|(name, _)| words.contains(name));
        violations.extend(gone.map(|(name, now)| format!("{file}: {name}, now {now}")));
        for word in words {
            let parts = parts_in(word);
            violations.extend(parts.map(|instead| format!("{file}: {word}, not of {instead}")));
        }
    }
    none("names", &violations);
}

#[test]
fn a_text_for_the_log_is_found() {
    let source = "fn f() {\n    // warn!(\"a comment\")\n    tracing::warn!(?error, \"one \\\n        text\");\n    \
                  Err(Fault::new(Kind::Own, \"another \\\"text\\\"\"))\n}\nfn g() { say(\"no error\"); }\n";
    assert_eq!(texts(source), ["one text", "another \\\"text\\\""]);
    assert_eq!(phrases_in("what came of an attempt").count(), 1);
    assert_eq!(phrases_in("the foretold").count(), 0);
}

#[test]
fn a_word_that_names_are_not_made_of_is_found_in_any_case() {
    for name in ["told", "is_told_twice", "TOLD_EACH", "Told", "WasTold"] {
        assert_eq!(parts_in(name).count(), 1, "{name}");
    }
    for name in ["foretold", "Teller", "untold_x", "tellus"] {
        assert_eq!(parts_in(name).count(), 0, "{name}");
    }
}

/// Returns the replacement for each part that the name must not have.
fn parts_in(name: &str) -> impl Iterator<Item = &'static str> {
    let is_type = name.chars().any(char::is_lowercase) && name.starts_with(char::is_uppercase);
    let mut parts: Vec<String> = Vec::new();
    for c in name.chars() {
        match (c, parts.last_mut()) {
            ('_', _) => parts.push(String::new()),
            (c, _) if is_type && c.is_uppercase() => parts.push(c.to_lowercase().collect()),
            (c, Some(last)) => last.extend(c.to_lowercase()),
            (c, None) => parts.push(c.to_lowercase().collect()),
        }
    }
    PARTS
        .iter()
        .filter(move |(part, _)| parts.iter().any(|one| one == part))
        .map(|(_, instead)| *instead)
}

/// Lists the refused phrases in a text.
fn phrases_in(text: &str) -> impl Iterator<Item = String> {
    let words = format!(" {} ", text.to_lowercase().replace([',', ':', ';', '.', '\''], " "));
    PHRASES
        .iter()
        .filter(move |(phrase, _)| {
            words.contains(&format!(" {phrase} ")) && !ALLOWED.contains(&text)
        })
        .map(|(phrase, instead)| format!("not \"{phrase}\", but {instead}"))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The texts of logs and errors in a file, as they are written there.
fn texts(source: &str) -> Vec<String> {
    let code = code(source);
    let (source, code): (Vec<char>, Vec<char>) = (source.chars().collect(), code.chars().collect());
    let mut texts = Vec::new();
    for opening in OPENINGS {
        let opening: Vec<char> = opening.chars().collect();
        for (at, window) in code.windows(opening.len()).enumerate() {
            if window == opening {
                texts.extend(literals(&source, &code, at + opening.len()));
            }
        }
    }
    texts
}

/// The string literals from `at` to the parenthesis that closes there.
fn literals(source: &[char], code: &[char], at: usize) -> Vec<String> {
    let (mut literals, mut literal, mut depth) = (Vec::new(), String::new(), 1);
    for index in at..code.len() {
        match code[index] {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        // What is blank in the code, and was not in the file, is a literal or a comment.
        if code[index] == source[index] && !source[index].is_whitespace() {
            literals.extend(unquoted(&std::mem::take(&mut literal)));
        } else {
            literal.push(source[index]);
        }
    }
    literals.extend(unquoted(&literal));
    literals
}

/// A literal without its quotes and with its lines joined; nothing of a comment.
fn unquoted(literal: &str) -> Option<String> {
    let inner = literal.trim().strip_prefix('"')?.strip_suffix('"')?;
    let lines = inner.split("\\\n").map(str::trim_start);
    Some(lines.collect())
}
