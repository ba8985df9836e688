//! Measurements run optimised: a debug build of this program, or one without them, builds itself anew and hands over.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::process::{self, progress};

/// Runs this very command line with an optimised build; answers whether that was necessary.
pub(crate) fn hand_over() -> Result<bool> {
    if !cfg!(debug_assertions) && cfg!(feature = "bench") {
        return Ok(false);
    }
    build("release", "xtask", &["--features", "bench"])?;
    let optimised = target()?.join("release/xtask");
    process::run(Command::new(optimised).args(env::args_os().skip(1)))?;
    Ok(true)
}

/// The program that was given, or else the package's.
pub(crate) fn given_or_built(given: Option<&Path>, package: &str) -> Result<PathBuf> {
    given.map_or_else(|| program(package), |given| Ok(given.to_owned()))
}

/// Builds a package as it is handed out; answers where its program is.
fn program(package: &str) -> Result<PathBuf> {
    build("dist", package, &[])?;
    Ok(target()?.join("dist").join(package))
}

/// The folder of all builds, which this program is in a folder of.
fn target() -> Result<PathBuf> {
    let ourselves = env::current_exe()?;
    let target = ourselves.parent().and_then(Path::parent);
    Ok(target.ok_or_else(|| anyhow::anyhow!("the target folder is not there"))?.to_owned())
}

fn build(profile: &str, package: &str, more: &[&str]) -> Result<()> {
    progress(&format!("building {package}, optimised"));
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "--profile", profile, "--package", package]).args(more);
    process::run(&mut build)
}
