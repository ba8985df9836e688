//! Test mode: whether a person is shown real money or what the test bank made up.
//!
//! Test money never looks like money. An owner that only tries the service out is shown all that it has, marked. Once a
//! real account was linked, test accounts and what came of them are shown in test mode alone, and nothing else is there.

use domain::access::Caller;
use domain::ids::{BankId, OwnerId};
use store::Meter;
use store::accounts::{self, Served};
use store::fault::Fault;
use store::tx::Tx;

use crate::accounts::Banks;
use crate::{App, Error};

/// The accounts of an owner at the test bank, also those in the trash.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestAccounts(Vec<BankId>);

impl TestAccounts {
    /// Reads those of the owner, where only accounts of one kind are meant; else none are needed.
    pub(crate) fn meant(
        tx: &mut Tx<'_>,
        owner: OwnerId,
        banks: &Banks,
        livemode: Option<bool>,
    ) -> Result<Self, Fault> {
        match livemode {
            Some(_) => Self::read(tx, owner, banks),
            None => Ok(Self::default()),
        }
    }

    /// Reads those of the owner.
    pub(crate) fn read(tx: &mut Tx<'_>, owner: OwnerId, banks: &Banks) -> Result<Self, Fault> {
        let served = accounts::served(owner).run(tx)?.into_iter();
        let tests = served.filter(|account| banks.is_sandbox(&account.provider));
        Ok(Self(tests.map(|account| account.id).collect()))
    }

    /// True if the account is at the test bank.
    pub(crate) fn has(&self, bank: BankId) -> bool {
        self.0.contains(&bank)
    }

    /// True if the account is meant: any, those of real money, or those at the test bank.
    pub(crate) fn is_meant(&self, bank: BankId, livemode: Option<bool>) -> bool {
        livemode.is_none_or(|livemode| livemode != self.has(bank))
    }
}

/// The part of an owner's money, real or the test bank's, that a person is shown.
#[derive(Clone, Debug, Default)]
pub struct TestMode {
    is_on: bool,
    tests: TestAccounts,
    has_real: bool,
}

impl TestMode {
    /// Finds what a person is shown who has switched test mode on or has not. Accounts count that it reaches.
    ///
    /// # Errors
    /// A failure of the store.
    pub async fn of(app: &App, meter: &Meter, caller: &Caller, is_on: bool) -> Result<Self, Error> {
        let Some(owner) = caller.owner() else { return Ok(Self::default()) };
        let served = app.store.look_up_auth(meter, accounts::served(owner)).await?;
        let reached = served.into_iter().filter(|one| caller.reaches(one.id, one.client));
        let is_test = |one: &Served| app.banks.is_sandbox(&one.provider);
        let (tests, real): (Vec<_>, Vec<_>) = reached.partition(is_test);
        let tests = TestAccounts(tests.iter().map(|one| one.id).collect());
        Ok(Self { is_on, tests, has_real: !real.is_empty() })
    }

    /// True if it is switched on.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.is_on
    }

    /// True if there is something that only test mode shows.
    #[must_use]
    pub fn is_offered(&self) -> bool {
        !self.is_on && self.has_real && !self.tests.0.is_empty()
    }

    /// The kind of money that lists show: real, the test bank's, or both where there is nothing to keep apart.
    #[must_use]
    pub fn livemode(&self) -> Option<bool> {
        (self.is_on || self.is_offered()).then_some(!self.is_on)
    }

    /// True if all money that is shown is the test bank's.
    #[must_use]
    pub const fn is_all_test(&self) -> bool {
        self.is_on || !self.has_real
    }

    /// True if the account is at the test bank.
    #[must_use]
    pub fn is_test(&self, bank: BankId) -> bool {
        self.tests.has(bank)
    }

    /// True if what is of the test bank, or is not, is shown.
    #[must_use]
    pub fn shows(&self, is_test: bool) -> bool {
        self.livemode().is_none_or(|livemode| livemode != is_test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(is_on: bool, has_real: bool, has_tests: bool) -> TestMode {
        let tests = has_tests.then(|| BankId::from_bytes([1; 16]));
        TestMode { is_on, tests: TestAccounts(tests.into_iter().collect()), has_real }
    }

    #[test]
    fn real_money_and_the_test_banks_are_never_shown_together_once_there_are_both() {
        for (is_on, has_real, has_tests, livemode) in [
            (false, false, false, None),
            (false, false, true, None),
            (false, true, false, None),
            (false, true, true, Some(true)),
            (true, true, true, Some(false)),
            // A person in test mode stays there, whatever it puts into the trash.
            (true, true, false, Some(false)),
            (true, false, true, Some(false)),
        ] {
            let mode = mode(is_on, has_real, has_tests);
            assert_eq!(mode.livemode(), livemode, "{mode:?}");
            assert_eq!(mode.is_offered(), livemode == Some(true), "{mode:?}");
            assert_eq!(mode.shows(true), livemode != Some(true), "{mode:?}");
            assert_eq!(mode.shows(false), livemode != Some(false), "{mode:?}");
        }
    }
}
