//! The walls between the crates, read from their manifests.

use std::collections::{BTreeMap, BTreeSet};

use crate::{files_below, none, read};

/// Dependencies between the crates of this workspace. An edge that is not here needs a reason first.
const EDGES: &[(&str, &[&str])] = &[
    ("api", &["app", "domain", "web"]),
    ("app", &["bank", "domain", "egress", "store"]),
    ("bank", &["domain"]),
    ("bank-sim", &["domain"]),
    ("banks", &["bank", "domain", "egress"]),
    (
        "cotejo",
        &[
            "api", "app", "bank", "bank-sim", "banks", "delivery", "domain", "egress", "pages",
            "store", "web",
        ],
    ),
    ("db", &["domain", "pg"]),
    ("delivery", &["domain", "egress", "store"]),
    ("domain", &[]),
    ("egress", &["domain"]),
    ("pages", &["app", "domain", "web"]),
    ("pg", &[]),
    ("store", &["db", "domain"]),
    ("web", &["app", "domain"]),
];

/// Crates that only development knows: they may depend on anything, and nothing on them but tests.
const FOR_DEVELOPMENT: &[&str] = &["testkit", "workspace-hack", "xtask"];

/// Crates from elsewhere that only some of ours may name.
const WALLS: &[(&str, &[&str])] = &[
    ("rusqlite", &["db", "testkit", "xtask"]),
    ("pg", &["db"]),
    ("db", &["store"]),
    ("tokio-postgres", &["pg", "testkit", "xtask"]),
    ("postgres-protocol", &["pg"]),
    ("axum", &["web", "api", "bank-sim", "pages", "cotejo", "testkit", "xtask"]),
    ("askama", &["pages"]),
    ("krilla", &["pages"]),
    ("hyper", &["cotejo", "egress", "testkit", "xtask"]),
    ("h2", &["egress"]),
    ("lettre", &["egress"]),
    ("tokio-rustls", &["egress"]),
    ("clap", &["cotejo", "xtask"]),
    ("anyhow", &["cotejo", "xtask"]),
];

/// A crate's manifest, as far as it says what the crate depends on.
struct Manifest {
    name: String,
    dependencies: BTreeSet<String>,
    for_tests: BTreeSet<String>,
}

fn manifests() -> Vec<Manifest> {
    let mut files = files_below("crates");
    files.extend(files_below("xtask"));
    files.retain(|file| file.ends_with("/Cargo.toml"));
    files.iter().map(|file| manifest(&read(file))).collect()
}

fn manifest(text: &str) -> Manifest {
    let mut section = "";
    let mut name = None;
    let mut by_section: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            let key = key.trim();
            if section == "[package]" && key == "name" {
                name = Some(value.trim().trim_matches('"').to_owned());
            }
            let dependency = key.split('.').next().unwrap_or(key);
            by_section.entry(section).or_default().insert(dependency.to_owned());
        }
    }
    let mut take = |section: &str| by_section.remove(section).unwrap_or_default();
    let (mut dependencies, for_tests) = (take("[dependencies]"), take("[dev-dependencies]"));
    dependencies.extend(take("[build-dependencies]"));
    Manifest { name: name.expect("a manifest names its crate"), dependencies, for_tests }
}

#[test]
fn crates_depend_on_each_other_as_agreed() {
    let manifests = manifests();
    let ours: BTreeSet<&str> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    let agreed: BTreeMap<_, _> = EDGES.iter().copied().collect();
    let mut violations = Vec::new();
    for Manifest { name, dependencies, .. } in &manifests {
        if FOR_DEVELOPMENT.contains(&name.as_str()) {
            continue;
        }
        let Some(agreed) = agreed.get(name.as_str()) else {
            violations.push(format!("{name} is a new crate: give it its edges here"));
            continue;
        };
        let among_us = dependencies.iter().map(String::as_str).filter(|one| ours.contains(one));
        let among_us: BTreeSet<&str> = among_us.collect();
        let agreed: BTreeSet<&str> = agreed.iter().copied().collect();
        violations.extend(among_us.difference(&agreed).map(|to| format!("{name} depends on {to}")));
        let unused = agreed.difference(&among_us);
        violations
            .extend(unused.map(|to| format!("{name} no longer depends on {to}: say so here")));
    }
    none("edges between crates", &violations);
}

#[test]
fn only_tests_depend_on_what_is_for_development() {
    let mut violations = Vec::new();
    for Manifest { name, dependencies, .. } in manifests() {
        if FOR_DEVELOPMENT.contains(&name.as_str()) {
            continue;
        }
        let wrong = FOR_DEVELOPMENT.iter().filter(|one| dependencies.contains(**one));
        violations.extend(wrong.map(|to| format!("{name} depends on {to}")));
    }
    none("development stays outside of the program", &violations);
}

/// A crate that no manifest lists cannot be named, so manifests are complete.
#[test]
fn databases_and_http_stay_behind_their_walls() {
    let mut violations = Vec::new();
    for manifest in manifests() {
        let name = &manifest.name;
        for (wall, inside) in WALLS {
            let is_allowed = name == "workspace-hack" || inside.contains(&name.as_str());
            if manifest.dependencies.contains(*wall) && !is_allowed {
                violations.push(format!("{name} depends on {wall}"));
            }
        }
    }
    none("walls", &violations);
}

#[test]
fn domain_does_no_input_or_output() {
    const OUTSIDE: &[&str] = &["tokio", "futures-util", "serde", "serde_json", "rand", "tracing"];
    let manifests = manifests();
    let domain = manifests.iter().find(|manifest| manifest.name == "domain");
    let domain = domain.expect("there is a domain");
    let found = OUTSIDE.iter().filter(|one| domain.dependencies.contains(**one));
    none("domain knows no runtime", &found.map(ToString::to_string).collect::<Vec<_>>());
}

#[test]
fn a_manifest_is_read() {
    let read = manifest(
        "[package]\nname = \"a\"\n\n[dependencies]\nb.workspace = true\n\
         c = { workspace = true, features = [\"x\"] }\n# d = 1\n[dev-dependencies]\ne = \"1\"\n",
    );
    assert_eq!(read.name, "a");
    assert_eq!(read.dependencies, ["b", "c"].map(String::from).into());
    assert_eq!(read.for_tests, ["e"].map(String::from).into());
}
