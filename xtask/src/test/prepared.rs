//! A PostgreSQL server that somebody has prepared, which the tests take in place of a throw-away one: a distributed one,
//! with the tables of its template spread.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, ensure};

use super::filter;
use crate::process;

/// Database that each test copies. Where it is missing the tests would make it, and its tables would be plain ones.
const TEMPLATE: &str = "cotejo_template";

/// Variable by which tests that take one engine in turn take PostgreSQL.
pub(super) const ENGINE_VARIABLE: &str = "TEST_ENGINE";

/// The tests that run where none are chosen: the integration suite.
const SUITE: [&str; 4] = ["-p", "cotejo", "--test", "it"];

/// How tests on SQLite are left out, by nextest and by Cargo.
const WITHOUT_SQLITE: [&str; 2] = ["-E", "not test(/::sqlite$/)"];
const SKIPPING_SQLITE: [&str; 3] = ["--", "--skip", "::sqlite"];

/// Returns the arguments of the run: those that were given, and the integration suite where they choose no test.
pub(super) fn arguments(given: &[OsString], has_nextest: bool) -> Vec<OsString> {
    if filter::chooses(given) {
        return given.to_vec();
    }
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut all = words(&SUITE);
    if has_nextest {
        all.extend(words(&WITHOUT_SQLITE));
    }
    all.extend_from_slice(given);
    if !has_nextest {
        all.extend(words(&SKIPPING_SQLITE));
    }
    all
}

/// Checks that the server at that address, which ends in a database of it, has the template.
pub(super) fn check(url: &str) -> Result<()> {
    let sql = format!("select count(*) from pg_database where datname = '{TEMPLATE}'");
    let mut psql = Command::new("psql");
    psql.args(["--quiet", "--tuples-only", "--no-align", "--command", &sql, url]);
    let answer = process::run_quietly(&mut psql)?.stdout;
    ensure!(
        answer.trim_ascii() == b"1",
        "the server has no database {TEMPLATE}: make it by `cotejo migrate`, and spread its tables"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(given: &str, has_nextest: bool) -> String {
        let words: Vec<OsString> = given.split_whitespace().map(OsString::from).collect();
        let all = arguments(&words, has_nextest);
        all.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_integration_suite_runs_where_no_test_is_chosen() {
        assert_eq!(
            of("--no-fail-fast", true),
            "-p cotejo --test it -E not test(/::sqlite$/) --no-fail-fast"
        );
        assert_eq!(of("", false), "-p cotejo --test it -- --skip ::sqlite");
        assert_eq!(of("-p store leases", true), "-p store leases");
    }
}
