//! What the journeys through the pages need: Debian's browser, Node.js, and two packages of that.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::debian;
use crate::process::{self, progress};

/// Where the tests look for the packages.
pub(crate) const MODULES_VARIABLE: &str = "TEST_NODE_MODULES";

/// The browser, which no package may bring along: the journeys name it by this path.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Where the journeys are, and beside them which packages they import.
const JOURNEYS: &str = "crates/cotejo/tests/browser";

/// What says which packages that are, to the byte.
const LOCK: &str = "package-lock.json";
const LISTS: [&str; 3] = ["package.json", LOCK, ".npmrc"];

/// What npm writes into a folder of packages when it is complete.
const COMPLETE: &str = "node_modules/.package-lock.json";

/// Installs what is missing, and answers the folder of the packages.
pub(crate) fn ensure() -> Result<PathBuf> {
    if !Path::new(CHROMIUM).exists() {
        debian::install("Chromium", "chromium")?;
    }
    for (program, package) in [("node", "nodejs"), ("npm", "npm")] {
        if !process::succeeds(Command::new(program).arg("--version")) {
            debian::install(program, package)?;
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.context("xtask lies in the repository")?;
    let (lists, folder) = (root.join(JOURNEYS), root.join("target/journeys"));
    if !is_complete(&lists, &folder) {
        progress("installing what the journeys import");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        for list in LISTS {
            fs::copy(lists.join(list), folder.join(list)).context(list)?;
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        process::run(npm.current_dir(&folder))?;
    }
    Ok(folder.join("node_modules"))
}

/// Whether everything is there that the lists name now.
fn is_complete(lists: &Path, folder: &Path) -> bool {
    let lock = fs::read(lists.join(LOCK)).ok();
    folder.join(COMPLETE).exists() && fs::read(folder.join(LOCK)).ok() == lock
}
