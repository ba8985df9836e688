//! The guide is there in Spanish and in English: each page as two files, as two halves, or sentence beside sentence.

use crate::{files_below, none, read};

/// The guides that are a page for each language: the Spanish one, and the English one.
const PAIRS: [(&str, &str); 9] = [
    ("integrar.md", "integrate.md"),
    ("verificar.md", "verify.md"),
    ("operar.md", "operate.md"),
    ("entrar.md", "sign-in.md"),
    ("llaves-y-clientes.md", "keys-and-clients.md"),
    ("equipo.md", "team.md"),
    ("avisos.md", "notices.md"),
    ("ventas-y-creditos.md", "sales-and-credits.md"),
    ("mudarse.md", "moving.md"),
];

/// Pages that begin in Spanish, and say the same in English after a line.
const HALVES: [&str; 5] = [
    "at-least-once.md",
    "credits-events.md",
    "payment-links.md",
    "proof-of-delivery.md",
    "webhooks.md",
];

/// Pages where the English stands beside the Spanish, paragraph by paragraph.
const SIDE_BY_SIDE: [&str; 5] = [
    "banco-de-venezuela.md",
    "dashboard.md",
    "delivery-log.md",
    "first-payment.md",
    "simulated-banks.md",
];

#[test]
fn every_page_of_the_guide_is_there_in_both_languages() {
    let pairs = PAIRS.iter().flat_map(|(spanish, english)| [*spanish, *english]);
    let mut listed: Vec<&str> = pairs.chain(HALVES).chain(SIDE_BY_SIDE).collect();
    listed.sort_unstable();
    let pages: Vec<String> =
        files_below("docs/guide").into_iter().filter(|file| file.ends_with(".md")).collect();
    let pages: Vec<&str> =
        pages.iter().filter_map(|page| page.strip_prefix("docs/guide/")).collect();
    assert_eq!(pages, listed, "each page of the guide is in one list");

    let mut violations = Vec::new();
    for page in HALVES {
        let text = guide(page);
        let halves = text.split_once("\n---\n\n# ");
        if !halves.is_some_and(|(first, _)| first.contains("\n*English below.*\n")) {
            violations.push(format!("{page} has no English half"));
        }
    }
    for page in SIDE_BY_SIDE {
        let alone = in_one_language(&guide(page)).into_iter();
        violations.extend(alone.map(|text| format!("{page}: {text}")));
    }
    none("guides in both languages", &violations);
}

fn guide(page: &str) -> String {
    read(&format!("docs/guide/{page}"))
}

/// The headings, paragraphs, items and rows of a page where one language is missing. What has no two words that
/// follow each other, outside of code, is in no language.
fn in_one_language(page: &str) -> Vec<String> {
    let prose: Vec<&str> = page.split("```").step_by(2).collect();
    let prose = prose.join("\n\n");
    let mut parts: Vec<String> = Vec::new();
    for line in prose.lines() {
        let is_new = ["#", "|", "- ", "* "].iter().any(|mark| line.starts_with(mark))
            || line.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        match parts.last_mut() {
            Some(last) if !is_new && !last.is_empty() && !line.trim().is_empty() => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => parts.push(line.trim().to_owned()),
        }
    }
    parts.retain(|part| !part.is_empty());
    // The title of a page may be a name.
    let both = |(number, part): &(usize, &String)| {
        let is_both = part.contains(" · ") || is_english(part);
        let next = parts.get(number + 1);
        is_both || next.is_some_and(|next| is_english(next)) || (*number == 0)
    };
    let alone = parts.iter().enumerate().filter(|part| is_prose(part.1) && !both(part));
    alone.map(|(_, part)| part.chars().take(60).collect()).collect()
}

/// A paragraph of its own in English, after the one that it repeats.
fn is_english(part: &str) -> bool {
    part.starts_with('*') && part.ends_with('*')
}

fn is_prose(part: &str) -> bool {
    let words: String = part.split('`').step_by(2).collect::<Vec<_>>().join("|");
    let is_word = |word: &str| word.len() > 2 && word.chars().all(char::is_alphabetic);
    let words: Vec<&str> = words.split(' ').collect();
    words.windows(2).any(|pair| pair.iter().all(|word| is_word(word)))
}

/// A reader of a guide in Spanish is not sent to one in English that exists in Spanish, and the other way
/// round; the two pages name each other at their top.
#[test]
fn readers_of_a_guide_stay_in_their_language() {
    let mut violations = Vec::new();
    for (spanish, english) in PAIRS {
        for (page, word, other) in
            [(spanish, "In English", english), (english, "En español", spanish)]
        {
            let text = guide(page);
            let title = format!("\n\n[{word}]({other}). ");
            let Some((_, rest)) = text.split_once(&title) else {
                violations.push(format!("{page} does not begin with a link to {other}"));
                continue;
            };
            let others = PAIRS.map(|(es, en)| if page == spanish { en } else { es });
            for other in others.into_iter().filter(|other| rest.contains(&format!("]({other}"))) {
                violations.push(format!("{page} sends its readers to {other}"));
            }
        }
    }
    none("guides in two languages", &violations);
}

#[test]
fn what_is_said_in_one_language_alone_is_found() {
    let page = "# Un banco\n\nHola a todos · *Hello to\nall.*\n\nSolo para usted.\n\n- `a` · una cosa\n- otra cosa más\n\n\
                ```sh\n# nothing of this\n```\n\nPrimero así.\n\n*First like this.*\n\n| `x_y` | 3 |\n";
    assert_eq!(in_one_language(page), ["Solo para usted.", "- otra cosa más"]);
}
