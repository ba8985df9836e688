//! Payments between two customers of one bank, which lists them under references that no receipt has: when what the
//! bank has shown is taken in, rows are paired with notices, and where the reference finds nothing, the payer may.

use std::ops::RangeInclusive;

use domain::ids::{IdentityId, LinkId, MovementId, OwnerId};
use domain::matching::{
    Movement, PayerMatch, SameBank, SameBankNotice, Verdict, asked_by_payer, asks_by_payer,
    days_of_notices, find_by_payer, find_typed, is_claimed_by_payer, names_other, pair_notices,
    shown_with_their_like, waiting_for_owner,
};
use domain::reference::TypedReference;
use domain::time::CaracasDate;
use store::fault::Fault;
use store::tx::Tx;
use store::verifications::Verification;
use store::{accounts, bank_notifications, movements, verifications};

use super::asked::Asked;
use super::settlement::{Judged, Seen, SettleInput, window};

/// Pairs the rows that the bank has shown with the notices of the same payments: a row is then known by its notice's
/// receipt. The caller holds the account.
///
/// # Errors
/// A fault of the store.
pub(super) fn pair(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    seen: &mut Seen,
) -> Result<(), Fault> {
    let Some(code) = work.same_bank else { return Ok(()) };
    let is_row =
        |movement: &&Movement| movement.is_same_bank(code) && seen.shown.contains(&movement.id);
    let rows = seen.known.iter().filter(is_row).cloned().collect();
    let rows = shown_with_their_like(&work.query, rows);
    // The rows of other days are not known.
    let window = window(work, row);
    let asked = |row: &Movement| {
        let days = days_of_notices(row).into_iter().filter(|day| window.contains(day));
        days.map(|day| (day, row.amount)).collect::<Vec<_>>()
    };
    let mut days: Vec<_> = rows.iter().flat_map(asked).collect();
    if work.link.is_some() && days.is_empty() {
        // A payer's check looks for as much where there is no row, so that its work does not show it.
        days.extend(work.query.amount.map(|amount| (CaracasDate::of(work.now), amount)));
    }
    days.sort_unstable();
    days.dedup();
    // A row that is not known here may be alike.
    if days.is_empty() || !seen.is_complete {
        return Ok(());
    }
    let notices = bank_notifications::same_bank_by_amount(tx, work.owner, work.identity, &days)?;
    let may_count =
        |notice: &&SameBankNotice| rows.iter().any(|row| notice.is_alike(&row.payer, row.amount));
    let receipts = notices.iter().filter(may_count).map(|notice| &notice.receipt);
    let known = movements::known_by(tx, work.owner, work.identity, receipts)?;
    for (notice, row) in pair_notices(&notices, &rows, &known) {
        let notice = notices.iter().find(|one| one.id == notice);
        let movement = seen.known.iter_mut().find(|one| one.id == row);
        if let Some((notice, movement)) = notice.zip(movement) {
            movement.receipt = Some(notice.receipt.clone());
            movement.payer.phone = movement.payer.phone.take().or(notice.payer.phone.clone());
            movements::name_by_receipt(tx, work.owner, work.identity, movement)?;
            bank_notifications::pair(tx, work.owner, notice.id, row)?;
        }
    }
    Ok(())
}

