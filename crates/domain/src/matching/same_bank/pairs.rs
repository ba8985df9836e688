//! Pairing notices with the rows of the same payments.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{APART_MAX, SameBankNotice, is_near};
use crate::ids::{MovementId, NotificationId};
use crate::matching::Movement;
use crate::reference::{BankReference, tail};
use crate::time::{CaracasDate, Timestamp};

/// Pairs notices with the rows of the same payments; `rows` are all that the bank has listed within itself by now,
/// of each payer and amount that matters. A pair is for good: a row has one receipt, and a notice that has a row
/// keeps it.
///
/// A notice whose receipt was typed when a row was confirmed by its payer is of that row. Of what is left, notices
/// and rows that lie within minutes of each other are paired in the order of time, and only if there are as many of
/// the one as of the other: otherwise a payment is not listed yet, or a notice has not come. A row that was confirmed
/// already counts among these and is then paired with no notice that its typed reference does not name: the notice
/// may be of a payment that is not listed yet, which would be reported as used. A notice of which it is not certain
/// who paid may be any row's, and one that [may be named](SameBankNotice::may_be_named_by) by a row is paired with
/// none. One whose receipt names another movement of the account already, of those `known` by the receipts of notices
/// that are alike a row, or is named by an earlier notice too, is of none: a receipt names one row, whatever the day,
/// the payer and the amount.
#[must_use]
pub fn pair_notices(
    notices: &[SameBankNotice],
    rows: &[Movement],
    known: &[Movement],
) -> Vec<(NotificationId, MovementId)> {
    let may_pair = |(notice, row): &(NotificationId, MovementId)| {
        let notice = notices.iter().find(|one| one.id == *notice);
        let row = rows.iter().find(|one| one.id == *row);
        notice
            .zip(row)
            .is_some_and(|(notice, row)| row.claimed.is_none() || notice.is_named_by(row))
    };
    let mut pairs = Vec::new();
    let open = notices.iter().filter(|notice| notice.movement.is_none());
    let (open, doubtful): (Vec<_>, Vec<_>) =
        open.partition(|notice| notice.payer.document.is_some());
    let mut open = first_of_each_receipt(open);
    let may_be_typed =
        |notice: &SameBankNotice, row: &Movement| row.receipt.is_none() && notice.is_named_by(row);
    open.retain(|notice| {
        known.iter().all(|row| !notice.is_known_as(row) || may_be_typed(notice, row))
    });
    let is_free = |row: &&Movement| {
        row.receipt.is_none() && !notices.iter().any(|notice| notice.movement == Some(row.id))
    };
    let mut free: Vec<_> = rows.iter().filter(is_free).collect();
    pair_typed(&mut open, &mut free, &mut pairs);
    // A row of a day that was not asked about may be the one that was confirmed by its receipt.
    let is_elsewhere = |row: &Movement| !rows.iter().any(|other| other.id == row.id);
    let is_of = |notice: &SameBankNotice, row: &Movement| {
        notice.is_known_as(row) || (is_elsewhere(row) && notice.is_named_by(row))
    };
    open.retain(|notice| !known.iter().any(|row| is_of(notice, row)));
    while let Some(first) = open.first().copied() {
        let (alike, others): (Vec<_>, Vec<_>) =
            free.into_iter().partition(|row| first.is_alike(&row.payer, row.amount));
        free = others;
        let (group, rest): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|notice| first.is_alike(&notice.payer, notice.amount));
        open = rest;
        let doubtful = doubtful.iter().copied().filter(|notice| notice.amount == first.amount);
        pair_group(&group, &alike, doubtful, &mut pairs);
    }
    pairs.retain(may_pair);
    // A row that has its receipt now leaves no doubt about others.
    let is_open = |row: &&Movement| !pairs.iter().any(|(_, paired)| *paired == row.id);
    let doubted: Vec<_> = rows.iter().chain(known).filter(is_open).collect();
    let is_certain = |(notice, _): &(NotificationId, MovementId)| {
        let notice = notices.iter().find(|one| one.id == *notice);
        !doubted.iter().any(|row| notice.is_some_and(|one| one.may_be_named_by(row)))
    };
    pairs.retain(is_certain);
    pairs
}

