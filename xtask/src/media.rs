//! `cargo xtask media`: the pictures of README and guide, as journeys through the pages see them.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::journeys;
use crate::process;

/// Variable that has journeys keep their pictures.
const MEDIA_VARIABLE: &str = "MAKE_MEDIA";

/// Journeys with pictures.
const JOURNEYS: [&str; 3] = [
    "the_first_visit_leads_to_a_first_payment",
    "a_key_runs_into_its_limit_which_is_raised",
    "an_account_is_linked_a_link_is_paid_and_its_webhook_is_sent_again",
];

/// Removes the pictures and plays the journeys that make them. The tidy test misses one that is not made again.
pub(crate) fn make() -> Result<()> {
    fs::remove_dir_all("docs/media")?;
    let mut tests = Command::new("cargo");
    tests.args(["test", "--quiet", "--package", "cotejo", "--test", "browser", "--", "--exact"]);
    tests
        .args(JOURNEYS)
        .env(MEDIA_VARIABLE, "1")
        .env(journeys::MODULES_VARIABLE, journeys::ensure()?);
    process::run(&mut tests)
}
