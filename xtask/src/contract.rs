//! What holds the service to its document by programs of others: packages of PyPI, which ask it and make a client, and
//! packages of npm, which make another.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::debian;
use crate::npm;
use crate::process::{self, progress};

/// Variables in which the tests look for the programs of PyPI, and for the packages of npm.
pub(crate) const PROGRAMS_VARIABLE: &str = "TEST_CONTRACT_PROGRAMS";
pub(crate) const MODULES_VARIABLE: &str = "TEST_CONTRACT_MODULES";

/// Folder of the tests, and of the lists of packages beside them.
const TESTS: &str = "crates/cotejo/tests/contract";

/// List of the packages of PyPI, each with its version.
const LIST: &str = "requirements.txt";

/// Debian's Python, which is the same on every machine.
const PYTHON: &str = "/usr/bin/python3";

/// Programs that the tests are started with.
pub(crate) struct Programs {
    /// The folder of the programs of PyPI.
    pub(crate) programs: PathBuf,
    /// The folder of the packages of npm.
    pub(crate) modules: PathBuf,
}

/// Installs what is missing.
pub(crate) fn ensure() -> Result<Programs> {
    let modules = npm::ensure(TESTS, "target/contract/npm")?;
    Ok(Programs { programs: ensure_programs()?, modules })
}

fn ensure_programs() -> Result<PathBuf> {
    let root = process::root()?;
    let (list, folder) = (root.join(TESTS).join(LIST), root.join("target/contract/pypi"));
    let wanted = fs::read(&list).context(LIST)?;
    // Copied at the end, when all of it is there.
    let installed = folder.join(LIST);
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        if !process::succeeds(Command::new(PYTHON).args(["-c", "import ensurepip, venv"])) {
            debian::install("Python's venv", "python3-venv")?;
        }
        progress("installing packages into target/contract/pypi");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        process::run(Command::new(PYTHON).args(["-m", "venv"]).arg(&folder))?;
        let mut pip = Command::new(folder.join("bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        process::run(pip.args(["--only-binary", ":all:", "--requirement"]).arg(&list))?;
        fs::write(&installed, wanted)?;
    }
    Ok(folder.join("bin"))
}
