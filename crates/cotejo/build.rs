//! Names the commit that a release is built from.

use std::fs;
use std::path::Path;

/// The folder of git, from that of this crate.
const GIT: &str = "../../.git";

fn main() {
    println!("cargo:rerun-if-env-changed=BUILD_COMMIT");
    // By var_os: the configuration alone reads the environment by the other one.
    let said = std::env::var_os("BUILD_COMMIT").and_then(|text| text.into_string().ok());
    let is_release = std::env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    // Where a program is built for tests, each commit would have it built anew for nothing.
    let found = said.or_else(|| if is_release { commit() } else { None });
    println!("cargo:rustc-env=BUILD_COMMIT={}", found.as_deref().unwrap_or("unknown"));
}

/// The commit that is checked out, where this is a clone.
fn commit() -> Option<String> {
    let git = Path::new(GIT);
    let head = watched(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else { return Some(head) };
    watched(&git.join(name)).or_else(|| {
        let packed = watched(&git.join("packed-refs"))?;
        let line = packed.lines().find(|line| line.ends_with(&format!(" {name}")))?;
        line.split(' ').next().map(ToOwned::to_owned)
    })
}

/// The text of a file. Where it changes, this runs again.
fn watched(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    println!("cargo:rerun-if-changed={}", file.display());
    Some(text.trim().to_owned())
}
