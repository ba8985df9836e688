//! Payments between two customers of one bank, where the bank lists them under a reference that no receipt has.
//!
//! A notice has the receipt's reference, the payer's document, the amount, the day and the minute; the row of the
//! extract has all of that but the receipt's reference. So the row becomes known by the receipt's reference through
//! the notice, where no other row or notice can be meant ([`pair_notices`]); or, without a notice and by the
//! owner's consent, by who paid, how much and on which day ([`find_by_payer`]).
//!
//! Two such payments of one document, amount and minute can only be told apart by their receipts. Which row gets which
//! receipt then matters to nobody, as long as each row has one and each receipt names one row.

mod pairs;

use std::ops::RangeInclusive;
use std::time::Duration;

pub use pairs::pair_notices;

use super::find::asked_payer;
use super::{Movement, PayerFacts, Query};
use crate::ids::{MovementId, NotificationId};
use crate::money::Bolivars;
use crate::payer::{AccountNumber, BankCode, Document};
use crate::reference::{BankReference, TAIL_DIGITS};
use crate::time::{CaracasDate, Timestamp};

/// How far apart a notice and a row may be that tell of one payment. Both have the bank's own minute; the rest is for
/// a bank that books a little later than it tells.
const APART_MAX: Duration = Duration::from_secs(5 * 60);

/// A notice of a payment between two customers of the bank, as it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameBankNotice {
    /// Its id.
    pub id: NotificationId,
    /// The reference that the payer's receipt has.
    pub receipt: BankReference,
    /// What came in.
    pub amount: Bolivars,
    /// The bank's day of it.
    pub paid_on: CaracasDate,
    /// The bank's minute of it, where that can be read.
    pub paid_at: Option<Timestamp>,
    /// Who paid; without a document where that could not be read, or the bank has told two.
    pub payer: PayerFacts,
    /// The movement that it was paired with.
    pub movement: Option<MovementId>,
}

impl SameBankNotice {
    /// Whether that amount of that payer is what it tells of, on whatever day.
    #[must_use]
    pub fn is_alike(&self, payer: &PayerFacts, amount: Bolivars) -> bool {
        self.amount == amount && same_person(self.payer.document.as_ref(), payer.document.as_ref())
    }

    /// Whether the row may be its payment: alike, and within minutes; of one that was paired, the row that it has.
    fn may_be(&self, row: &Movement) -> bool {
        self.movement.is_none_or(|movement| movement == row.id)
            && self.is_alike(&row.payer, row.amount)
            && are_near(self.paid_at, row.paid_at)
    }

    /// Whether its receipt may be the one that the question was asked with: the whole of it, or an ending in the days
    /// asked about.
    #[must_use]
    pub fn is_asked_about(&self, query: &Query, window: &RangeInclusive<CaracasDate>) -> bool {
        query.reference.names_whole(&self.receipt)
            || (window.contains(&self.paid_on) && query.reference.matches(&self.receipt))
    }

    /// Whether what was typed when the row was confirmed names this receipt: the same reference on the same day, or
    /// an ending of it within minutes.
    fn is_named_by(&self, row: &Movement) -> bool {
        let Some(typed) = &row.typed else { return false };
        let is_ending = || self.receipt.digits().ends_with(typed.digits());
        let is_same = typed.is_one_with(&self.receipt);
        let is_there = are_near(self.paid_at, row.paid_at) && (is_same || is_ending());
        self.is_alike(&row.payer, row.amount)
            && (is_there || (is_same && self.paid_on == row.paid_on))
    }

    /// Whether the row is known by this receipt, told or typed: the same, or eight digits shared.
    fn is_known_as(&self, row: &Movement) -> bool {
        others(row).any(|known| known.is_same_whole(&self.receipt))
    }
}

/// The days that a notice of this row may tell: the row's own, and minutes from midnight the other one too.
#[must_use]
pub fn days_of_notices(row: &Movement) -> Vec<CaracasDate> {
    let around = |at: Timestamp| [at.minus(APART_MAX), at.plus(APART_MAX)].map(CaracasDate::of);
    let mut days = vec![row.paid_on];
    days.extend(row.paid_at.into_iter().flat_map(around));
    days.sort_unstable();
    days.dedup();
    days
}

