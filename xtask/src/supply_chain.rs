//! What we build from: banned crates, licences, sources and known vulnerabilities, by cargo-deny and `deny.toml`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, progress};

/// A newer version may judge differently, so a check means the same everywhere.
const VERSION: &str = "0.20.2";

/// Fails where a dependency is not allowed. Returns whether advisories were checked, too: they need their database, and
/// are skipped where it cannot be fetched.
pub(crate) fn check() -> Result<bool> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the repository")?;
    let program = ensure(root)?;
    let deny = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.current_dir(root).args(["--log-level", "error"]).args(arguments);
        command
    };
    progress("checking bans, licences and sources of the dependencies");
    process::run(&mut deny(&["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]))?;
    if process::succeeds(&mut deny(&["fetch", "db"])) {
        progress("checking advisories on the dependencies");
        process::run(&mut deny(&["check", "--disable-fetch", "advisories"]))?;
        return Ok(true);
    }
    Ok(false)
}

/// Installs the pinned version into `target/tools`, unless it is there.
fn ensure(root: &Path) -> Result<PathBuf> {
    let tools = root.join("target/tools");
    let program = tools.join("bin/cargo-deny");
    if is_pinned_version(&program) {
        return Ok(program);
    }
    progress(&format!("installing cargo-deny {VERSION}"));
    let mut install = Command::new("cargo");
    // Built without optimisation: it runs for two seconds.
    install.args(["install", "cargo-deny", "--version", VERSION, "--locked", "--profile", "dev"]);
    install.arg("--force").arg("--root").arg(&tools);
    install.arg("--target-dir").arg(tools.join("build"));
    process::run(&mut install)?;
    Ok(program)
}

fn is_pinned_version(program: &Path) -> bool {
    let version = Command::new(program).arg("--version").output().map(|output| output.stdout);
    version.is_ok_and(|stdout| {
        String::from_utf8_lossy(&stdout).trim() == format!("cargo-deny {VERSION}")
    })
}
