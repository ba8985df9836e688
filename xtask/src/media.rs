//! `cargo xtask media`: the pictures of README and guide, as journeys through the pages see them.

use std::process::Command;

use anyhow::Result;

use crate::journeys;
use crate::process;

/// What asks the journeys for pictures.
const MAKE: &str = "MAKE_MEDIA";

/// The journeys that make them.
const JOURNEYS: [&str; 3] = [
    "the_first_visit_leads_to_a_first_payment",
    "a_key_runs_into_its_limit_which_is_raised",
    "an_account_is_linked_a_link_is_paid_and_its_webhook_is_sent_again",
];

/// Makes them.
pub(crate) fn make() -> Result<()> {
    let mut tests = Command::new("cargo");
    tests.args(["test", "--quiet", "--package", "cotejo", "--test", "browser", "--", "--exact"]);
    tests.args(JOURNEYS).env(MAKE, "1").env(journeys::MODULES_VARIABLE, journeys::ensure()?);
    process::run(&mut tests)
}
