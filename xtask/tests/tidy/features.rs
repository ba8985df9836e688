//! Tests of one package are built from the same libraries as tests of all of them.

use std::collections::BTreeSet;
use std::process::Command;

use crate::{files_below, none, read, root, rust_files};

/// Each library that tests of these packages are built from, with its features.
fn libraries(packages: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args([
        "tree",
        "--locked",
        "--offline",
        "--edges=all",
        "--prefix=none",
        "--format={p} {f}",
    ]);
    let output = tree.args(packages).current_dir(root()).output().expect("cargo runs");
    let lines = String::from_utf8(output.stdout).expect("names are text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let is_library = |line: &&str| !line.contains("(/") && !line.contains(" feature \"");
    lines.lines().filter(is_library).map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn every_package_is_tested_with_one_set_of_features() {
    let of_all = libraries(&["--workspace", "--features=xtask/bench"]);
    let mut violations = Vec::new();
    let manifests = files_below("crates").into_iter().chain(["xtask/Cargo.toml".to_owned()]);
    for manifest in manifests {
        let Some(folder) = manifest.strip_suffix("/Cargo.toml") else { continue };
        let package = folder.rsplit('/').next().expect("a folder has a name");
        let others = libraries(&["--package", package]);
        let others = others.difference(&of_all);
        violations.extend(others.map(|library| format!("{package} builds {library}")));
    }
    none("features to add to crates/workspace-hack/Cargo.toml", &violations);
}

/// Locks are where the engines differ most: a test in which things happen at once runs on both at every commit.
#[test]
fn tests_of_what_happens_at_once_run_on_both_engines() {
    let mut violations = Vec::new();
    for file in rust_files().iter().filter(|file| file.starts_with("crates/cotejo/tests/")) {
        let text = read(file);
        for block in text.split("\neither_engine! {\n").skip(1) {
            let block = block.split("\n}\n").next().unwrap_or_default();
            let at_once =
                ["join_all(", "in_real_time("].into_iter().filter(|one| block.contains(one));
            violations.extend(at_once.map(|one| format!("{file}: {one} in either_engine!")));
        }
    }
    none("tests of what happens at once", &violations);
}
