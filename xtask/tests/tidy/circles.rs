//! Files that import each other in a circle are one file in several pieces: none of them can be read or moved without
//! the others. So the files of these folders have an order.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{code, tests_among, without_test_modules};
use crate::{files_below, none, read};

/// The modules whose files have an order, with the sources of their crate. Those of one line have it together.
const ORDERED: &[(&str, &[&str])] = &[
    ("crates/api/src", &[""]),
    ("crates/app/src", &[""]),
    ("crates/app/src", &["verification", "links"]),
    ("crates/bank-sim/src", &[""]),
    ("crates/banks/src", &[""]),
    ("crates/cotejo/src", &[""]),
    ("crates/db/src", &[""]),
    ("crates/db/src", &["postgres"]),
    ("crates/delivery/src", &[""]),
    ("crates/domain/src", &[""]),
    ("crates/egress/src", &[""]),
    ("crates/pages/src", &[""]),
    ("crates/pg/src", &[""]),
    ("crates/store/src", &[""]),
    ("crates/store/src", &["access"]),
    ("crates/store/src", &["banking"]),
    ("crates/store/src", &["banking/bank_notifications"]),
    ("crates/store/src", &["billing"]),
    ("crates/store/src", &["checkout"]),
    ("crates/store/src", &["checkout/links"]),
    ("crates/store/src", &["integrity"]),
    ("crates/store/src", &["messages"]),
    ("crates/store/src", &["verification"]),
    ("crates/store/src", &["verification/verifications"]),
    ("crates/store/src", &["webhooks"]),
    ("crates/store/src", &["webhooks/evidence"]),
    ("crates/testkit/src", &[""]),
    ("crates/web/src", &[""]),
];

/// The circles that are there for a reason, with the sources of their crate.
const MEANT: &[(&str, &[&str])] = &[
    // Links are paid by verifications, and a verification settles its link: their files have an order all the same.
    ("crates/app/src", &["links", "verification"]),
    // A simulated bank is one folder: what it knows, which the simulator keeps, and how it answers, by the simulator.
    ("crates/bank-sim/src", &["bdv", "books", "courier", "face", "rates", "simulator"]),
];

/// Which modules import which.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// A path in code, segment by segment.
type Path = Vec<String>;

/// The code of each module.
type Texts = BTreeMap<Path, String>;

#[test]
fn files_import_each_other_in_no_circle() {
    let mut violations = Vec::new();
    for (sources, roots) in ORDERED {
        let edges = edges(sources, roots);
        assert!(!edges.is_empty(), "{roots:?} of {sources} have no imports");
        let is_meant = |circle: &[&str]| MEANT.contains(&(*sources, circle));
        let circles = circles(&edges);
        let circles = circles.iter().filter(|circle| !is_meant(circle));
        violations.extend(circles.map(|circle| format!("{sources}: {circle:?}")));
    }
    none("files in a circle", &violations);
}

