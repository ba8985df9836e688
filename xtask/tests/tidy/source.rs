//! Rust as far as the rules need it: text without its strings and comments, what is a test, and
//! where functions begin and end.

use std::collections::BTreeSet;
use std::iter::repeat_n;

/// The text with everything inside comments and literals blanked; lines stay where they are.
pub(crate) fn code(text: &str) -> String {
    let text: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let end = end_of_text(&text, at);
        if end > at {
            code.extend(text[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        } else {
            code.push(text[at]);
            at += 1;
        }
    }
    code
}

/// Finds the end of the comment or literal that begins at `at`; `at` itself where none does.
fn end_of_text(text: &[char], at: usize) -> usize {
    let next = text.get(at + 1).copied();
    let is_inside_word = at > 0 && is_word(text[at - 1]);
    match text[at] {
        '/' if next == Some('/') => position(text, at, &['\n']),
        '/' if next == Some('*') => end_of_block_comment(text, at),
        '"' => end_of_quotes(text, at, '"'),
        'r' if !is_inside_word || text[at - 1] == 'b' => end_of_raw(text, at),
        // A lifetime has no second quote where a character would.
        '\'' if next == Some('\\') || text.get(at + 2) == Some(&'\'') => {
            end_of_quotes(text, at, '\'')
        }
        _ => at,
    }
}

fn position(text: &[char], from: usize, wanted: &[char]) -> usize {
    let found = text[from..].windows(wanted.len()).position(|window| window == wanted);
    found.map_or(text.len(), |found| from + found)
}

fn end_of_block_comment(text: &[char], at: usize) -> usize {
    let (mut depth, mut at) = (0_usize, at);
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_quotes(text: &[char], at: usize, quote: char) -> usize {
    let mut at = at + 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

fn end_of_raw(text: &[char], at: usize) -> usize {
    let hashes = text[at + 1..].iter().take_while(|c| **c == '#').count();
    if text.get(at + 1 + hashes) != Some(&'"') {
        return at;
    }
    let close: Vec<char> = std::iter::once('"').chain(repeat_n('#', hashes)).collect();
    (position(text, at + 2 + hashes, &close) + close.len()).min(text.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The files and folders that are compiled for tests alone: what lies in a folder of tests, and
/// what a module under `#[cfg(test)]` is kept in.
pub(crate) fn tests_among(files: &[String], read: impl Fn(&str) -> String) -> BTreeSet<String> {
    let mut places = Vec::new();
    for file in files {
        for name in modules_for_tests(&read(file)) {
            let folder = folder_of_modules(file);
            places.push(format!("{folder}/{name}.rs"));
            places.push(format!("{folder}/{name}/"));
        }
    }
    let is_test = |file: &&String| {
        file.contains("/tests/") || places.iter().any(|place| file.starts_with(place.as_str()))
    };
    files.iter().filter(is_test).cloned().collect()
}

/// The names of modules in other files that have `#[cfg(test)]` above them.
fn modules_for_tests(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_for_tests = false;
    for line in code(text).lines().map(str::trim) {
        let declared = line.rsplit_once("mod ").and_then(|(_, rest)| rest.strip_suffix(';'));
        match declared {
            Some(name) if is_for_tests => names.push(name.to_owned()),
            _ => is_for_tests |= line.starts_with("#[cfg(test)]"),
        }
        is_for_tests &= line.starts_with("#[");
    }
    names
}

/// Returns the folder of the modules that `file` declares.
fn folder_of_modules(file: &str) -> String {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    if ["lib", "main", "mod"].contains(&name) { folder.to_owned() } else { stem.to_owned() }
}

/// A function of a file.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) first_line: usize,
    pub(crate) lines: usize,
}

/// The functions of a text, without those of its own test modules.
pub(crate) fn functions(text: &str) -> Vec<Function> {
    let code: Vec<char> = without_test_modules(&code(text)).chars().collect();
    let mut functions = Vec::new();
    for at in 0..code.len() {
        let is_first = at == 0 || !is_word(code[at - 1]);
        if !is_first || !code[at..].starts_with(&['f', 'n', ' ']) {
            continue;
        }
        let name: String = code[at + 3..].iter().take_while(|c| is_word(**c)).collect();
        // A type such as `fn (u8)` has no name, and a declaration no body.
        let Some(body) = body(&code, at).filter(|_| !name.is_empty()) else { continue };
        let newlines = |part: &[char]| part.iter().filter(|c| **c == '\n').count();
        let end = end_of_braces(&code, body);
        functions.push(Function {
            name,
            first_line: newlines(&code[..at]) + 1,
            lines: newlines(&code[at..end]) + 1,
        });
    }
    functions
}

/// The brace that begins the body of the function at `at`, if it has one.
fn body(code: &[char], at: usize) -> Option<usize> {
    let mut depth = 0;
    for (place, c) in code.iter().enumerate().skip(at) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(place),
            ';' | '}' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn end_of_braces(code: &[char], open: usize) -> usize {
    let mut depth = 0;
    for (place, c) in code.iter().enumerate().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    code.len()
}

/// Blanks the modules for tests that lie in the file itself.
pub(crate) fn without_test_modules(code: &str) -> String {
    let mut code: Vec<char> = code.chars().collect();
    let mark: Vec<char> = "#[cfg(test)]".chars().collect();
    let mut from = 0;
    while position(&code, from, &mark) < code.len() {
        let at = position(&code, from, &mark);
        from = at + mark.len();
        let item: String = code[from..].iter().take(200).collect();
        let open = position(&code, from, &['{']);
        let is_module =
            item.trim_start().starts_with("mod ") && position(&code, from, &[';']) > open;
        if is_module && open < code.len() {
            let end = end_of_braces(&code, open);
            code[at..end].iter_mut().filter(|c| **c != '\n').for_each(|c| *c = ' ');
        }
    }
    code.into_iter().collect()
}

#[test]
fn strings_and_comments_are_no_code() {
    let text =
        "a(\"x{\\\"\"); // {\n/* { /* */ } */ b('{', '\\'', r#\"\"{\"#); fn c<'a>(x: &'a u8) {}";
    let blanked = code(text);
    assert_eq!(blanked.matches('{').count(), 1, "{blanked}");
    assert_eq!(blanked.lines().count(), 2);
}

#[test]
fn functions_are_measured_and_tests_left_out() {
    let text = "fn one() {\n    if true { }\n}\ntrait T { fn two(&self); }\n\
                #[cfg(test)]\nmod tests {\n    fn three() {}\n}\nfn four() {}\n";
    let found: Vec<_> = functions(text);
    let found: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.first_line, f.lines)).collect();
    assert_eq!(found, [("one", 1, 3), ("four", 9, 1)]);
}

#[test]
fn modules_for_tests_are_found_in_their_files() {
    let files = ["a/src/lib.rs", "a/src/b.rs", "a/src/b/tests.rs", "a/src/c.rs", "a/tests/d.rs"];
    let files: Vec<String> = files.iter().map(ToString::to_string).collect();
    let texts = |file: &str| match file {
        "a/src/lib.rs" => "mod b;\n#[cfg(test)]\npub(crate) mod c;\n".to_owned(),
        "a/src/b.rs" => "#[cfg(test)]\n#[path = \"b/tests.rs\"]\nmod tests;".to_owned(),
        _ => String::new(),
    };
    let tests: Vec<String> = tests_among(&files, texts).into_iter().collect();
    assert_eq!(tests, ["a/src/b/tests.rs", "a/src/c.rs", "a/tests/d.rs"]);
}
