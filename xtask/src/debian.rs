//! What Debian's packages bring, put there where it is missing.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{self, progress};

/// Installs the package that `what` comes with.
pub(crate) fn install(what: &str, package: &str) -> Result<()> {
    if !is_root()? {
        bail!("the tests need {what}: install Debian's package `{package}`");
    }
    progress(&format!("installing {what}"));
    apt_get(&["update", "--quiet"])?;
    apt_get(&["install", "--quiet", "--yes", "--no-install-recommends", package])
}

/// Installs strace, which shows the tests what a server asks of the kernel, where it is missing.
pub(crate) fn ensure_strace() -> Result<()> {
    if process::succeeds(Command::new("strace").arg("--version")) {
        return Ok(());
    }
    install("strace", "strace")
}

/// Whether we are root, told by who owns what we run as.
pub(crate) fn is_root() -> Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    process::run(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}
