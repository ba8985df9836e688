//! Doc comments of items begin with a noun or a verb, so that each can be read alone.

use crate::{none, read, rust_files};

/// First words that lean on the name below the comment. Fields and variants may keep them.
const REFUSED: [&str; 9] = ["What", "Whose", "Whether", "Of", "Has", "Those", "Where", "As", "Who"];

/// Words that an item begins with, besides its visibility.
const ITEMS: [&str; 9] =
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod"];

/// Words that may stand before these.
const QUALIFIERS: [&str; 4] = ["async", "unsafe", "extern", "default"];

#[test]
fn doc_comments_of_items_begin_with_a_noun_or_a_verb() {
    let mut wrong = Vec::new();
    for path in rust_files() {
        for (line, comment) in refused(&read(&path)) {
            wrong.push(format!("{path}:{line}: {comment}"));
        }
    }
    none("doc comments that begin with a refused word", &wrong);
}

/// Lists the doc comments of items whose first word is refused, by line.
fn refused(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(comment) = line.strip_prefix("///") else { continue };
        let is_first = at == 0 || !lines[at - 1].starts_with("///");
        let first = comment.split_whitespace().next().unwrap_or_default();
        if is_first && REFUSED.contains(&first) && is_item(below(&lines[at..])) {
            found.push((at + 1, comment.trim().to_owned()));
        }
    }
    found
}

/// Finds the line that a comment is about: the first one below it that is neither comment nor attribute.
fn below<'a>(lines: &[&'a str]) -> &'a str {
    let mut depth = 0_usize;
    for line in lines {
        let is_attribute = depth > 0 || line.starts_with("#[");
        if is_attribute {
            depth = (depth + line.matches('[').count()).saturating_sub(line.matches(']').count());
        } else if !line.starts_with("//") {
            return line;
        }
    }
    ""
}

fn is_item(line: &str) -> bool {
    let line = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    });
    let mut words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.find(|word| !QUALIFIERS.contains(word)).is_some_and(|word| ITEMS.contains(&word))
}

#[test]
fn comments_of_fields_may_begin_otherwise() {
    let text = "/// What it does.\n#[expect(\n    a,\n)]\npub(crate) async fn f() {}\n\
                struct S {\n    /// Whether it is so.\n    is_so: bool,\n}\n\
                /// Where it is.\npub const PLACE: u8 = 1;\n/// Reads it.\n/// What for, is said there.\nfn g() {}\n";
    let lines: Vec<_> = refused(text).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [1, 10]);
}
