//! The last lines of a run: what it checked, and what it did not. A run that leaves something out says so by itself.

use std::fmt;

use crate::process::progress;

/// Checks of a whole run, in the order in which they are made.
const CHECKS: [Check; 4] = [Check::Format, Check::Lints, Check::SupplyChain, Check::Tests];

/// Something that a whole run checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Format,
    Lints,
    /// Bans, licences and sources of the dependencies.
    SupplyChain,
    /// Every test, on both engines.
    Tests,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => "format",
            Self::Lints => "lints",
            Self::SupplyChain => "supply chain",
            Self::Tests => "tests on SQLite and PostgreSQL",
        })
    }
}

/// The checks that were made so far. Dropping it prints it, so that a run that fails says what it did not reach.
#[derive(Debug, Default)]
pub(super) struct Summary {
    passed: Vec<Check>,
    left_out: Vec<String>,
}

impl Summary {
    /// Notes that a check passed.
    pub(super) fn passed(&mut self, check: Check) {
        self.passed.push(check);
    }

    /// Notes what a check left out, and why.
    pub(super) fn left_out(&mut self, what: impl Into<String>) {
        self.left_out.push(what.into());
    }

    /// The line that names what passed. `.ci/run` demands it whole.
    fn checked(&self) -> String {
        format!("checked: {}", join(&self.passed))
    }

    /// The line that names the rest.
    fn not_checked(&self) -> Option<String> {
        let missing = CHECKS.iter().filter(|check| !self.passed.contains(check));
        let all: Vec<String> =
            missing.map(ToString::to_string).chain(self.left_out.iter().cloned()).collect();
        (!all.is_empty()).then(|| format!("not checked: {}", join(&all)))
    }
}

impl Drop for Summary {
    fn drop(&mut self) {
        if let Some(line) = self.not_checked() {
            progress(&line);
        }
        progress(&self.checked());
    }
}

fn join(parts: &[impl ToString]) -> String {
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn repository(file: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        fs::read_to_string(root.join(file)).unwrap()
    }

    #[test]
    fn the_gate_runs_the_command_of_the_readme_and_demands_all_checks() {
        let whole = Summary { passed: CHECKS.to_vec(), left_out: Vec::new() };
        let gate = repository(".ci/run");
        let command = "cargo xtask test";
        assert!(repository("README.md").lines().any(|line| line == command));
        let runs: Vec<&str> = gate.lines().filter(|line| line.contains(command)).collect();
        assert_eq!(runs, [format!("{command} 2>&1 | tee \"$log\"")]);
        assert!(gate.contains(&format!("grep -qFx 'xtask: {}' \"$log\"", whole.checked())));
        assert_eq!(whole.not_checked(), None);
    }

    #[test]
    fn a_check_that_was_not_reached_is_named() {
        let mut summary = Summary::default();
        assert_eq!(summary.checked(), "checked: nothing");
        summary.passed(Check::Format);
        summary.left_out("advisories (no network)");
        assert_eq!(summary.checked(), "checked: format");
        assert_eq!(
            summary.not_checked().unwrap(),
            "not checked: lints, supply chain, tests on SQLite and PostgreSQL, \
             advisories (no network)"
        );
    }
}
