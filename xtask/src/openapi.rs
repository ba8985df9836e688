//! `cargo xtask openapi`: the documents of the API, as the test that compares them writes them.

use std::process::Command;

use anyhow::Result;

use crate::process;

/// Variable that makes the test write the documents instead of comparing them.
const WRITE: &str = "COTEJO_WRITE_OPENAPI";

const TEST: &str = "tests::document::the_documents_that_are_checked_in_are_those_of_the_code";

/// Writes the documents; where callers would notice a change, only if that is meant.
pub(crate) fn write(incompatible: bool) -> Result<()> {
    let wish = if incompatible { "incompatible" } else { "compatible" };
    let mut test = Command::new("cargo");
    test.args(["test", "--quiet", "--package", "api", "--lib", "--", "--exact", TEST]);
    process::run(test.env(WRITE, wish))
}
