//! Payments between two customers of one bank, where the bank lists them under a reference that no receipt has.
//!
//! A notice has the receipt's reference, the payer's document, the amount, the day and the minute; the row of the
//! extract has all of that but the receipt's reference. So the row becomes known by the receipt's reference through
//! the notice, where no other row or notice can be meant ([`pair_notices`]); or, without a notice and by the
//! owner's consent, by who paid, how much and on which day ([`find_by_payer`]).
//!
//! Two such payments of one document, amount and minute can only be distinguished by their receipts. Which row gets
//! which receipt then matters to nobody, as long as each row has one and each receipt names one row.

mod pairs;

use std::ops::RangeInclusive;
use std::time::Duration;

pub use pairs::pair_notices;

use super::find::asked_payer;
use super::{Movement, PayerFacts, Query};
use crate::ids::{MovementId, NotificationId};
use crate::money::Bolivars;
use crate::payer::{AccountNumber, BankCode, Document};
use crate::reference::{BankReference, TAIL_DIGITS, TypedReference, WHOLE_DIGITS, shared};
use crate::time::{CaracasDate, Timestamp};

/// How far apart a notice and a row of one payment may be. Both have the bank's own minute; the rest is for a bank
/// that books a little later than it says.
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
    /// Who paid; without a document where that could not be read, or the bank has named two.
    pub payer: PayerFacts,
    /// The movement that it was paired with.
    pub movement: Option<MovementId>,
}

impl SameBankNotice {
    /// Tells whether the notice reports that amount of that payer, on whatever day.
    #[must_use]
    pub fn is_alike(&self, payer: &PayerFacts, amount: Bolivars) -> bool {
        self.amount == amount && same_person(self.payer.document.as_ref(), payer.document.as_ref())
    }

    /// Tells whether the row may be the notice's payment: alike, and within minutes. If the notice was paired, only its
    /// own row may be.
    fn may_be(&self, row: &Movement) -> bool {
        self.movement.is_none_or(|movement| movement == row.id)
            && self.is_alike(&row.payer, row.amount)
            && are_near(self.paid_at, row.paid_at)
    }

    /// Tells whether the notice's receipt may be the one that the question was asked with: the whole of it, or an
    /// ending in the days asked about.
    #[must_use]
    pub fn is_asked_about(&self, query: &Query, window: &RangeInclusive<CaracasDate>) -> bool {
        query.reference.names_whole(&self.receipt)
            || (window.contains(&self.paid_on) && query.reference.matches(&self.receipt))
    }

    /// Tells whether what was typed when the row was confirmed names this receipt: six digits of it on whatever day;
    /// any ending, or the same, on the same day or within minutes. A zero in front may fill a field or be a digit:
    /// where it is none of this receipt, the ending behind it counts within minutes alone.
    fn is_named_by(&self, row: &Movement) -> bool {
        let Some(typed) = row.typed.as_ref().filter(|_| self.is_alike(&row.payer, row.amount))
        else {
            return false;
        };
        let receipt = self.receipt.digits();
        let has_zeros = receipt.ends_with(typed.typed()) || typed.is_whole(&self.receipt);
        shared(typed.typed(), receipt).is_some_and(|digits| digits >= TAIL_DIGITS)
            || (receipt.ends_with(typed.digits())
                && ((has_zeros && self.paid_on == row.paid_on)
                    || are_near(self.paid_at, row.paid_at)))
    }

    /// Tells whether nobody can know if the row was confirmed by this receipt: what was typed is an ending of it but
    /// for a zero in front, on the same day and not within minutes.
    fn may_be_named_by(&self, row: &Movement) -> bool {
        let receipt = self.receipt.digits();
        let is_ending = |typed: &TypedReference| receipt.ends_with(typed.digits());
        row.receipt.is_none()
            && row.typed.as_ref().is_some_and(is_ending)
            && self.is_alike(&row.payer, row.amount)
            && self.paid_on == row.paid_on
            && !self.is_named_by(row)
    }

    /// Tells whether the row is known by this receipt, reported or typed: the same, or eight digits shared.
    fn is_known_as(&self, row: &Movement) -> bool {
        let receipt = self.receipt.digits();
        let is_reported =
            row.receipt.as_ref().is_some_and(|known| known.is_same_whole(&self.receipt));
        let is_typed = |typed: &TypedReference| {
            typed.is_whole(&self.receipt)
                || shared(typed.typed(), receipt).is_some_and(|digits| digits >= WHOLE_DIGITS)
        };
        is_reported || row.typed.as_ref().is_some_and(is_typed)
    }

