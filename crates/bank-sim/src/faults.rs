//! Faults: how a bank fails when it is asked to.

use std::collections::HashMap;
use std::time::Duration;

use domain::payer::AccountNumber;

/// The longest that may be said for a fault to wait.
pub const DELAY_MAX: Duration = Duration::from_secs(120);

/// How long a connection is held whose request is never answered, where nothing else is said.
pub const HOLD: Duration = Duration::from_secs(300);

/// How long a slow bank takes, where nothing else is said.
pub const SLOW: Duration = Duration::from_secs(25);

/// A way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The bank does what was asked, and its answer never comes; in the end it hangs up.
    Timeout,
    /// The bank does what was asked, and the connection is torn.
    Reset,
    /// The bank does nothing, and answers with status 500.
    Http500,
    /// The bank does nothing, and answers with a page for people and status 200.
    Html,
    /// The bank does what was asked, and half of its answer comes.
    TruncatedJson,
    /// The bank does nothing, and says so in its own words.
    Maintenance,
    /// The bank does what was asked, and answers late.
    Slow,
    /// The bank does nothing, and answers with a code that no manual has.
    UnknownCode,
}

impl FaultKind {
    /// Every kind, with its name on the wire.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Timeout, "timeout"),
        (Self::Reset, "reset"),
        (Self::Http500, "http_500"),
        (Self::Html, "html"),
        (Self::TruncatedJson, "truncated_json"),
        (Self::Maintenance, "maintenance"),
        (Self::Slow, "slow"),
        (Self::UnknownCode, "unknown_code"),
    ];

    /// The kind of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// Its name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// A fault that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How the bank fails.
    pub kind: FaultKind,
    /// How many calls it still strikes; all, where that is not said.
    pub count: Option<u32>,
    /// How long the bank waits before, at most [`DELAY_MAX`]. Where that is not said, [`SLOW`] for a
    /// slow one, [`HOLD`] for one that never answers, and no time for others.
    pub delay: Option<Duration>,
}

impl Fault {
    /// How long the bank waits.
    #[must_use]
    pub fn wait(&self) -> Duration {
        match (self.delay, self.kind) {
            (Some(delay), _) => delay.min(DELAY_MAX),
            (None, FaultKind::Timeout) => HOLD,
            (None, FaultKind::Slow) => SLOW,
            (None, _) => Duration::ZERO,
        }
    }
}

/// The faults that are set: one for each account at most, and one for every call.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    everywhere: Option<Fault>,
    by_account: HashMap<AccountNumber, Fault>,
}

impl Faults {
    /// Sets a fault for calls about an account, or for all calls; `None` ends it.
    pub(crate) fn set(&mut self, account: Option<AccountNumber>, fault: Option<Fault>) {
        let fault = fault.filter(|fault| fault.count != Some(0));
        match (account, fault) {
            (None, fault) => self.everywhere = fault,
            (Some(account), Some(fault)) => drop(self.by_account.insert(account, fault)),
            (Some(account), None) => drop(self.by_account.remove(&account)),
        }
    }

    /// The fault that strikes a call, which counts. What is set for its account goes first.
    pub(crate) fn strike(&mut self, account: Option<&AccountNumber>) -> Option<Fault> {
        let of_account = account.filter(|account| self.by_account.contains_key(account)).cloned();
        let fault = match &of_account {
            Some(account) => self.by_account.get_mut(account),
            None => self.everywhere.as_mut(),
        }?;
        let struck = *fault;
        fault.count = fault.count.map(|count| count - 1);
        if fault.count == Some(0) {
            self.set(of_account, None);
        }
        Some(struck)
    }

    /// Every fault that is set, that for all calls first and then by account.
    #[must_use]
    pub fn list(&self) -> Vec<(Option<AccountNumber>, Fault)> {
        let by_account =
            self.by_account.iter().map(|(number, fault)| (Some(number.clone()), *fault));
        let mut list: Vec<_> =
            self.everywhere.map(|fault| (None, fault)).into_iter().chain(by_account).collect();
        list.sort_by(|(a, _), (b, _)| {
            let text = |account: &Option<AccountNumber>| account.as_ref().map(ToString::to_string);
            text(a).cmp(&text(b))
        });
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(last: u8) -> AccountNumber {
        AccountNumber::parse(&format!("010200008900000000{last:02}")).unwrap()
    }

    fn fault(kind: FaultKind, count: Option<u32>) -> Fault {
        Fault { kind, count, delay: None }
    }

    #[test]
    fn a_fault_strikes_as_often_as_it_was_set_and_no_more() {
        let mut faults = Faults::default();
        faults.set(None, Some(fault(FaultKind::Reset, Some(2))));
        let struck: Vec<bool> = (0..4).map(|_| faults.strike(None).is_some()).collect();
        assert_eq!(struck, [true, true, false, false]);
        assert!(faults.list().is_empty());
        faults.set(None, Some(fault(FaultKind::Reset, Some(0))));
        assert_eq!(faults.strike(None), None);
    }

    #[test]
    fn what_is_set_for_an_account_goes_before_what_is_set_for_all() {
        let mut faults = Faults::default();
        faults.set(None, Some(fault(FaultKind::Html, None)));
        faults.set(Some(account(1)), Some(fault(FaultKind::Slow, Some(1))));
        let kinds =
            |faults: &mut Faults, number| faults.strike(Some(&account(number))).unwrap().kind;
        assert_eq!(kinds(&mut faults, 2), FaultKind::Html);
        assert_eq!(kinds(&mut faults, 1), FaultKind::Slow);
        assert_eq!(kinds(&mut faults, 1), FaultKind::Html);
        faults.set(None, None);
        assert_eq!(faults.strike(Some(&account(1))), None);
    }

    #[test]
    fn nobody_waits_longer_than_the_limit() {
        let endless = Fault { delay: Some(Duration::MAX), ..fault(FaultKind::Html, None) };
        assert_eq!(endless.wait(), DELAY_MAX);
        assert_eq!(fault(FaultKind::Slow, None).wait(), SLOW);
        assert_eq!(fault(FaultKind::Timeout, None).wait(), HOLD);
        assert_eq!(fault(FaultKind::Html, None).wait(), Duration::ZERO);
    }

    #[test]
    fn every_kind_is_found_by_its_name() {
        for (kind, name) in FaultKind::ALL {
            assert_eq!((FaultKind::parse(name), kind.name()), (Some(kind), name));
        }
        assert_eq!(FaultKind::parse("none"), None);
    }
}
