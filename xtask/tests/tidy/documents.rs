//! The documents, as far as they can be wrong without anybody noticing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::source::code;
use crate::{files_below, none, read, root, rust_files};

const API: &str = "docs/openapi.json";
const CODES: &str = "crates/domain/src/refusal/code.rs";
const GUIDES_TO_VERIFYING: [&str; 2] = ["docs/guide/verificar.md", "docs/guide/verify.md"];

/// Files in which the simulated banks declare the routes that they serve.
const ROUTERS_OF_SIMULATED_BANKS: &[&str] = &[
    "crates/bank-sim/src/admin.rs",
    "crates/bank-sim/src/bdv/routes.rs",
    "crates/bank-sim/src/rates.rs",
];

/// Beginnings of the addresses in commands.
const PLACES: &[&str] = &["http://", "$COTEJO/", "$BANCO/"];

/// Routes that are served without being operations of the API: for the operator, and for payers.
const OTHERS: &[(&str, &str)] = &[
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("GET", "/metrics"),
    ("GET", "/app/sign-in"),
    ("GET", "/pay/{payment_link_id}"),
    ("POST", "/pay/{payment_link_id}"),
];

const SCHEMA: &str = "crates/store/migrations/0001_schema.sql";

#[test]
fn the_architecture_names_every_table() {
    let (text, schema) = (read("ARCHITECTURE.md"), read(SCHEMA));
    let tables = schema.lines().filter_map(|line| line.strip_prefix("create table "));
    let tables: Vec<&str> = tables.filter_map(|rest| rest.split([' ', '(']).next()).collect();
    assert!(tables.len() > 50, "{tables:?}");
    let quoted = tables.into_iter().map(|table| format!("`{table}`"));
    let missing: Vec<_> = quoted.filter(|table| !text.contains(table)).collect();
    none("tables that ARCHITECTURE.md leaves out", &missing);
}

fn documents() -> Vec<String> {
    let mut files = files_below("");
    files.retain(|file| file.ends_with(".md"));
    files
}

/// Method and path of every operation: the paths of the document, and below each its methods.
fn operations() -> BTreeSet<(String, String)> {
    let text = read(API);
    let mut found = BTreeSet::new();
    let mut path = None;
    for line in text.lines() {
        let key =
            |indent: &str| line.strip_prefix(indent)?.strip_prefix('"')?.strip_suffix("\": {");
        if let Some(name) = key("    ") {
            path = Some(name).filter(|name| name.starts_with('/'));
        } else if let (Some(path), Some(method)) = (path, key("      ")) {
            found.insert((method.to_uppercase(), path.to_owned()));
        }
    }
    let others = OTHERS.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned()));
    found.extend(others);
    found
}

/// The `curl` commands of a document, each with its continuation lines.
fn curls(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut in_shell = false;
    let joined = text.replace("\\\n", " ");
    for line in joined.lines().map(str::trim) {
        if line.starts_with("```") {
            in_shell = line == "```sh";
        } else if in_shell && line.split_whitespace().any(|word| word == "curl") {
            commands.push(line.to_owned());
        }
    }
    commands
}

/// Method and path of everything that the simulated banks serve, as their routers say it.
fn of_simulated_banks() -> BTreeSet<(String, String)> {
    let mut routes = BTreeSet::new();
    for line in ROUTERS_OF_SIMULATED_BANKS.iter().flat_map(|file| lines(&read(file))) {
        let Some((path, methods)) = line
            .trim()
            .trim_start_matches("Router::new()")
            .strip_prefix(".route(\"")
            .and_then(|rest| rest.split_once('"'))
        else {
            continue;
        };
        let served = ["get", "post", "put"].iter().filter(|one| {
            methods.contains(&format!(" {one}(")) || methods.contains(&format!(".{one}("))
        });
        routes.extend(served.map(|one| (one.to_uppercase(), path.to_owned())));
    }
    assert!(!routes.is_empty(), "no route was found in {ROUTERS_OF_SIMULATED_BANKS:?}");
    routes
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Method and path of a `curl` command.
fn request(command: &str) -> Option<(String, String)> {
    let words: Vec<&str> =
        command.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let url = words.iter().find(|word| PLACES.iter().any(|place| word.starts_with(place)))?;
    let path = url.trim_start_matches("http://").split_once('/')?.1;
    let path = path.split('?').next().unwrap_or(path);
    let said = words.iter().position(|word| *word == "-X").and_then(|at| words.get(at + 1));
    let method = match said {
        Some(method) => *method,
        None if words.contains(&"-d") || words.contains(&"--json") => "POST",
        None => "GET",
    };
    Some((method.to_owned(), format!("/{path}")))
}

/// Tells whether a path matches that template.
fn fits(path: &str, template: &str) -> bool {
    let (path, template): (Vec<&str>, Vec<&str>) =
        (path.split('/').collect(), template.split('/').collect());
    path.len() == template.len()
        && path.iter().zip(&template).all(|(part, wanted)| {
            if wanted.starts_with('{') { !part.is_empty() } else { part == wanted }
        })
}

#[test]
fn every_curl_in_the_documents_asks_for_something_that_is_served() {
    let operations = operations();
    assert!(operations.len() > OTHERS.len(), "no operation was found in {API}");
    let of_banks = of_simulated_banks();
    let mut violations = Vec::new();
    for file in documents() {
        for command in curls(&read(&file)) {
            let asked = request(&command);
            let served = if command.contains("$BANCO/") { &of_banks } else { &operations };
            let is_served = asked.as_ref().is_some_and(|(method, path)| {
                served.iter().any(|(known, template)| known == method && fits(path, template))
            });
            if !is_served {
                violations.push(format!("{file}: {command}"));
            }
        }
    }
    none("commands to paste", &violations);
}

/// Finds every text between `before` and `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| rest.split_once(after).map(|(name, _)| name))
}

