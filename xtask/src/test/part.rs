//! Which part of what is too much for every run this one takes: the next for each commit, all of it in a long run.

use std::env;
use std::process::Command;

use crate::process::{self, progress};

/// Variables that tests read: the number by which they choose their part, and whether they leave nothing out.
const PART_VARIABLE: &str = "TEST_PART";
const LONG_VARIABLE: &str = "TEST_LONG";

/// Variable with the seed of proptest's cases. One part always has the same seed, so that a commit passes or fails,
/// wherever it is tested. A long run draws new ones.
const SEED_VARIABLE: &str = "PROPTEST_RNG_SEED";

/// Sets which part the tests take, unless somebody has set it. Returns the part, unless the run leaves nothing out.
pub(super) fn choose(is_long: bool, tests: &mut Command) -> Option<u32> {
    if is_long {
        tests.env(LONG_VARIABLE, "1");
    }
    let part = env::var_os(PART_VARIABLE).unwrap_or_else(|| {
        let part = commits().or_else(hash).unwrap_or_default().to_string();
        progress(&format!("taking part {part} of what rotates: {PART_VARIABLE}={part} repeats it"));
        part.into()
    });
    if !is_long && env::var_os(SEED_VARIABLE).is_none() {
        tests.env(SEED_VARIABLE, &part);
    }
    tests.env(PART_VARIABLE, &part);
    // Tests take a part that is no number for the first one, too.
    let number = || part.to_str().and_then(|part| part.parse().ok()).unwrap_or_default();
    (!is_long).then(number)
}

/// The number of commits up to the one that is checked out; `None` where not all are here.
fn commits() -> Option<u32> {
    if git(&["rev-parse", "--is-shallow-repository"])? == "true" {
        return None;
    }
    git(&["rev-list", "--count", "HEAD"])?.parse().ok()
}

/// A number that follows from the commit that is checked out.
fn hash() -> Option<u32> {
    u32::from_str_radix(git(&["rev-parse", "HEAD"])?.get(..8)?, 16).ok()
}

fn git(arguments: &[&str]) -> Option<String> {
    let answer = process::run_quietly(Command::new("git").args(arguments)).ok()?;
    Some(String::from_utf8(answer.stdout).ok()?.trim().to_owned())
}
