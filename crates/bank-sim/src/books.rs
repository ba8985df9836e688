//! Everything that the simulator knows, pure: accounts, payments, the banks' own ledgers, the
//! notices that are due, and the outcomes of those that went out.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use domain::payer::AccountNumber;
use domain::time::Timestamp;

use crate::bdv;
use crate::faults::{Fault, Faults};
use crate::payment::{Account, Kind, NewPayment, Payment};
use crate::rates::RateBoard;
use crate::runtime::{Notice, Posted};

/// The most accounts.
pub const ACCOUNTS_MAX: usize = 100;

/// The most payments of an account.
pub const ACCOUNT_PAYMENTS_MAX: usize = 25_000;

/// The most payments of all accounts together.
pub const PAYMENTS_MAX: usize = 100_000;

/// How many of a payment's notices are remembered, the latest.
pub const NOTICES_KEPT_MAX: usize = 10;

/// Reason why the simulator refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// No bank of that code is simulated.
    #[error(
        "ningún banco simulado tiene cuentas de ese código / no simulated bank has such accounts"
    )]
    NotSimulated,
    /// There is no such account.
    #[error("no existe esa cuenta / there is no such account")]
    NoSuchAccount,
    /// There is no such payment.
    #[error("no existe ese pago / there is no such payment")]
    NoSuchPayment,
    /// There are [`ACCOUNTS_MAX`] accounts.
    #[error("no caben más cuentas / there is no room for more accounts")]
    TooManyAccounts,
    /// There are [`ACCOUNT_PAYMENTS_MAX`] payments, or [`PAYMENTS_MAX`] in all.
    #[error("no caben más pagos / there is no room for more payments")]
    TooManyPayments,
    /// The address is to return more rates than it can.
    #[error("no caben más tasas / there is no room for more rates")]
    TooManyRates,
    /// The account names nobody who is to be notified.
    #[error("la cuenta no tiene a quién notificar / the account has nobody to notify")]
    NoPushTarget,
    /// The bank notifies of pagos móviles alone.
    #[error("el banco solo notifica pagos móviles / the bank notifies of pagos móviles only")]
    NotNotified,
    /// The payment is not posted yet.
    #[error("el pago aún no está asentado / the payment is not posted yet")]
    NotPosted,
}

/// The outcome of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// When it ended.
    pub at: Timestamp,
    /// The answer, or why there was none.
    pub end: Result<Posted, String>,
}

/// Everything that the simulator knows.
#[derive(Debug, Default)]
pub struct Books {
    accounts: HashMap<AccountNumber, Held>,
    payments: BTreeMap<u64, Arc<Payment>>,
    deliveries: HashMap<u64, VecDeque<Delivery>>,
    /// Payments of which somebody is to be notified, by the instant at which they are posted.
    due: BTreeSet<(Timestamp, u64)>,
    /// Banco de Venezuela's own books.
    pub(crate) bdv: bdv::Ledger,
    /// The faults that are set.
    pub(crate) faults: Faults,
    /// The address that returns exchange rates.
    pub(crate) rates: RateBoard,
    /// How often each call came. There are as many as there are routes.
    calls: BTreeMap<&'static str, u64>,
}

/// An account, and how many payments it has had.
#[derive(Debug)]
struct Held {
    account: Account,
    payments: usize,
}

impl Books {
    /// Opens the account, or changes one that is there; its payments stay.
    ///
    /// # Errors
    /// [`Refused`] where its bank is not simulated or there are too many.
    pub fn open(&mut self, account: Account) -> Result<(), Refused> {
        if !is_simulated(&account.number) {
            return Err(Refused::NotSimulated);
        }
        let held = self.accounts.get(&account.number).map(|held| held.payments);
        if held.is_none() && self.accounts.len() >= ACCOUNTS_MAX {
            return Err(Refused::TooManyAccounts);
        }
        self.bdv.open(&account);
        let held = Held { payments: held.unwrap_or(0), account };
        self.accounts.insert(held.account.number.clone(), held);
        Ok(())
    }

    /// Makes the payment.
    ///
    /// # Errors
    /// [`Refused`] where there is no such account, or no room.
    pub fn pay(&mut self, new: NewPayment, now: Timestamp) -> Result<Arc<Payment>, Refused> {
        let held = self.accounts.get_mut(&new.account).ok_or(Refused::NoSuchAccount)?;
        if held.payments >= ACCOUNT_PAYMENTS_MAX || self.payments.len() >= PAYMENTS_MAX {
            return Err(Refused::TooManyPayments);
        }
        held.payments += 1;
        let number = self.payments.len() as u64 + 1;
        let payment = Arc::new(Payment::make(number, new, now));
        if held.account.push.is_some() && payment.kind == Kind::PagoMovil {
            self.due.insert((payment.posts_at, number));
        }
        self.bdv.take(&payment);
        self.payments.insert(number, Arc::clone(&payment));
        Ok(payment)
    }

    /// A payment, with the outcomes of its notices, the oldest first.
    ///
    /// # Errors
    /// [`Refused::NoSuchPayment`].
    pub fn payment(&self, number: u64) -> Result<(Arc<Payment>, Vec<Delivery>), Refused> {
        let payment = self.payments.get(&number).ok_or(Refused::NoSuchPayment)?;
        let deliveries = self.deliveries.get(&number).into_iter().flatten().cloned();
        Ok((Arc::clone(payment), deliveries.collect()))
    }

