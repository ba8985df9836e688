//! What the chosen tests need besides Cargo: an engineer who works on one crate waits for nothing of another's.

use std::ffi::OsString;

/// The packages whose tests use PostgreSQL.
const WITH_POSTGRES: [&str; 4] = [PROGRAM, "db", "pg", "store"];

/// The package of the program. Its tests are distinguished, since each needs something else.
const PROGRAM: &str = "cotejo";

/// Test targets of the program that use PostgreSQL.
const POSTGRES_TESTS: [&str; 4] = ["cli", "crash", "it", "server"];

/// Test targets of the program that use other programs: shells, a tracer of system calls, and receivers in other
/// languages.
const PROGRAMS_TESTS: [&str; 3] = ["cli", "crash", "it"];

/// The one that uses the browser.
const WITH_BROWSER: &str = "browser";

/// The one that uses programs which read the API's document.
const WITH_CONTRACT: &str = "contract";

/// Programs that are started or installed before the tests.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// A PostgreSQL server.
    pub(super) postgres: bool,
    /// Debian's small programs.
    pub(super) programs: bool,
    /// Chromium, Node.js and its packages.
    pub(super) browser: bool,
    /// Programs of PyPI and npm that read the API's document.
    pub(super) contract: bool,
}

impl Needs {
    /// Returns the needs of the tests that these arguments of nextest's select; everything where they name no package.
    pub(super) fn of(filter: &[OsString]) -> Self {
        let packages = packages(filter);
        if packages.is_empty() {
            return Self { postgres: true, programs: true, browser: true, contract: true };
        }
        let targets = values(filter, None, "--test");
        let is_program = packages.contains(&PROGRAM);
        let all = targets.is_empty() && !filter.iter().any(|word| word == "--lib");
        let uses = |target| is_program && (all || targets.contains(&target));
        let others = packages.iter().filter(|package| **package != PROGRAM);
        Self {
            postgres: others.into_iter().any(|package| WITH_POSTGRES.contains(package))
                || POSTGRES_TESTS.into_iter().any(uses),
            programs: PROGRAMS_TESTS.into_iter().any(uses),
            browser: uses(WITH_BROWSER),
            contract: uses(WITH_CONTRACT),
        }
    }
}

/// The packages that these arguments of nextest's name.
pub(super) fn packages(filter: &[OsString]) -> Vec<&str> {
    values(filter, Some("-p"), "--package")
}

/// The values of a flag, however it is spelled: `-p store`, `-pstore`, `--package store`, `--package=store`.
fn values<'w>(words: &'w [OsString], short: Option<&str>, long: &str) -> Vec<&'w str> {
    let mut found = Vec::new();
    let mut words = words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let after_long = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
        let after_short = short.and_then(|short| word.strip_prefix(short));
        match after_long.or(after_short).filter(|value| !value.is_empty()) {
            Some(value) => found.push(value),
            None if word == long || Some(word) == short => found.extend(words.next()),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn of(filter: &str) -> [bool; 4] {
        let words: Vec<OsString> = filter.split_whitespace().map(OsString::from).collect();
        let Needs { postgres, programs, browser, contract } = Needs::of(&words);
        [postgres, programs, browser, contract]
    }

    #[test]
    fn the_chosen_packages_decide_what_is_started() {
        assert_eq!(of(""), [true; 4]);
        assert_eq!(of("some_test"), [true; 4]);
        for filter in
            ["-p domain", "-papp", "--package=web --package egress", "-p xtask -- -p store"]
        {
            assert_eq!(of(filter), [false; 4], "{filter}");
        }
        for filter in ["-p store", "-p domain -pstore", "--package=store leases"] {
            assert_eq!(of(filter), [true, false, false, false], "{filter}");
        }
        assert_eq!(of("-p cotejo"), [true; 4]);
        assert_eq!(of("-p cotejo --test browser keyboard"), [false, false, true, false]);
        assert_eq!(of("-p cotejo --test contract key"), [false, false, false, true]);
        assert_eq!(of("-p cotejo --test it --test=server"), [true, true, false, false]);
        assert_eq!(of("-p cotejo --test server"), [true, false, false, false]);
        assert_eq!(of("-p cotejo --lib"), [false; 4]);
        assert_eq!(of("-p cotejo -p store --lib"), [true, false, false, false]);
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn the_tests_of_the_program_that_use_postgresql_are_listed() {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cotejo/tests");
        for entry in fs::read_dir(tests).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            let name = entry.file_name().into_string().unwrap();
            let mut found = Vec::new();
            sources(&entry.path(), &mut found);
            let uses = found.iter().any(|path| {
                let text = fs::read_to_string(path).unwrap();
                ["postgres", "both_engines!", "either_engine!"]
                    .iter()
                    .any(|word| text.contains(word))
            });
            assert_eq!(uses, POSTGRES_TESTS.contains(&&*name), "{name}");
        }
    }

    #[test]
    fn no_other_package_uses_postgresql_in_its_tests() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        for entry in fs::read_dir(crates).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let mut found = Vec::new();
            sources(&entry.path(), &mut found);
            let uses = found.iter().any(|path| {
                let text = fs::read_to_string(path).unwrap();
                text.contains("testkit::postgres") || text.contains("testkit::TestApp")
            });
            assert!(!uses || WITH_POSTGRES.contains(&&*name), "{name} is missing in WITH_POSTGRES");
        }
    }
}
