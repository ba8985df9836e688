//! What Debian's packages bring, put there where it is missing.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{self, progress};

/// Installs the package that `what` comes with.
pub(crate) fn install(what: &str, package: &str) -> Result<()> {
    if !is_root()? {
        bail!("the build and the tests need {what}: install Debian's package `{package}`");
    }
    progress(&format!("installing {what}"));
    apt_get(&["update", "--quiet"])?;
    apt_get(&["install", "--quiet", "--yes", "--no-install-recommends", package])
}

/// The programs that the build and the tests need, with Debian's packages of them: make for the allocator, strace to
/// see what a server asks of the kernel, curl for the lines of the guides, the others for receivers.
const PROGRAMS: [(&str, &str); 6] = [
    ("make", "make"),
    ("strace", "strace"),
    ("curl", "curl"),
    ("python3", "python3"),
    ("php", "php-cli"),
    ("node", "nodejs"),
];

/// Installs those that are missing.
pub(crate) fn ensure_programs() -> Result<()> {
    for (program, package) in PROGRAMS {
        if !process::succeeds(Command::new(program).arg("--version")) {
            install(program, package)?;
        }
    }
    Ok(())
}

/// Debian's Python, which finds Debian's packages.
const PYTHON: &str = "/usr/bin/python3";

/// Installs the mail server that mail is caught by, if it is missing.
pub(crate) fn ensure_mail_server() -> Result<()> {
    if !process::succeeds(Command::new(PYTHON).args(["-c", "import aiosmtpd"])) {
        install("aiosmtpd", "python3-aiosmtpd")?;
    }
    Ok(())
}

/// Installs the program that reads what a PDF says, if it is missing.
pub(crate) fn ensure_pdf_reader() -> Result<()> {
    if !process::succeeds(Command::new("pdftotext").arg("-v")) {
        install("pdftotext", "poppler-utils")?;
    }
    Ok(())
}

/// Installs the program that reads metrics and alert rules, if it is missing. Answers whether it is there: its package is
/// that of a whole server, which not everybody may or wants to install.
pub(crate) fn ensure_promtool() -> bool {
    if process::succeeds(Command::new("promtool").arg("--version")) {
        return true;
    }
    match install("promtool", "prometheus") {
        Ok(()) => true,
        Err(error) => {
            progress(&format!("what promtool tests is left out: {error:#}"));
            false
        }
    }
}

/// Tells whether we are root, which the owner of our process shows.
pub(crate) fn is_root() -> Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    process::run(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}
