//! The rules of the repository that no compiler knows, held by reading it. Nothing here compiles
//! or runs the crates it looks at, so all of it takes a moment.

mod circles;
mod comments;
mod crates;
mod documents;
mod features;
mod files;
mod languages;
mod pages;
mod source;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders that are built or running, and not part of the project.
const NOT_OURS: &[&str] = &["target", "data", ".git", "docs/guide/pictures"];

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository")
}

/// Every file of the project below a folder of it, by its path from the root, in order.
fn files_below(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the project").flatten() {
            let path = entry.path();
            let is_ours = !NOT_OURS.iter().any(|name| path.ends_with(name));
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if path.is_file() && is_ours {
                // In a second worktree, `.git` is a file.
                found.push(from_root(&path));
            }
        }
    }
    found.sort();
    found
}

/// The Rust files of the project.
fn rust_files() -> Vec<String> {
    let mut files = files_below("crates");
    files.extend(files_below("xtask"));
    files.retain(|file| file.ends_with(".rs"));
    files
}

fn from_root(path: &Path) -> String {
    let path: PathBuf = path.strip_prefix(root()).expect("a path below the root").into();
    path.to_str().expect("paths of the project are text").to_owned()
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Fails with every violation at once.
fn none(rule: &str, violations: &[String]) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}