#[test]
fn a_circle_is_found_and_a_chain_is_none() {
    let edges = |pairs: &[(&str, &str)]| {
        let mut edges = Edges::new();
        for (from, to) in pairs {
            edges.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        edges
    };
    assert!(circles(&edges(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let circle = edges(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]);
    assert_eq!(circles(&circle), BTreeSet::from([vec!["b", "c"]]));
}

#[test]
fn what_a_file_names_is_found_in_any_form() {
    let text = "use super::{a::{self, B}, C as D};\npub use crate::links::rate;\nfn f() { super::e::g() }\n";
    let found: Vec<_> = paths(text, &MARKS).into_iter().map(|path| path.join("::")).collect();
    let expected =
        ["super::a::self", "super::a::B", "super::C", "crate::links::rate", "super::e::g"];
    assert_eq!(found, expected);
    assert_eq!(paths("fn f() { e::g(), d::h() }", &["e"]), [["e", "g"]]);
}

/// Which modules below these roots import which. What lies in a folder of its own counts as one.
fn edges(sources: &str, roots: &[&str]) -> Edges {
    let texts = texts(sources, roots);
    let roots: Vec<Path> = roots.iter().map(|root| module(root)).collect();
    let handed_on = handed_on(&texts, &roots);
    let named_by_crate = named_by_crate(sources);
    let mut edges = Edges::new();
    for module in texts.keys() {
        let root = root_of(module, &roots).expect("a root of its own");
        let from = node(root, module).join("::");
        for path in named(&texts, module, roots.contains(module)) {
            let path = in_its_folder(&named_by_crate, path);
            let path = handed_on.get(&path).unwrap_or(&path);
            let Some(root) = root_of(path, &roots) else { continue };
            let to = led_into(&texts, root, path);
            if from != to {
                edges.entry(from.clone()).or_default().insert(to);
            }
        }
    }
    edges
}

/// The text of every module below these roots, without tests.
fn texts(sources: &str, roots: &[&str]) -> Texts {
    let mut texts = Texts::new();
    for root in roots {
        let mut files = files_below(format!("{sources}/{root}").trim_end_matches('/'));
        // The root of a folder lies in it or beside it.
        let beside = format!("{sources}/{root}.rs");
        files.extend(Some(beside).filter(|file| crate::root().join(file).exists()));
        let tests = tests_among(&files, read);
        for file in files.iter().filter(|file| file.ends_with(".rs") && !tests.contains(*file)) {
            let text = without_test_modules(&code(&read(file)));
            texts.insert(module(file.strip_prefix(sources).unwrap_or(file)), text);
        }
    }
    texts
}

/// The modules that a crate names at its root though they lie in a folder, each with its place.
fn named_by_crate(sources: &str) -> BTreeMap<String, Path> {
    let lib = code(&read(&format!("{sources}/lib.rs")));
    let seen = statements(&lib).filter(|one| is_handed_on(one));
    let paths = seen.flat_map(uses).map(|path| from_root(&[], &path)).filter(|path| {
        let file = format!("{sources}/{}", path.join("/"));
        path.len() > 1
            && [format!("{file}.rs"), format!("{file}/mod.rs")]
                .iter()
                .any(|file| crate::root().join(file).exists())
    });
    paths.filter_map(|path| Some((path.last()?.clone(), path))).collect()
}

/// The path with its module in the folder that it lies in.
fn in_its_folder(named_by_crate: &BTreeMap<String, Path>, path: Path) -> Path {
    match path.split_first().and_then(|(first, rest)| Some((named_by_crate.get(first)?, rest))) {
        Some((module, rest)) => [module.as_slice(), rest].concat(),
        None => path,
    }
}

/// Maps each path that the roots re-export from their modules to the module that it comes from.
fn handed_on(texts: &Texts, roots: &[Path]) -> BTreeMap<Path, Path> {
    let mut handed_on = BTreeMap::new();
    for root in roots {
        let seen = statements(&texts[root]).filter(|one| is_handed_on(one));
        for path in seen.flat_map(uses).map(|path| from_root(root, &path)) {
            let from = node(root, &path).to_vec();
            if let Some(name) = path.last().filter(|_| texts.contains_key(&from)) {
                handed_on.insert([root.as_slice(), std::slice::from_ref(name)].concat(), from);
            }
        }
    }
    handed_on
}

/// Every path that a module names, from the crate's root on.
fn named(texts: &Texts, module: &[String], is_root: bool) -> Vec<Path> {
    let below: Vec<&str> = texts.keys().filter_map(|below| below_of(module, below)).collect();
    let mut named = Vec::new();
    // What a root hands on is no import of its own.
    for one in statements(&texts[module]).filter(|one| !(is_root && is_handed_on(one))) {
        named.extend(paths(one, &MARKS).iter().map(|path| absolute(module, path)));
        if is_root {
            let inside = [uses(one), paths(one, &below)].concat();
            named.extend(inside.iter().map(|path| from_root(module, path)));
        }
    }
    named
}

/// The root that a path lies below.
fn root_of<'a>(path: &[String], roots: &'a [Path]) -> Option<&'a Path> {
    roots.iter().find(|root| path.starts_with(root))
}

/// The beginning of a path, to right below its root.
fn node<'a>(root: &[String], path: &'a [String]) -> &'a [String] {
    &path[..path.len().min(root.len() + 1)]
}

/// The module that a path leads into: one right below its root, or the root itself.
fn led_into(texts: &Texts, root: &[String], path: &[String]) -> String {
    let below = node(root, path);
    let module = if texts.contains_key(below) { below } else { root };
    module.join("::")
}

/// The name of a module right below another.
fn below_of<'a>(module: &[String], below: &'a Path) -> Option<&'a str> {
    let (name, of) = below.split_last()?;
    (of == module).then_some(name)
}

