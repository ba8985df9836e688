//! How often somebody may try to sign in, by address, and what passes an address whose budget is spent.
//!
//! Behind one address may sit a whole shop, a carrier's customers, or, where the operator has named no
//! proxy, everybody. So a spent budget does not stop a sign-in to an account that nobody attacks: one
//! with fewer than [`FAILURES_MAX`] wrong passwords lately. What is counted is the text that was sent
//! as an e-mail address, so that accounts that exist and those that do not are answered alike.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use domain::text::EmailAddress;
use domain::time::Timestamp;
use sha2::{Digest, Sha256};

use crate::rate_limit::{Attempts, TooMany};

/// How many wrong passwords for one account in [`FAILURES_WINDOW`] are its owner's slips and no attack.
const FAILURES_MAX: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// The time that wrong passwords of an account count for; one is forgiven every five minutes.
const FAILURES_WINDOW: Duration = Duration::from_secs(15 * 60);

/// How many times its budget an address may try past it, over all accounts.
const PAST_BUDGET: NonZeroU32 = NonZeroU32::new(6).unwrap();

/// The budgets of sign-ins.
#[derive(Debug)]
pub(crate) struct SignIns {
    by_address: Attempts,
    past_by_address: Attempts,
    failures: Attempts,
}

/// A sign-in that is tried.
#[derive(Clone, Copy, Debug)]
pub struct SignIn {
    account: u128,
    /// Whether it is counted as a failure of the account until it turns out to be none.
    is_past_budget: bool,
}

impl SignIns {
    pub(crate) fn new(limit: Option<NonZeroU32>) -> Self {
        Self {
            by_address: Attempts::new(limit),
            past_by_address: Attempts::new(limit.map(|limit| limit.saturating_mul(PAST_BUDGET))),
            failures: Attempts::within(Some(FAILURES_MAX), FAILURES_WINDOW),
        }
    }

    /// Counts a request that says no account.
    pub(crate) fn count(&self, address: Option<IpAddr>, now: Timestamp) -> Result<(), TooMany> {
        self.by_address.take(address, now)
    }

    /// Lets a sign-in be tried: within its address's budget, or past it where `has_room` for one more and the
    /// account is not under attack. What passes counts as a failure from the start, so that many at once are not more.
    pub(crate) fn begin(
        &self,
        address: Option<IpAddr>,
        email: &str,
        has_room: bool,
        now: Timestamp,
    ) -> Result<SignIn, TooMany> {
        let account = account(email);
        let Err(spent) = self.by_address.take(address, now) else {
            return Ok(SignIn { account, is_past_budget: false });
        };
        if !has_room || self.failures.take_of(account, now).is_err() {
            return Err(spent);
        }
        if self.past_by_address.take(address, now).is_err() {
            self.failures.give_back(account, now);
            return Err(spent);
        }
        Ok(SignIn { account, is_past_budget: true })
    }

    /// Counts the outcome.
    pub(crate) fn end(&self, sign_in: SignIn, is_wrong: bool, now: Timestamp) {
        match (sign_in.is_past_budget, is_wrong) {
            // A full bucket stays full: that the account is under attack is all there is to know.
            (false, true) => drop(self.failures.take_of(sign_in.account, now)),
            (true, false) => self.failures.give_back(sign_in.account, now),
            (false, false) | (true, true) => {}
        }
    }
}

/// The number of an account: by the text of its address as people write it, whether it exists or not.
fn account(email: &str) -> u128 {
    let hash: [u8; 32] = Sha256::digest(EmailAddress::spelling(email)).into();
    let (number, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
    u128::from_be_bytes(*number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);
    const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(203, 0, 113, 7)));

    fn spent() -> SignIns {
        let sign_ins = SignIns::new(NonZeroU32::new(10));
        while sign_ins.count(HERE, START).is_ok() {}
        sign_ins
    }

    #[test]
    fn past_the_budget_an_account_has_three_tries_even_at_once() {
        let sign_ins = spent();
        let begin = |email| sign_ins.begin(HERE, email, true, START);
        let three: Vec<SignIn> = (0..3).map(|_| begin("ana@example.com").unwrap()).collect();
        assert_eq!(begin(" Ana@Example.com ").unwrap_err().policy.limit.get(), 10);
        // One was right: it is given back.
        sign_ins.end(three[0], false, START);
        sign_ins.end(three[1], true, START);
        sign_ins.end(three[2], true, START);
        let again = begin("ana@example.com").unwrap();
        sign_ins.end(again, true, START);
        assert!(begin("ana@example.com").is_err());
        let later = START.plus(Duration::from_secs(300));
        while sign_ins.count(HERE, later).is_ok() {}
        assert!(sign_ins.begin(HERE, "ana@example.com", true, later).is_ok());
        assert!(sign_ins.begin(HERE, "ana@example.com", true, later).is_err());
    }

    #[test]
    fn an_account_under_attack_from_elsewhere_does_not_pass() {
        let sign_ins = spent();
        for n in 1..4 {
            let elsewhere = Some(IpAddr::from([198, 51, 100, n]));
            let sign_in = sign_ins.begin(elsewhere, "ana@example.com", true, START).unwrap();
            sign_ins.end(sign_in, true, START);
        }
        assert!(sign_ins.begin(HERE, "ana@example.com", true, START).is_err());
        assert!(sign_ins.begin(HERE, "eva@example.com", true, START).is_ok());
    }

    #[test]
    fn past_its_budget_an_address_has_sixty_tries_over_all_accounts() {
        let sign_ins = spent();
        for n in 0..60 {
            let email = format!("{n}@example.com");
            assert!(sign_ins.begin(HERE, &email, true, START).is_ok());
        }
        assert!(sign_ins.begin(HERE, "ana@example.com", true, START).is_err());
        let elsewhere = Some(IpAddr::from([198, 51, 100, 1]));
        assert!(sign_ins.begin(elsewhere, "ana@example.com", true, START).is_ok());
    }

    #[test]
    fn where_many_wait_already_nothing_passes() {
        assert!(spent().begin(HERE, "ana@example.com", false, START).is_err());
    }
}
