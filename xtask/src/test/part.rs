//! Which part of what is too much for every run this one takes: another for each commit, all of it in a long run.

use std::env;
use std::process::Command;

use crate::process::{self, progress};

/// What tests read: the number by which they choose their part, and whether they leave nothing out.
const PART_VARIABLE: &str = "TEST_PART";
const LONG_VARIABLE: &str = "TEST_LONG";

/// What proptest draws its cases from: the same ones for one part, so that a commit passes or fails, wherever it is
/// tested. A long run draws new ones.
const SEED_VARIABLE: &str = "PROPTEST_RNG_SEED";

/// Sets which part the tests take, unless somebody has set it. Returns the part, unless the run leaves nothing out.
pub(super) fn choose(is_long: bool, tests: &mut Command) -> Option<String> {
    if is_long {
        tests.env(LONG_VARIABLE, "1");
    }
    let part = env::var_os(PART_VARIABLE).unwrap_or_else(|| {
        let part = of_commit().unwrap_or_default().to_string();
        progress(&format!("taking part {part} of what rotates: {PART_VARIABLE}={part} repeats it"));
        part.into()
    });
    if !is_long && env::var_os(SEED_VARIABLE).is_none() {
        tests.env(SEED_VARIABLE, &part);
    }
    tests.env(PART_VARIABLE, &part);
    (!is_long).then(|| part.to_string_lossy().into_owned())
}

/// A number that follows from the commit that is checked out.
fn of_commit() -> Option<u32> {
    let head = process::run_quietly(Command::new("git").args(["rev-parse", "HEAD"])).ok()?;
    let hash = String::from_utf8(head.stdout).ok()?;
    u32::from_str_radix(hash.get(..8)?, 16).ok()
}