/// Those of `rows` beside which every other of their payer and amount is there too. The bank shows one whose own
/// reference fits the question without those like it.
#[must_use]
pub fn shown_with_their_like(query: &Query, rows: Vec<Movement>) -> Vec<Movement> {
    let shown: Vec<_> =
        rows.iter().filter(|row| query.reference.matches(&row.reference)).cloned().collect();
    let is_alone = |row: &Movement| {
        shown.iter().any(|other| {
            other.amount == row.amount
                && same_person(other.payer.document.as_ref(), row.payer.document.as_ref())
        })
    };
    rows.into_iter().filter(|row| !is_alone(row)).collect()
}

fn is_near(one: Timestamp, other: Timestamp) -> bool {
    one.since(other).max(other.since(one)) <= APART_MAX
}

fn are_near(one: Option<Timestamp>, other: Option<Timestamp>) -> bool {
    one.zip(other).is_some_and(|(one, other)| is_near(one, other))
}

/// What a question finds that may be answered by who paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayerMatch {
    /// Nothing.
    None,
    /// This movement alone.
    One(MovementId),
    /// Several, which nobody can tell apart.
    Several,
}

/// Whether `query` says enough to be answered by who paid: the document, the amount, the day, and no other bank of the
/// payer than the one of that code.
#[must_use]
pub fn asks_by_payer(query: &Query, code: &str) -> bool {
    let bank = query.bank_origin.as_ref().map(BankCode::as_str);
    let banks = [bank, query.account.as_ref().map(AccountNumber::bank)];
    query.document.is_some()
        && query.amount.is_some()
        && query.paid_on.is_some()
        && banks.into_iter().flatten().all(|bank| bank == code)
}

/// Finds the movement from the same bank, the one of that code, that `query` means by payer, amount and day, whatever
/// reference it was asked with. A claimed one is none, nor is one that a receipt names: the reference that was typed is
/// another's. Nor is any where one of the movements, which are all that are known by that reference, has it already: a
/// reference names one row. So where `asked` has notices, those that are [asked about](SameBankNotice::is_asked_about), a
/// row of theirs alone is meant.
#[must_use]
pub fn find_by_payer(
    query: &Query,
    code: &str,
    movements: &[Movement],
    asked: &[SameBankNotice],
) -> PayerMatch {
    if !asks_by_payer(query, code) || movements.iter().any(|row| names_already(query, row)) {
        return PayerMatch::None;
    }
    let is_of = |notice: &SameBankNotice, row: &Movement| {
        notice.may_be(row) && !asked_payer(query).contradict(&notice.payer)
    };
    let is_meant = |row: &&Movement| {
        waits_for_owner(query, code, row)
            && row.receipt.is_none()
            && query.paid_on == Some(row.paid_on)
            && (asked.is_empty() || asked.iter().any(|notice| is_of(notice, row)))
    };
    let mut meant = movements.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (None, _) => PayerMatch::None,
        (Some(one), None) => PayerMatch::One(one.id),
        (Some(_), Some(_)) => PayerMatch::Several,
    }
}

/// Whether the reference of the question is one that this row is known by: the whole of it on every day, the same few
/// digits on the day asked about alone, since these are soon typed again.
fn names_already(query: &Query, row: &Movement) -> bool {
    let typed = &query.reference;
    let counts = typed.digits().len() >= TAIL_DIGITS || query.paid_on == Some(row.paid_on);
    others(row).any(|known| typed.names_whole(known) || (counts && typed.is_whole(known)))
}

/// What a row is known by besides the bank's own reference.
fn others(row: &Movement) -> impl Iterator<Item = &BankReference> {
    row.receipt.iter().chain(&row.typed)
}

/// Whether nobody has claimed this movement from the same bank, the one of that code, and it has the payer and the
/// amount that `query` tells: enough for its owner to look at, and not for anybody else. One that is known by a receipt is
/// another payment: had that receipt been typed, it would have been found.
#[must_use]
pub fn waits_for_owner(query: &Query, code: &str, movement: &Movement) -> bool {
    movement.claimed.is_none()
        && movement.receipt.is_none()
        && movement.is_same_bank(code)
        && movement.amount.is_positive()
        && query.amount == Some(movement.amount)
        && same_person(query.document.as_ref(), movement.payer.document.as_ref())
        && query
            .phone
            .as_ref()
            .is_none_or(|asked| movement.payer.phone.as_ref().is_none_or(|phone| phone == asked))
}

fn same_person(one: Option<&Document>, other: Option<&Document>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.is_same_person(other))
}
