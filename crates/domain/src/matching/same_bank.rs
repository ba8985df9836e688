//! Payments between two customers of one bank, where the bank lists them under a reference that no receipt has.
//!
//! A notice has the receipt's reference, the payer's document, the amount, the day and the minute; the row of the
//! extract has all of that but the receipt's reference. So the row becomes known by the receipt's reference through
//! the notice, where no other row or notice can be meant ([`pair_notices`]); or, without a notice and by the
//! owner's consent, by who paid, how much and on which day ([`find_by_payer`]).
//!
//! Two such payments of one document, amount and minute can only be told apart by their receipts. Which row gets which
//! receipt then matters to nobody, as long as each row has one and each receipt names one row.

use std::time::Duration;

use super::{Movement, PayerFacts, Query};
use crate::ids::{MovementId, NotificationId};
use crate::money::Bolivars;
use crate::payer::{AccountNumber, BankCode, Document};
use crate::reference::BankReference;
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
    /// Who paid.
    pub payer: PayerFacts,
    /// The movement that it was paired with.
    pub movement: Option<MovementId>,
}

impl SameBankNotice {
    /// Whether it can still be paired.
    fn is_open(&self) -> bool {
        self.movement.is_none() && self.payer.document.is_some()
    }

    /// Whether the row is of the same payer, amount and day.
    #[must_use]
    pub fn is_alike(&self, payer: &PayerFacts, amount: Bolivars, paid_on: CaracasDate) -> bool {
        self.amount == amount
            && self.paid_on == paid_on
            && same_person(self.payer.document.as_ref(), payer.document.as_ref())
    }
}

/// Pairs notices with the rows that tell of the same payments; `rows` are all that the bank has listed within itself
/// by now, of each payer, amount and day that matters. A pair is for good: a row has one receipt, and a notice that has
/// a row keeps it.
///
/// A notice whose receipt was typed when a row was confirmed by its payer is of that row. Of what is left, notices and
/// rows that lie within minutes of each other are paired in the order of time, and only if there are as many of the one
/// as of the other: otherwise a payment is not listed yet, or a notice has not come.
#[must_use]
pub fn pair_notices(
    notices: &[SameBankNotice],
    rows: &[Movement],
) -> Vec<(NotificationId, MovementId)> {
    let mut pairs = Vec::new();
    let mut open: Vec<_> = notices.iter().filter(|notice| notice.is_open()).collect();
    let unnamed = |row: &&Movement| {
        row.receipt.is_none() && !notices.iter().any(|notice| notice.movement == Some(row.id))
    };
    let (typed, mut free): (Vec<_>, Vec<_>) =
        rows.iter().filter(unnamed).partition(|row| row.typed.is_some());
    for row in typed {
        let names = |notice: &&SameBankNotice| {
            notice.is_alike(&row.payer, row.amount, row.paid_on)
                && row.typed.as_ref().is_some_and(|typed| typed.is_one_with(&notice.receipt))
        };
        let mut named = open.iter().copied().filter(names);
        if let (Some(notice), None) = (named.next(), named.next()) {
            pairs.push((notice.id, row.id));
            open.retain(|other| other.id != notice.id);
        }
    }
    while let Some(first) = open.first().copied() {
        let is_alike = |row: &Movement| first.is_alike(&row.payer, row.amount, row.paid_on);
        let (alike, others): (Vec<_>, Vec<_>) = free.into_iter().partition(|row| is_alike(row));
        free = others;
        let is_like_first =
            |notice: &SameBankNotice| first.is_alike(&notice.payer, notice.amount, notice.paid_on);
        let (group, rest): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|notice| is_like_first(notice));
        open = rest;
        pair_group(&group, &alike, &mut pairs);
    }
    pairs
}

/// A notice or a row, at its minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Notice(NotificationId),
    Row(MovementId),
}

/// Pairs what is of one payer, amount and day.
fn pair_group(
    notices: &[&SameBankNotice],
    rows: &[&Movement],
    pairs: &mut Vec<(NotificationId, MovementId)>,
) {
    let notices = notices.iter().map(|notice| Some((notice.paid_at?, Told::Notice(notice.id))));
    let rows = rows.iter().map(|row| Some((row.paid_at?, Told::Row(row.id))));
    // One whose minute cannot be read may be any of them.
    let Some(mut told) = notices.chain(rows).collect::<Option<Vec<_>>>() else { return };
    told.sort_unstable();
    for cluster in told.chunk_by(|(one, _), (next, _)| next.since(*one) <= APART_MAX) {
        let notices = cluster.iter().filter_map(|(at, told)| match told {
            Told::Notice(id) => Some((*at, *id)),
            Told::Row(_) => None,
        });
        let rows = cluster.iter().filter_map(|(at, told)| match told {
            Told::Row(id) => Some((*at, *id)),
            Told::Notice(_) => None,
        });
        let is_even = notices.clone().count() == rows.clone().count();
        let mut both = notices.zip(rows);
        if is_even && both.clone().all(|((one, _), (other, _))| is_near(one, other)) {
            pairs.extend(both.by_ref().map(|((_, notice), (_, row))| (notice, row)));
        }
    }
}

fn is_near(one: Timestamp, other: Timestamp) -> bool {
    one.since(other).max(other.since(one)) <= APART_MAX
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

/// Finds the movement within the bank of that code that `query` means by payer, amount and day, whatever reference it
/// was asked with. A claimed one is none, nor is one that a receipt names: the reference that was typed is another's.
#[must_use]
pub fn find_by_payer(query: &Query, code: &str, movements: &[Movement]) -> PayerMatch {
    if !asks_by_payer(query, code) {
        return PayerMatch::None;
    }
    let is_meant = |row: &&Movement| {
        waits_for_owner(query, code, row)
            && row.receipt.is_none()
            && query.paid_on == Some(row.paid_on)
    };
    let mut meant = movements.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (None, _) => PayerMatch::None,
        (Some(one), None) => PayerMatch::One(one.id),
        (Some(_), Some(_)) => PayerMatch::Several,
    }
}

/// Whether nobody has claimed this movement within the bank of that code, and it has the payer and the amount that
/// `query` tells: enough for its owner to look at, and not for anybody else.
#[must_use]
pub fn waits_for_owner(query: &Query, code: &str, movement: &Movement) -> bool {
    movement.claimed.is_none()
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
