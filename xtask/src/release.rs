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
    build("xtask", &["--features", "bench"])?;
    let ourselves = env::current_exe()?;
    let target = ourselves.parent().and_then(|debug| debug.parent());
    let optimised = target.map(|target| target.join("release/xtask"));
    let optimised = optimised.ok_or_else(|| anyhow::anyhow!("the target folder is not there"))?;
    process::run(Command::new(optimised).args(env::args_os().skip(1)))?;
    Ok(true)
}

/// The program that was given, or else the package's.
pub(crate) fn given_or_built(given: Option<&Path>, package: &str) -> Result<PathBuf> {
    given.map_or_else(|| program(package), |given| Ok(given.to_owned()))
}

/// Builds a package as it is released, by an optimised build of this program; answers where its
/// program is.
fn program(package: &str) -> Result<PathBuf> {
    build(package, &[])?;
    Ok(env::current_exe()?.with_file_name(package))
}

fn build(package: &str, more: &[&str]) -> Result<()> {
    progress(&format!("building {package}, optimised"));
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "--release", "--package", package]).args(more);
    process::run(&mut build)
}