/// Judges by the payer where the reference finds nothing. Only a call of the API is answered by it, and only where the
/// account's owner has chosen so: documents are known to strangers, and anybody can open a link's page.
///
/// # Errors
/// A fault of the store.
pub(super) fn judge_by_payer(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    seen: &Seen,
) -> Result<Judged, Fault> {
    let nothing = Judged::from(Verdict::NotFound);
    let Some(code) = work.same_bank else { return Ok(nothing) };
    let window = window(work, row);
    if row.link.is_some() {
        let asked = asked_about(tx, work, &window)?;
        let waits = asked.and_then(|asked| latest_waiting(work, code, seen, &asked, &window));
        return Ok(nothing.waiting(waits));
    }
    let typed = find_typed(&work.query, work.rule, &seen.known, &window);
    if typed != Verdict::NotFound {
        return Ok(typed.into());
    }
    // A row that is not known here may be meant as well. And without these facts none is, so that the account need not
    // be looked at.
    if !seen.is_complete || !asks_by_payer(&work.query, code) {
        return Ok(nothing);
    }
    let Some(asked) = asked_about(tx, work, &window)? else { return Ok(nothing) };
    let found = find_by_payer(&work.query, code, &seen.known, &asked);
    if found == PayerMatch::None {
        let is_claimed = is_claimed_by_payer(&work.query, code, &seen.known);
        return Ok(if is_claimed { nothing.beside(SameBank::Claimed) } else { nothing });
    }
    // As it is now, whatever it was when the call came.
    let account = accounts::find(tx, work.owner, work.bank)?;
    if !account.is_some_and(|account| account.same_bank_by_payer) {
        return Ok(nothing.beside(SameBank::Unclaimed));
    }
    let digits_needed = u32::try_from(work.query.reference.count()).unwrap_or(u32::MAX);
    Ok(match found {
        PayerMatch::One(id) => Judged::by_payer(id),
        // More digits do not help.
        PayerMatch::Several => Verdict::Ambiguous { digits_needed }.into(),
        PayerMatch::None => nothing,
    })
}

/// The notices whose receipt the question may be asked with, as they are now; nothing where there are so many that some
/// of the days asked about are not known.
fn asked_about(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    window: &RangeInclusive<CaracasDate>,
) -> Result<Option<Vec<SameBankNotice>>, Fault> {
    let reference = &work.query.reference;
    let mut ending_so =
        bank_notifications::same_bank_by_receipt(tx, work.owner, work.identity, reference)?;
    let is_cut = ending_so.len() as i64 >= bank_notifications::SAME_BANK_MAX
        && ending_so.last().is_some_and(|oldest| oldest.paid_on >= *window.start());
    ending_so.retain(|notice| notice.is_asked_about(&work.query, window));
    Ok((!is_cut).then_some(ending_so))
}

/// The latest movement that a payer's check may mean and nobody can confirm but the owner.
fn latest_waiting(
    work: &SettleInput,
    code: &str,
    seen: &Seen,
    asked: &[SameBankNotice],
    window: &RangeInclusive<CaracasDate>,
) -> Option<MovementId> {
    let waiting = waiting_for_owner(&work.query, code, &seen.known, asked);
    let in_time = waiting.filter(|movement| window.contains(&movement.paid_on));
    let latest = in_time.max_by_key(|one| (one.paid_on, one.paid_at, one.id));
    latest.map(|movement| movement.id)
}

/// Relation of what a link's payer typed to a movement that the owner accepts for the link.
pub(crate) enum TypedFor {
    /// Nothing that it has to be known by.
    Nothing,
    /// The reference that it is known by from then on.
    Movement(TypedReference),
    /// The reference of another payment.
    Other,
}

/// Finds what the link's payer typed for the movement, which is held with its account, unclaimed and of the link's
/// amount.
///
/// # Errors
/// A fault of the store.
pub(crate) fn find_typed_for(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (link, identity): (LinkId, IdentityId),
    code: &str,
    movement: &Movement,
) -> Result<TypedFor, Fault> {
    let mut questions = Vec::new();
    for asked in verifications::asked_for_link(tx, owner, link)? {
        questions.push(Asked::from_json(asked.as_str())?.query()?);
    }
    let Some(asked) = asked_by_payer(&questions, code, movement) else {
        return Ok(TypedFor::Nothing);
    };
    let known = movements::known_as(tx, owner, identity, &asked.reference)?;
    Ok(if names_other(asked, movement, &known) {
        TypedFor::Other
    } else {
        TypedFor::Movement(asked.reference.clone())
    })
}
