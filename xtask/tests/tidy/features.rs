//! Tests of one package are built from the same libraries as tests of all of them.

use std::collections::BTreeSet;
use std::process::Command;

use crate::{files_below, none, root};

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