    /// Tells whether the row of the notice's payment was taken for another: a row within minutes is known by another
    /// reference, no such row is free, and no row at all may be known by this receipt.
    fn is_displaced(&self, rows: &[Movement]) -> bool {
        let near = || rows.iter().filter(|row| self.may_be(row));
        let is_its = |row: &Movement| {
            row.receipt.is_none() && (self.is_named_by(row) || self.may_be_named_by(row))
        };
        self.movement.is_none()
            && near().any(has_reference)
            && !near().any(is_free)
            && !rows.iter().any(is_its)
    }
}

/// The days that a notice of this row may say: the row's own, and minutes from midnight the other one too.
#[must_use]
pub fn days_of_notices(row: &Movement) -> Vec<CaracasDate> {
    let around = |at: Timestamp| [at.minus(APART_MAX), at.plus(APART_MAX)].map(CaracasDate::of);
    let mut days = vec![row.paid_on];
    days.extend(row.paid_at.into_iter().flat_map(around));
    days.sort_unstable();
    days.dedup();
    days
}

/// Returns the rows of which all others of the same payer and amount are there too. The bank shows a row whose own
/// reference fits the question without those like it, so that such a row and those like it are left out.
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

/// Result of a question that may be answered by who paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayerMatch {
    /// Nothing.
    None,
    /// This movement alone.
    One(MovementId),
    /// Several, which nobody can distinguish.
    Several,
}

/// A payment from the same bank that has the payer, amount and day asked for, where the reference finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameBank {
    /// Nobody has claimed it, and the account's owner has not chosen to have it confirmed by these.
    Unclaimed,
    /// It was confirmed by them for another reference.
    Claimed,
}

impl SameBank {
    /// The number that stands for it in a row.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Unclaimed => 1,
            Self::Claimed => 2,
        }
    }

    /// The name of the fact that tells it to callers.
    #[must_use]
    pub const fn fact(self) -> &'static str {
        match self {
            Self::Unclaimed => "same_bank",
            Self::Claimed => "same_bank_claimed",
        }
    }

    /// The one of that number.
    #[must_use]
    pub const fn from_number(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::Unclaimed),
            2 => Some(Self::Claimed),
            _ => None,
        }
    }
}

/// Tells whether `query` says enough to be answered by who paid: the document, the amount, the day, and no other bank
/// of the payer than the one of that code.
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
/// reference it was asked with: the one that [may be meant](waiting_for_owner).
#[must_use]
pub fn find_by_payer(
    query: &Query,
    code: &str,
    movements: &[Movement],
    asked: &[SameBankNotice],
) -> PayerMatch {
    if !asks_by_payer(query, code) {
        return PayerMatch::None;
    }
    let is_of_day = |row: &&Movement| query.paid_on == Some(row.paid_on);
    let mut meant = waiting_for_owner(query, code, movements, asked).filter(is_of_day);
    match (meant.next(), meant.next()) {
        (None, _) => PayerMatch::None,
        (Some(one), None) => PayerMatch::One(one.id),
        (Some(_), Some(_)) => PayerMatch::Several,
    }
}

/// Answers whether a movement of the payer, amount and day that `query` says was confirmed by these for another
/// reference, and no receipt names it: the receipt that was asked with may be its.
#[must_use]
pub fn is_claimed_by_payer(query: &Query, code: &str, movements: &[Movement]) -> bool {
    movements.iter().any(|row| {
        row.claimed.is_some()
            && row.typed.is_some()
            && row.receipt.is_none()
            && query.paid_on == Some(row.paid_on)
            && is_of_payer(query, code, row)
    })
}

/// The movements from the same bank, the one of that code, of the payer and the amount that `query` says, whatever
/// reference it was asked with: enough for their owner to look at. Claimed ones are none, nor are those that a
/// receipt names: the reference that was typed is another's. Nor are any where one of the movements, which are all
/// that are known by that reference, has it already: a reference names one row. So where `asked` has notices, those
/// that are [asked about](SameBankNotice::is_asked_about), only a row of theirs is meant; where that was taken for
/// another payment of the payer, any that is left.
pub fn waiting_for_owner<'a>(
    query: &'a Query,
    code: &'a str,
    movements: &'a [Movement],
    asked: &'a [SameBankNotice],
) -> impl Iterator<Item = &'a Movement> {
    let is_named = movements.iter().any(|row| names_already(query, row));
    let of_payer = asked.iter().filter(|notice| !asked_payer(query).contradict(&notice.payer));
    let theirs: Vec<_> = of_payer.map(|one| (one, one.is_displaced(movements))).collect();
    let is_theirs = move |row: &Movement| {
        theirs.iter().any(|(notice, is_displaced)| {
            notice.may_be(row) || (*is_displaced && notice.is_alike(&row.payer, row.amount))
        })
    };
    let is_meant = move |row: &&Movement| {
        !is_named
            && is_free(row)
            && is_of_payer(query, code, row)
            && (asked.is_empty() || is_theirs(row))
    };
    movements.iter().filter(is_meant)
}