/// Returns the notices that are the first to name their receipts.
fn first_of_each_receipt(mut notices: Vec<&SameBankNotice>) -> Vec<&SameBankNotice> {
    notices.sort_unstable_by_key(|notice| (notice.paid_on, notice.paid_at, notice.id));
    let mut named: HashMap<&str, Vec<&BankReference>> = HashMap::new();
    let mut first = Vec::new();
    for notice in notices {
        let receipt = &notice.receipt;
        let alike = named.entry(tail(receipt.digits())).or_default();
        if !alike.iter().any(|other| other.is_same_whole(receipt)) {
            first.push(notice);
        }
        alike.push(receipt);
    }
    first
}

/// Pairs the rows of which the typed reference names one notice alone, and takes both out.
fn pair_typed(
    open: &mut Vec<&SameBankNotice>,
    free: &mut Vec<&Movement>,
    pairs: &mut Vec<(NotificationId, MovementId)>,
) {
    let mut typed: Vec<_> = free.iter().copied().filter(|row| row.typed.is_some()).collect();
    // What names more digits goes first.
    typed.sort_by_key(|row| {
        let digits = row.typed.as_ref().map(|typed| typed.typed().len());
        (Reverse(digits), row.id)
    });
    for row in typed {
        let mut named = open.iter().copied().filter(|notice| notice.is_named_by(row));
        if let (Some(notice), None) = (named.next(), named.next()) {
            pairs.push((notice.id, row.id));
            open.retain(|other| other.id != notice.id);
            free.retain(|other| other.id != row.id);
        }
    }
}

/// A notice or a row, at its minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Clue {
    Notice(NotificationId),
    Row(MovementId),
    /// A notice of which it is not certain who paid.
    Doubtful,
}

/// Pairs what is of one payer and amount.
fn pair_group<'a>(
    notices: &[&SameBankNotice],
    rows: &[&Movement],
    doubtful: impl Iterator<Item = &'a SameBankNotice>,
    pairs: &mut Vec<(NotificationId, MovementId)>,
) {
    let notices = notices.iter().map(|one| (one.paid_at, one.paid_on, Clue::Notice(one.id)));
    let rows = rows.iter().map(|one| (one.paid_at, one.paid_on, Clue::Row(one.id)));
    let doubtful = doubtful.map(|one| (one.paid_at, one.paid_on, Clue::Doubtful));
    let (mut timed, mut untimed) = (Vec::new(), Vec::new());
    for (at, day, one) in notices.chain(rows).chain(doubtful) {
        match at {
            Some(at) => timed.push((at, one)),
            // One whose minute cannot be read may be any of its day.
            None => untimed.push(day),
        }
    }
    timed.sort_unstable();
    for cluster in timed.chunk_by(|(one, _), (next, _)| next.since(*one) <= APART_MAX) {
        if !cluster.iter().any(|(at, _)| untimed.contains(&CaracasDate::of(*at))) {
            pair_cluster(cluster, pairs);
        }
    }
}

/// Pairs, in the order of time, what lies within minutes of each other.
fn pair_cluster(cluster: &[(Timestamp, Clue)], pairs: &mut Vec<(NotificationId, MovementId)>) {
    let (mut notices, mut rows) = (Vec::new(), Vec::new());
    for (at, clue) in cluster {
        match clue {
            Clue::Notice(id) => notices.push((*at, *id)),
            Clue::Row(id) => rows.push((*at, *id)),
            Clue::Doubtful => return,
        }
    }
    let both = || notices.iter().zip(&rows);
    if notices.len() == rows.len() && both().all(|((one, _), (other, _))| is_near(*one, *other)) {
        pairs.extend(both().map(|((_, notice), (_, row))| (*notice, *row)));
    }
}