/// Bytes of all pictures, which every clone carries.
const MEDIA_LEN_MAX: u64 = 400 * 1024;

#[test]
fn the_guide_shows_the_pictures_that_journeys_make() {
    let journeys: String = files_below("crates/cotejo/tests/browser")
        .iter()
        .filter(|file| file.ends_with(".mjs"))
        .map(|file| read(file))
        .collect();
    let guides: String = documents().iter().map(|file| read(file)).collect();
    let made: BTreeSet<&str> = between(&journeys, ".forGuide('", "'").collect();
    let shown: BTreeSet<&str> = between(&guides, "media/", ".jpg)").collect();
    assert!(!made.is_empty(), "no journey makes pictures");
    assert_eq!(shown, made);
    let picture = |name| root().join(format!("docs/media/{name}.jpg"));
    let len = |name| fs::metadata(picture(name)).expect("a picture of `cargo xtask media`").len();
    let len: u64 = made.into_iter().map(len).sum();
    assert!(len <= MEDIA_LEN_MAX, "the pictures have {len} bytes");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut violations = Vec::new();
    for file in documents() {
        let folder = root().join(&file).parent().map(ToOwned::to_owned).unwrap_or_default();
        let text = read(&file);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or(link);
            let is_outside = target.is_empty() || target.contains("://");
            if !is_outside && !folder.join(target).exists() {
                violations.push(format!("{file}: {link}"));
            }
        }
    }
    none("links", &violations);
}

/// A guide of one language is in the index of that language, one of both in both.
#[test]
fn every_guide_is_in_the_index_of_its_language() {
    let [spanish, english] = ["docs/README.md", "docs/README.en.md"].map(|file| (file, read(file)));
    let mut missing = Vec::new();
    for guide in files_below("docs/guide").into_iter().filter(|file| file.ends_with(".md")) {
        let text = read(&guide);
        let indexes = match (text.contains("[In English]("), text.contains("[En español](")) {
            (true, _) => vec![&spanish],
            (_, true) => vec![&english],
            _ => vec![&spanish, &english],
        };
        let link = format!("]({})", guide.trim_start_matches("docs/"));
        let without = indexes.into_iter().filter(|(_, index)| !index.contains(&link));
        missing.extend(without.map(|(file, _)| format!("{file}: {guide}")));
    }
    none("guides without a place in their index", &missing);
}

/// `docs/invariants.md` names a test for each invariant, in backticks in the last column.
#[test]
fn every_invariant_names_tests_that_exist() {
    let text = read("docs/invariants.md");
    let sources: String = rust_files().iter().map(|file| code(&read(file))).collect();
    let heads = ["| never |", "| --- |"];
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| "))
        .filter(|line| !heads.iter().any(|head| line.starts_with(head)))
        .collect();
    let mut violations = Vec::new();
    for row in &rows {
        let tests = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            violations.push(format!("no test: {row}"));
        }
        let is_known = |name: &str| {
            // A test that is cut in parts to run side by side ends in their numbers.
            let forms = [format!("fn {name}("), format!("fn {name}_1(")];
            forms.iter().any(|form| sources.contains(form))
        };
        let unknown = names.iter().filter(|name| !is_known(name));
        violations.extend(unknown.map(|name| format!("no such test: {name}")));
    }
    assert!(!rows.is_empty(), "no invariant was found");
    none("invariants", &violations);
}