/// Tells whether the reference of the question is one that this row is known by: they share eight digits, or are the
/// same, or one is the ending of the other and payer and amount are the same. Fewer than six digits are soon typed
/// again, and count on the day asked about alone.
fn names_already(query: &Query, row: &Movement) -> bool {
    let typed = query.reference.typed();
    let is_alike = query.amount == Some(row.amount) && is_person(query, row);
    let is_of_day = query.paid_on == Some(row.paid_on);
    let receipt = row.receipt.as_ref().map(BankReference::digits);
    let mut known = receipt.into_iter().chain(row.typed.as_ref().map(TypedReference::typed));
    known.any(|known| {
        let is_same = query.reference.digits() == known.trim_start_matches('0');
        shared(typed, known).is_some_and(|digits| {
            digits >= WHOLE_DIGITS
                || ((is_alike || is_same) && (digits >= TAIL_DIGITS || is_of_day))
        })
    })
}

/// Answers whether nobody has claimed the row, it is not contested, and no receipt names it.
fn is_free(row: &Movement) -> bool {
    row.claimed.is_none() && !row.is_contested() && row.receipt.is_none()
}

/// Tells whether the row is known by a reference besides the bank's own.
fn has_reference(row: &Movement) -> bool {
    row.receipt.is_some() || row.typed.is_some()
}

/// Returns the payer's question about a movement that the owner of the account accepts for what the payer was asked:
/// the latest of the `questions`, which come in that order, that names no other payer; one that names the payer's
/// document comes before any that does not. The amount is the owner's to say: that of a link may have been another when
/// its payer asked. `None` where the movement is known by a receipt that one of these names, by six digits at least,
/// since a payer may type a few until one fits. If none names that receipt, all are of another one, no matter who
/// asked, and the latest is returned.
#[must_use]
pub fn asked_by_payer<'a>(
    questions: &'a [Query],
    code: &str,
    movement: &Movement,
) -> Option<&'a Query> {
    if !movement.is_same_bank(code) {
        return None;
    }
    if let Some(receipt) = &movement.receipt {
        let is_named = |asked: &TypedReference| {
            asked.is_whole(receipt)
                || shared(asked.typed(), receipt.digits())
                    .is_some_and(|digits| digits >= TAIL_DIGITS)
        };
        let is_silent = questions.iter().any(|query| is_named(&query.reference));
        return questions.first().filter(|_| !is_silent);
    }
    let contradicts = |query: &Query| asked_payer(query).contradict(&movement.payer);
    let mut of_payer = questions.iter().filter(|query| !contradicts(query));
    of_payer.clone().find(|query| is_person(query, movement)).or_else(|| of_payer.next())
}

/// Tells whether what the payer typed names another payment than the movement, which its owner would accept for it: the
/// movement is known by the receipt of another, or another of the rows in `known` has it already by what was typed.
#[must_use]
pub fn names_other(asked: &Query, movement: &Movement, known: &[Movement]) -> bool {
    // The owner says that it is of this payment, whatever its payer left out.
    let asked = Query {
        document: movement.payer.document.clone(),
        amount: Some(movement.amount),
        paid_on: Some(movement.paid_on),
        ..asked.clone()
    };
    movement.receipt.is_some() || known.iter().any(|row| names_already(&asked, row))
}

/// Tells whether the movement is from the same bank, the one of that code, and has the payer and the amount that
/// `query` says.
fn is_of_payer(query: &Query, code: &str, movement: &Movement) -> bool {
    movement.is_same_bank(code)
        && movement.amount.is_positive()
        && query.amount == Some(movement.amount)
        && is_person(query, movement)
        && query
            .phone
            .as_ref()
            .is_none_or(|asked| movement.payer.phone.as_ref().is_none_or(|phone| phone == asked))
}

fn is_person(query: &Query, movement: &Movement) -> bool {
    same_person(query.document.as_ref(), movement.payer.document.as_ref())
}

fn same_person(one: Option<&Document>, other: Option<&Document>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.is_same_person(other))
}
