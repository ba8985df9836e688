//! Packages of npm, put into a folder below `target` from the lists beside the code that imports them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::debian;
use crate::process::{self, progress};

/// Name of the file that pins the packages, to the byte.
const LOCK: &str = "package-lock.json";
const LISTS: [&str; 3] = ["package.json", LOCK, ".npmrc"];

/// File that npm writes into a folder of packages when it is complete.
const COMPLETE: &str = "node_modules/.package-lock.json";

/// Installs what the lists in that folder of the repository name into `target`, where it is missing, and answers the
/// folder of the packages.
pub(crate) fn ensure(lists: &str, target: &str) -> Result<PathBuf> {
    for (program, package) in [("node", "nodejs"), ("npm", "npm")] {
        if !process::succeeds(Command::new(program).arg("--version")) {
            debian::install(program, package)?;
        }
    }
    let root = process::root()?;
    let (lists, folder) = (root.join(lists), root.join(target));
    if !is_complete(&lists, &folder) {
        progress(&format!("installing packages into {target}"));
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

/// Tells whether the folder has all packages that the lists name now.
fn is_complete(lists: &Path, folder: &Path) -> bool {
    let lock = fs::read(lists.join(LOCK)).ok();
    folder.join(COMPLETE).exists() && fs::read(folder.join(LOCK)).ok() == lock
}
