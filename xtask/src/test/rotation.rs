//! Tests that take too long for every run: a third of them for each commit, and all of them in a long run.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::process;

/// Commits after each other that run all of them.
const TURNS: u32 = 3;

/// Tests that take turns: they kill servers, drive a browser, or run programs that read the API's document.
const IN_TURN: &str = "binary(crash) or binary(browser) or binary(contract)";

/// Leaves those out of a run that it is not the turn of; `build` and `environment` are what its tests were built with.
pub(super) fn choose(
    tests: &mut Command,
    (build, environment): (&[&str], &[(&str, &str)]),
    part: u32,
) -> Result<()> {
    let mut list = Command::new("cargo");
    list.args(["nextest", "list", "--message-format", "oneline", "-E", IN_TURN]).args(build);
    list.envs(environment.iter().copied());
    // What is not built yet is built first, which it says.
    list.stderr(Stdio::inherit());
    let listed = String::from_utf8(process::run_quietly(&mut list)?.stdout)?;
    tests.args(["-E", &filter(&listed, part)]);
    Ok(())
}

/// The filter of nextest's that leaves them out; `listed` has a line `BINARY TEST` for each of them.
fn filter(listed: &str, part: u32) -> String {
    let mut filter = format!("not ({IN_TURN})");
    let tests = listed.lines().filter_map(|line| line.split_once(' '));
    for (binary, test) in tests.filter(|(_, test)| is_turn_of(test, part)) {
        filter += &format!(" or (binary_id({binary}) and test(={test}))");
    }
    filter
}

/// Answers whether a test is run at a commit. Names are spread by FNV-1a, which is the same in every build.
fn is_turn_of(test: &str, part: u32) -> bool {
    let hash = test
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash % TURNS + part % TURNS).is_multiple_of(TURNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "cotejo::crash mid_check::killed\ncotejo::browser keyboard\n";

    #[test]
    fn three_commits_after_each_other_run_each_test_once() {
        for test in ["mid_check::killed", "keyboard", "a", "b"] {
            for begin in [0, 7, 1_000] {
                let turns = (begin..begin + TURNS).filter(|part| is_turn_of(test, *part));
                assert_eq!(turns.count(), 1, "{test}");
            }
        }
    }

    #[test]
    fn the_filter_has_all_other_tests_and_those_whose_turn_it_is() {
        let filters: Vec<_> = (0..TURNS).map(|part| filter(LISTED, part)).collect();
        assert!(filters.iter().all(|one| one.starts_with(&format!("not ({IN_TURN})"))));
        for named in [
            " or (binary_id(cotejo::crash) and test(=mid_check::killed))",
            " or (binary_id(cotejo::browser) and test(=keyboard))",
        ] {
            assert_eq!(filters.iter().filter(|one| one.contains(named)).count(), 1, "{named}");
        }
    }
}