/// The overview stays one that can be read in one go; the rest is in `docs/internals` and `docs/invariants.md`.
#[test]
fn the_overviews_are_short() {
    let limits = [("ARCHITECTURE.md", 15 * 1024), ("docs/performance.md", 8 * 1024)];
    let violations: Vec<String> = limits
        .into_iter()
        .map(|(file, most)| (file, read(file).len(), most))
        .filter(|(_, length, most)| length > most)
        .map(|(file, length, most)| format!("{file}: {length} bytes, of {most} at most"))
        .collect();
    none("the length of overviews", &violations);
}

#[test]
fn decisions_are_numbered_and_listed() {
    let files = files_below("docs/decisions");
    let records = files.iter().filter_map(|file| file.strip_prefix("docs/decisions/"));
    let records: Vec<&str> = records.filter(|file| *file != "README.md").collect();
    let index = read("docs/decisions/README.md");
    let superseded: BTreeSet<&str> = index
        .lines()
        .filter_map(|line| line.strip_prefix("- 0")?.split_once(": "))
        .flat_map(|(_, numbers)| numbers.split(", "))
        .collect();
    assert!(!superseded.is_empty(), "the index has no superseded record");
    let mut violations = Vec::new();
    let mut numbers = BTreeMap::new();
    for record in &records {
        let number = record.split('-').next().unwrap_or_default();
        if let Some(other) = numbers.insert(number, record) {
            violations.push(format!("{record} and {other} have one number"));
        }
        if superseded.contains(number) {
            violations.push(format!("{record} has the number of a superseded record"));
        }
        if !index.contains(&format!("]({record})")) {
            violations.push(format!("{record} is not in the index"));
        }
        if read(&format!("docs/decisions/{record}")).contains("\nSuperseded by ") {
            violations.push(format!("{record} is superseded, and only in git"));
        }
    }
    none("decisions", &violations);
}

/// The guides list codes with their statuses; the one list that counts is in the code.
#[test]
fn the_guides_have_the_error_codes_of_the_code() {
    let codes: BTreeMap<String, String> = read(CODES)
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (_, status, name) = (words.next()?, words.next()?, words.next()?);
            status.parse::<u16>().ok()?;
            Some((name.trim_end_matches(',').trim_matches('"').to_owned(), status.to_owned()))
        })
        .collect();
    assert!(!codes.is_empty(), "no code was found in {CODES}");
    let mut violations = Vec::new();
    let mut listed = 0;
    let guides: String = files_below("docs/guide").iter().map(|guide| read(guide)).collect();
    for row in guides.lines().filter(|line| line.starts_with("| 4") || line.starts_with("| 5")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (Some(status), Some(named)) = (cells.get(1), cells.get(2)) else { continue };
        for name in named.split('`').skip(1).step_by(2) {
            listed += 1;
            if codes.get(name).map(String::as_str) != Some(*status) {
                violations.push(format!("{status} {name}"));
            }
        }
    }
    assert!(listed > 0, "the guides list no code");
    none("error codes", &violations);
}

/// The guide's table of magic references is the sandbox's own.
#[test]
fn the_guides_magic_references_are_those_of_the_sandbox() {
    let code = read("crates/banks/src/test_bank/mod.rs");
    let list = code.split("MAGIC_REFERENCES: [").nth(1).and_then(|rest| rest.split("];").next());
    let endings = list.expect("the sandbox lists its references").split("(\"").skip(1);
    let endings: BTreeSet<&str> = endings.filter_map(|rest| rest.split('"').next()).collect();
    for guide in GUIDES_TO_VERIFYING.map(read) {
        let listed = guide.lines().filter_map(|line| line.strip_prefix("| …`")?.split('`').next());
        assert_eq!(listed.collect::<BTreeSet<&str>>(), endings);
    }
}

#[test]
fn a_curl_is_understood() {
    let text =
        "```sh\ncurl -sS \"$COTEJO/me/usersbank\" \\\n  -H 'a: b'\n```\n```\ncurl nothing\n```\n";
    let commands = curls(text);
    assert_eq!(commands.len(), 1);
    let get = request(&commands[0]);
    assert_eq!(get, Some(("GET".to_owned(), "/me/usersbank".to_owned())));
    let put = request("curl -X PUT http://127.0.0.1:8080/v1/clients/$CLIENT/credit-limit -d '{}'");
    let (method, path) = put.expect("a request");
    assert_eq!(method, "PUT");
    assert!(fits(&path, "/v1/clients/{client_id}/credit-limit"));
    assert!(!fits(&path, "/v1/clients/{client_id}"));
}