    /// The newest payments with a number below, of one account or of all, so many at most.
    #[must_use]
    pub fn newest(
        &self,
        account: Option<&AccountNumber>,
        below: u64,
        count: usize,
    ) -> Vec<(Arc<Payment>, Vec<Delivery>)> {
        let newest = self.payments.range(..below).rev();
        let newest =
            newest.filter(|(_, payment)| account.is_none_or(|one| payment.account == *one));
        newest.take(count).filter_map(|(number, _)| self.payment(*number).ok()).collect()
    }

    /// The earliest notices that are due by then, so many at most. They are handed out once.
    pub fn take_due(&mut self, now: Timestamp, count: usize) -> Vec<(u64, Notice)> {
        let due: Vec<_> = self.due.range(..=(now, u64::MAX)).take(count).copied().collect();
        let mut notices = Vec::with_capacity(due.len());
        for (posts_at, number) in due {
            self.due.remove(&(posts_at, number));
            // Where the account notifies nobody any more, no notice goes out.
            notices.extend(self.notice(number, now).ok().map(|notice| (number, notice)));
        }
        notices
    }

    /// When the next notice is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        self.due.first().map(|(at, _)| *at)
    }

    /// The notice of a payment, as it goes out.
    ///
    /// # Errors
    /// [`Refused`] where there is nothing to notify of, or nobody to notify.
    pub fn notice(&self, number: u64, now: Timestamp) -> Result<Notice, Refused> {
        let payment = self.payments.get(&number).ok_or(Refused::NoSuchPayment)?;
        if payment.kind != Kind::PagoMovil {
            return Err(Refused::NotNotified);
        }
        let held = self.accounts.get(&payment.account).ok_or(Refused::NoSuchAccount)?;
        let target = held.account.push.as_ref().ok_or(Refused::NoPushTarget)?;
        if payment.posts_at > now {
            return Err(Refused::NotPosted);
        }
        // Text alone is in it, which always has a form in JSON.
        let body = bdv::notice(payment, &held.account).map_err(|_| Refused::NotNotified)?;
        let (url, secret) = (target.url.clone(), target.api_key.clone());
        Ok(Notice { url, header: target.header.name(), secret, body })
    }

    /// Counts a call about that account, and answers the fault that strikes it.
    pub(crate) fn called(
        &mut self,
        call: &'static str,
        account: Option<&AccountNumber>,
    ) -> Option<Fault> {
        *self.calls.entry(call).or_default() += 1;
        self.faults.strike(account)
    }

    /// How often each call came, whatever its outcome.
    #[must_use]
    pub fn calls(&self) -> BTreeMap<&'static str, u64> {
        self.calls.clone()
    }

    /// Remembers the outcome of a notice.
    pub fn delivered(&mut self, number: u64, delivery: Delivery) {
        let kept = self.deliveries.entry(number).or_default();
        if kept.len() >= NOTICES_KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back(delivery);
    }

    /// Tells whether there is such an account.
    #[must_use]
    pub fn has(&self, account: &AccountNumber) -> bool {
        self.accounts.contains_key(account)
    }
}

/// Tells whether a bank with accounts of such numbers is simulated.
fn is_simulated(number: &AccountNumber) -> bool {
    number.as_str().starts_with(bdv::CODE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{account, at, payment};

    const NOON: &str = "2026-11-20T12:00:00-04:00";

    #[test]
    fn an_account_has_room_for_so_many_payments_however_often_it_is_opened() {
        let mut books = Books::default();
        books.open(account()).unwrap();
        let now = at(NOON);
        for number in 1..=ACCOUNT_PAYMENTS_MAX as u64 {
            assert_eq!(books.pay(payment(now), now).unwrap().number, number);
        }
        assert_eq!(books.pay(payment(now), now).unwrap_err(), Refused::TooManyPayments);
        books.open(account()).unwrap();
        assert_eq!(books.pay(payment(now), now).unwrap_err(), Refused::TooManyPayments);
    }

    #[test]
    fn the_banks_together_have_room_for_so_many() {
        let mut books = Books::default();
        let now = at(NOON);
        let numbers = ["1", "2", "3", "4", "5"].map(|last| format!("0102000089000000000{last}"));
        let accounts = numbers.map(|number| AccountNumber::parse(&number).unwrap());
        for number in &accounts {
            books.open(Account { number: number.clone(), ..account() }).unwrap();
        }
        let mut pay = |number: usize| {
            books.pay(NewPayment { account: accounts[number].clone(), ..payment(now) }, now)
        };
        for number in 0..PAYMENTS_MAX {
            pay(number / ACCOUNT_PAYMENTS_MAX).unwrap();
        }
        assert_eq!(pay(4).unwrap_err(), Refused::TooManyPayments);
    }

    #[test]
    fn nothing_is_delayed_longer_than_the_limit() {
        let mut books = Books::default();
        books.open(account()).unwrap();
        let late = NewPayment { delay: std::time::Duration::MAX, ..payment(at(NOON)) };
        let posts_at = books.pay(late, at(NOON)).unwrap().posts_at;
        assert_eq!(posts_at, at("2026-11-27T12:00:00-04:00"));
    }
}