/// The module that a file is, by its path in the sources.
fn module(file: &str) -> Path {
    let path = file.trim_end_matches(".rs").split('/').filter(|part| !part.is_empty());
    path.filter(|part| !["mod", "lib"].contains(part)).map(str::to_owned).collect()
}

/// A path that begins with `crate`, `self` or `super`, from the crate's root on.
fn absolute(module: &[String], path: &[String]) -> Path {
    let mut from = module.to_vec();
    let mut rest = path;
    while let Some((first, others)) = rest.split_first() {
        match first.as_str() {
            "crate" => from.clear(),
            "super" => drop(from.pop()),
            "self" => {}
            _ => break,
        }
        rest = others;
    }
    from.extend(rest.iter().filter(|part| *part != "self").cloned());
    from
}

fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(';')
}

/// Tells whether a statement is a `use` that others see.
fn is_handed_on(statement: &str) -> bool {
    statement.rsplit_once("use ").is_some_and(|(before, _)| {
        let line = before.lines().last().unwrap_or_default().trim();
        line.starts_with("pub")
    })
}

/// The paths of a statement, if it is a `use`.
fn uses(statement: &str) -> Vec<Path> {
    statement.rsplit_once("use ").map_or_else(Vec::new, |(_, path)| tree(&tokens(path), 0).0)
}

/// A path in the file of a root, which may begin with one of its modules.
fn from_root(root: &[String], path: &[String]) -> Path {
    let is_marked = path.first().is_some_and(|one| MARKS.contains(&one.as_str()));
    if is_marked { absolute(root, path) } else { [root, path].concat() }
}

/// First words of paths that do not name a module.
const MARKS: [&str; 3] = ["crate", "self", "super"];

/// Every path of a text that begins with one of these words.
fn paths(text: &str, firsts: &[&str]) -> Vec<Path> {
    let tokens = tokens(text);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let is_first = at == 0 || tokens[at - 1] != ":";
        let is_path = tokens.get(at + 1..at + 3).is_some_and(|next| next == [":", ":"]);
        if is_first && is_path && firsts.contains(&tokens[at].as_str()) {
            let (paths, end) = tree(&tokens, at);
            found.extend(paths);
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// The words and signs of a text.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut is_inside = false;
    for c in text.chars() {
        let is_word = is_word(c);
        match tokens.last_mut().filter(|_| is_inside && is_word) {
            Some(word) => word.push(c),
            None if c.is_whitespace() => {}
            None => tokens.push(c.to_string()),
        }
        is_inside = is_word;
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The paths of the tree that begins there, and where it ends.
fn tree(tokens: &[String], from: usize) -> (Vec<Path>, usize) {
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    let (mut path, mut at) = (Path::new(), from);
    loop {
        if token(at) == "{" {
            let mut found = Vec::new();
            at += 1;
            while !["}", ""].contains(&token(at)) {
                let (paths, end) = tree(tokens, at);
                found.extend(paths.into_iter().map(|below| [path.clone(), below].concat()));
                // Another name may follow, which is not of the path.
                let over = (end..).find(|at| [",", "}", ""].contains(&token(*at))).unwrap_or(end);
                at = over + usize::from(token(over) == ",");
            }
            return (found, at + 1);
        }
        if token(at).starts_with(is_word) {
            path.push(token(at).to_owned());
            at += 1;
        }
        if (token(at), token(at + 1)) != (":", ":") {
            return (if path.is_empty() { Vec::new() } else { vec![path] }, at);
        }
        at += 2;
    }
}

/// The modules that lead to each other, circle by circle.
fn circles(edges: &Edges) -> BTreeSet<Vec<&str>> {
    let mut circles = BTreeSet::new();
    for one in edges.keys() {
        let back = reached(edges, one).into_iter().filter(|to| reached(edges, to).contains(&**one));
        let circle: Vec<&str> = back.collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles
}

/// The modules that one leads to, step by step.
fn reached<'a>(edges: &'a Edges, from: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&str> = edges.get(from).into_iter().flatten().map(String::as_str).collect();
    while let Some(one) = next.pop() {
        if seen.insert(one) {
            next.extend(edges.get(one).into_iter().flatten().map(String::as_str));
        }
    }
    seen
}
