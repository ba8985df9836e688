//! Arguments of a run: which of them choose tests, and which only say how tests are run.

use std::ffi::OsString;

/// Options that choose tests, or how many of them run.
const CHOOSING: [&str; 18] = [
    "-p",
    "--package",
    "--exclude",
    "--lib",
    "--bin",
    "--bins",
    "--test",
    "--tests",
    "--example",
    "--examples",
    "--bench",
    "--benches",
    "-E",
    "--filterset",
    "--filter-expr",
    "--partition",
    "--run-ignored",
    "--no-run",
];

/// Options whose value is the next word, and which choose nothing.
const VALUED: [&str; 9] = [
    "-j",
    "--test-threads",
    "--jobs",
    "--build-jobs",
    "--retries",
    "--color",
    "--status-level",
    "--final-status-level",
    "--max-fail",
];

/// Answers whether these arguments leave tests out. A word that is no known option does, so that a run never takes itself for
/// a whole one by mistake.
pub(super) fn chooses(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(word) = word.to_str() else { return true };
        let (name, value) = word.split_once('=').map_or((word, None), |(n, v)| (n, Some(v)));
        if !name.starts_with('-') || name == "--" || is_choosing(name) {
            return true;
        }
        if value.is_none() && VALUED.contains(&name) {
            words.next();
        }
    }
    false
}

/// Answers whether an option chooses tests: `-p store` and `-pstore` both do.
fn is_choosing(name: &str) -> bool {
    let short = (!name.starts_with("--")).then(|| name.get(..2)).flatten();
    CHOOSING.contains(&name) || short.is_some_and(|short| CHOOSING.contains(&short))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &str) -> bool {
        let words: Vec<OsString> = arguments.split_whitespace().map(OsString::from).collect();
        chooses(&words)
    }

    #[test]
    fn an_option_is_no_filter() {
        for arguments in [
            "",
            "--no-fail-fast",
            "--fail-fast",
            "--test-threads=2",
            "--test-threads 2",
            "-j 4",
            "-j4",
            "--retries 3 --no-capture",
            "--color never",
        ] {
            assert!(!of(arguments), "{arguments}");
        }
    }

    #[test]
    fn a_run_with_fewer_tests_is_no_whole_run() {
        for arguments in [
            "leases",
            "-p store",
            "-pstore",
            "--package=store",
            "--no-fail-fast leases",
            "--lib",
            "-E test(leases)",
            "--test it",
            "--exclude cotejo",
            "--partition count:1/2",
            "--retries 3 leases",
            "-- --skip leases",
            "--unknown value",
            "--no-run",
        ] {
            assert!(of(arguments), "{arguments}");
        }
    }
}
