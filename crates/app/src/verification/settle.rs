//! Transaction 2: what the bank showed is taken in, and the verification gets its end. All of it
//! or nothing: claim, payment, ledger line or activity entry, kept answer.

use domain::ids::{LinkId, NoticeId, PaymentId, RateLockId};
use domain::matching::{Movement, SameBank, Verdict, is_certain};
use domain::money::Credits;
use domain::notices::Notice;
use domain::statistics;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failed, Settled, State, conclude};
use store::credits::Origin;
use store::fault::Fault;
use store::links::Link;
use store::movements::ReferenceQuery;
use store::payment_sums::{self, Claimed};
use store::payments::{NewPayment, Payment, paid_price};
use store::tx::Tx;
use store::verifications::{Confirmation, Verification};
use store::{accounts, activity, credits, links, movements, notices, payments, verifications};

use super::call::request_type;
use super::judge::judge;
use super::repeat::may_get_first_report;
use super::settlement::{Claim, EndContext, Judged, Seen, SettleInput, SettleResult, notice_of};
use super::{in_review, link_paid, receipt, same_bank, short};
use crate::credits_events;
use crate::ingestion::{self, Held, Ingested};
use crate::links::{fail_if_exhausted, lock_of, locks_of};

/// Gives an open verification its end; one that has an end keeps it.
///
/// # Errors
/// A fault of the store.
pub(super) fn settle(tx: &mut Tx<'_>, work: &SettleInput) -> Result<SettleResult, Fault> {
    let sought = sought(work);
    let link = work.link.as_ref().map(|(link, _)| *link);
    let locked = verifications::lock_for_settlement(
        tx,
        work.owner,
        work.identity,
        work.verification,
        link,
        &sought,
    )?;
    let row = locked.verification;
    if row.state != State::Asking {
        return ended_before(tx, work, &row);
    }
    let chosen = with_chosen_rule(tx, work, &row)?;
    let work = chosen.as_ref().unwrap_or(work);
    let mut seen = ingest(tx, work, locked.candidates)?;
    same_bank::pair(tx, work, &row, &mut seen)?;
    let judged = judge(tx, work, &row, &seen)?;
    let settling = end(tx, work, &row, (&judged, &seen))?;
    notify_contested(tx, work, &judged, &seen)?;
    Ok(settling)
}

/// Ends the verification as it was judged.
fn end(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    (judged, seen): (&Judged, &Seen),
) -> Result<SettleResult, Fault> {
    let known = &seen.known;
    let meant = |id| known.iter().find(|movement| movement.id == id);
    let is_certain = matches!(judged.verdict, Verdict::One(id) if meant(id)
        .is_some_and(|movement| is_certain(&work.query, work.rule, movement)));
    match conclude(&work.answer, judged.verdict, is_certain) {
        Ok(id) => {
            let movement =
                meant(id).ok_or_else(|| Fault::broken("a verdict about an unknown movement"))?;
            if let Some(failed) = in_review::end_of(tx, work, movement)? {
                return refuse(tx, work, row, judged, failed);
            }
            match movement.claimed {
                None => {
                    let (is_by_payer, lock) = (judged.is_by_payer, find_lock(tx, work, movement)?);
                    let paid = Claim { is_by_payer, lock, ..work.claim() };
                    if !is_by_payer {
                        return claim(tx, &work.ending(), &paid, row, movement);
                    }
                    let typed = Some(work.query.reference.clone());
                    let named = Movement { typed, is_named: true, ..movement.clone() };
                    movements::name_as_typed(tx, work.owner, work.identity, &named)?;
                    claim(tx, &work.ending(), &paid, row, &named)
                }
                // The caller that claimed it has delivered on it: it pays no link besides.
                Some(_) if row.link.is_some() => {
                    void(tx, &work.ending(), row, Failed::AlreadyReconciled)
                }
                Some(payment) => repeat(tx, work, row, payment),
            }
        }
        Err(failed) => refuse(tx, work, row, judged, failed),
    }
}

/// The same by the rule that the account's owner has chosen, as it is now, for a call whose few digits depend on it.
fn with_chosen_rule(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
) -> Result<Option<SettleInput>, Fault> {
    if row.link.is_some() || !work.query.is_short(work.rule) {
        return Ok(None);
    }
    let account = accounts::find(tx, work.owner, work.bank)?;
    let is_chosen = account.is_some_and(|account| account.short_references);
    let rule = work.rule.with_short_references(is_chosen);
    Ok((rule != work.rule).then(|| SettleInput { rule, ..work.clone() }))
}

/// Notifies the owner of what the bank has shown now and what may be another movement, unless the answer to the question
/// does.
fn notify_contested(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    judged: &Judged,
    seen: &Seen,
) -> Result<(), Fault> {
    for (id, with) in &seen.contested {
        let is_answered_so =
            matches!(judged.verdict, Verdict::Contested { with: one, .. } if one == *with);
        if !is_answered_so {
            let notice = Notice::payment_contested(*with, None);
            let id = NoticeId::from_bytes(id.to_bytes());
            notices::notify(tx, work.owner, id, &notice, work.now)?;
        }
    }
    Ok(())
}

/// The rate lock by which the movement pays the link that is checked, if that asks for another currency.
fn find_lock(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    movement: &Movement,
) -> Result<Option<RateLockId>, Fault> {
    let Some((link, _)) = work.link.as_ref().filter(|_| work.query.paid_within.is_some()) else {
        return Ok(None);
    };
    let link = links::find(tx, work.owner, *link)?;
    let link = link.ok_or_else(|| Fault::broken("a check without its link"))?;
    let locks = locks_of(tx, work.owner, &link)?;
    Ok(lock_of(&link, &locks, movement).map(|lock| lock.id))
}

/// Ends a verification that claims nothing, and notifies the owner of what is left to a person.
fn refuse(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    judged: &Judged,
    failed: Failed,
) -> Result<SettleResult, Fault> {
    let is_not_found = matches!(failed, Failed::NotFound { .. });
    // Of a link's check it says that a payment of that amount waits for the owner. Payers see the same either way.
    let same_bank = judged.waits.map(|_| SameBank::Unclaimed).or(judged.same_bank);
    let failed = if is_not_found { Failed::NotFound { same_bank } } else { failed };
    let failed = if is_not_found && short::is_one_too_many(tx, work, row)? {
        Failed::TooShort
    } else {
        failed
    };
    let settling = void(tx, &work.ending(), row, failed.clone())?;
    let notice = match (judged.verdict, failed) {
        (Verdict::Contested { with, .. }, Failed::Ambiguous { .. }) => {
            Some(Notice::payment_contested(with, row.link))
        }
        (_, Failed::NotFound { .. }) => {
            let link = row.link.zip(judged.waits);
            link.map(|(link, movement)| Notice::same_bank_payment(link, movement))
        }
        (_, Failed::OtherAmount(_)) => {
            let link = row.link.zip(judged.waits);
            link.map(|(link, movement)| Notice::payment_outside_rate(link, movement))
        }
        (Verdict::NotFound, Failed::TooShort) => {
            Some(Notice::short_references(row.actor, row.bank, work.now))
        }
        (_, Failed::RejectedCredentials) => {
            Some(Notice::bank_refuses_credentials(row.bank, work.livemode, work.now))
        }
        _ => None,
    };
    if let Some(notice) = notice {
        notices::notify(tx, work.owner, notice_of(row.id), &notice, work.now)?;
    }
    Ok(settling)
}

/// Ends an open verification without a payment, and gives its reservation back. Where it is for a
/// link, the caller holds that too, since it may fail by this.
///
/// # Errors
/// A fault of the store.
pub(super) fn void(
    tx: &mut Tx<'_>,
    ending: &EndContext<'_>,
    row: &Verification,
    failed: Failed,
) -> Result<SettleResult, Fault> {
    let EndContext { owner, now, .. } = *ending;
    let ordinal = credits::void(tx, owner, account(row), row.cost)?;
    verifications::fail(tx, owner, row.id, &failed, now)?;
    let code = failed.refusal(usize::MAX).code().as_str();
    finish(tx, ending, row, (failed.state(), Some(code)), ordinal)?;
    if let Some((link, events)) = row.link.zip(ending.events) {
        fail_if_exhausted(tx, owner, link, events, now)?;
    }
    Ok(SettleResult {
        settled: Settled { result: Err(failed), is_new: false },
        payment: None,
        balance: Credits::ZERO,
        had_ended: false,
    })
}

/// Returns the look-ups that decide: of movements that are meant by what was typed, and of those that may be what the
/// bank showed.
fn sought(work: &SettleInput) -> Vec<ReferenceQuery> {
    let has_receipts = work.same_bank.is_some();
    let mut sought: Vec<_> =
        ReferenceQuery::named(work.rule, &work.query.reference, has_receipts).collect();
    let asked = sought.len();
    if let Answer::Shown { sightings, .. } = &work.answer {
        sought.extend(sightings.iter().flat_map(|seen| ReferenceQuery::from_bank(work.rule, seen)));
    }
    sought.sort_unstable();
    sought.dedup();
    if work.link.is_some() && sought.len() == asked {
        // For a payer as much is looked for where the bank shows nothing as where it shows something,
        // so that the work does not show which it was.
        sought.extend(ReferenceQuery::from_caller(work.rule, &work.query.reference).take(1));
    }
    sought
}

/// Takes in what the bank showed; answers every movement that may be meant, and what may be one of them.
fn ingest(tx: &mut Tx<'_>, work: &SettleInput, mut known: Vec<Movement>) -> Result<Seen, Fault> {
    let (mut shown, mut contested) = (Vec::new(), Vec::new());
    let Answer::Shown { sightings, is_complete } = &work.answer else {
        return Ok(Seen { known, shown, contested, is_complete: false });
    };
    let mut is_complete = *is_complete;
    let SettleInput { owner, identity, rule, now, .. } = *work;
    let held = Held { owner, identity, rule, now, is_named: true };
    for (seen, id) in sightings.iter().zip(&work.movements) {
        match ingestion::ingest(tx, held, &mut known, seen, *id)? {
            Ingested::Movement(id) => shown.push(id),
            Ingested::Several => is_complete = false,
            Ingested::Contested { with, is_new } => {
                is_complete = false;
                contested.extend(is_new.then_some((*id, with)));
            }
        }
    }
    Ok(Seen { known, shown, contested, is_complete })
}

/// Claims the movement and charges for it. Where it is for a link, the link decides first: one that
/// has ended by now lets the movement go unclaimed, and nothing is charged.
///
/// # Errors
/// A fault of the store.
pub(super) fn claim(
    tx: &mut Tx<'_>,
    ending: &EndContext<'_>,
    claim: &Claim,
    row: &Verification,
    movement: &Movement,
) -> Result<SettleResult, Fault> {
    let EndContext { owner, now, .. } = *ending;
    let origin = match row.link {
        None => Origin::Verification,
        Some(link) => {
            let given = (claim.was, claim.payment, claim.lock);
            match links::pay(tx, owner, link, given, now)? {
                Some(made) => origin_of(made),
                None => return leave_unclaimed(tx, ending, row, (link, movement)),
            }
        }
    };
    let charged = (origin, row.id);
    let posted = credits::post(tx, owner, account(row), row.cost, charged, now)?;
    if !movement.is_named {
        movements::name(tx, owner, row.identity, movement)?;
    }
    let charged = (account(row), row.cost);
    credits_events::of_charge(tx, owner, charged, row.id, &posted, now)?;
    let new = NewPayment {
        id: claim.payment,
        movement: movement.id,
        verification: row.id,
        bank: row.bank,
        actor: row.actor,
        client: row.caller_client,
        credit_cost: row.cost,
        params: row.query.clone(),
        is_by_payer: claim.is_by_payer,
        line: posted.line,
        updated_at: posted.updated_at,
    };
    payments::insert(tx, owner, &new, now)?;
    let receipt = receipt::issue(tx, owner, claim, (row, movement), now)?;
    let link = match row.link {
        Some(link) => Some(link_paid::paid(tx, owner, link, now)?),
        None => None,
    };
    add_up(tx, ending, row, (link.as_ref(), movement))?;
    let price = link.as_ref().and_then(paid_price);
    let payment = Payment { price, receipt, ..payment_of(new, row, movement, now) };
    let balance = posted.standing.balance;
    if let Some((link, events)) = link.as_ref().zip(ending.events) {
        let paid = (&payment, claim.livemode);
        link_paid::write_event(tx, ending, (link, events), paid, balance)?;
    }
    let Claim { first_report: reported_by, is_answered, .. } = *claim;
    let confirmation = Confirmation { payment: payment.id, reported_by, is_answered };
    verifications::confirm(tx, owner, row, confirmation, now)?;
    finish(tx, ending, row, (State::Confirmed, None), posted.request)?;
    Ok(SettleResult {
        settled: Settled { result: Ok(payment.id), is_new: claim.first_report.is_some() },
        payment: Some(payment),
        balance,
        had_ended: false,
    })
}

/// Ends a check whose link has ended meanwhile; the owner gets a notice of the money.
fn leave_unclaimed(
    tx: &mut Tx<'_>,
    ending: &EndContext<'_>,
    row: &Verification,
    (link, movement): (LinkId, &Movement),
) -> Result<SettleResult, Fault> {
    let settling = void(tx, ending, row, Failed::LinkClosed)?;
    let notice = Notice::link_money_unclaimed(link, movement.id);
    notices::notify(tx, ending.owner, notice_of(row.id), &notice, ending.now)?;
    Ok(settling)
}

/// The origin of the charge for a link that was made so.
const fn origin_of(link: links::Origin) -> Origin {
    match link {
        links::Origin::Api | links::Origin::Dashboard => Origin::PaymentLink,
        links::Origin::Subscription => Origin::Subscription,
    }
}

/// The payment, as it has just been written.
fn payment_of(new: NewPayment, row: &Verification, movement: &Movement, now: Timestamp) -> Payment {
    Payment {
        id: new.id,
        movement: movement.id,
        verification: row.id,
        bank: new.bank,
        actor: new.actor,
        client: new.client,
        charged_client: row.client,
        link: row.link,
        credit_cost: new.credit_cost,
        params: new.params,
        created_at: now,
        updated_at: new.updated_at,
        reference: movement.reference.shown().to_owned(),
        amount: movement.amount,
        paid_at: movement.paid_at.unwrap_or_else(|| movement.paid_on.start()),
        fingerprint: row.fingerprint.to_bytes(),
        is_by_payer: new.is_by_payer,
        price: None,
        receipt: None,
    }
}

/// Adds what is claimed to the sums of its day.
fn add_up(
    tx: &mut Tx<'_>,
    &EndContext { owner, now, .. }: &EndContext<'_>,
    row: &Verification,
    (link, movement): (Option<&Link>, &Movement),
) -> Result<(), Fault> {
    let claimed = Claimed {
        day: CaracasDate::of(now),
        price: statistics::price(link.map(|link| link.price), movement.amount),
        received: movement.amount,
        bank: row.bank,
        client: row.client,
        actor: row.actor,
        caller_client: row.caller_client,
    };
    payment_sums::add(tx, owner, &claimed)
}

/// The movement is claimed already: the same payment again, at no cost. Where this very call was
/// confirmed within the day and nobody received that, it is reported as new to this one.
fn repeat(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    payment: PaymentId,
) -> Result<SettleResult, Fault> {
    let payment = payments::find(tx, work.owner, payment)?;
    let payment = receipt::issue_after(tx, work.owner, payment, work.by_hand(row), work.now)?;
    let is_new = announce(tx, work, row, &payment)?;
    let ordinal = credits::void(tx, work.owner, account(row), row.cost)?;
    // This row has no first report of its own: that belongs to the one that claimed, to which the movement leads.
    let is_answered = work.is_answered();
    let confirmation = Confirmation { payment: payment.id, reported_by: None, is_answered };
    verifications::confirm(tx, work.owner, row, confirmation, work.now)?;
    finish(tx, &work.ending(), row, (State::Confirmed, None), ordinal)?;
    let balance = credits::balance(tx, work.owner)?;
    Ok(SettleResult {
        settled: Settled { result: Ok(payment.id), is_new },
        payment: Some(payment),
        balance,
        had_ended: false,
    })
}

/// The row was ended by another run, or by an earlier try of this one whose answer was lost.
fn ended_before(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
) -> Result<SettleResult, Fault> {
    let Some(id) = row.payment else {
        let failed = row
            .failed
            .clone()
            .ok_or_else(|| Fault::broken("an ended verification without a payment or a failure"))?;
        return Ok(SettleResult {
            settled: Settled { result: Err(failed), is_new: false },
            payment: None,
            balance: Credits::ZERO,
            had_ended: true,
        });
    };
    let payment = payments::find(tx, work.owner, id)?;
    let is_new = announce(tx, work, row, &payment)?;
    let balance = credits::balance(tx, work.owner)?;
    Ok(SettleResult {
        settled: Settled { result: Ok(payment.id), is_new },
        payment: Some(payment),
        balance,
        had_ended: true,
    })
}

/// Tells whether the call that asked is the one that gets the first report. A repeat by the same call gets the same
/// answer.
fn announce(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    payment: &Payment,
) -> Result<bool, Fault> {
    let first_report = work.first_report.filter(|_| work.is_awaited);
    let Some(first_report) = first_report else { return Ok(false) };
    let (of_store, of_account) = ((work.review, work.livemode), (work.owner, work.identity));
    if !may_get_first_report(payment, row.fingerprint, work.now)
        || in_review::is_report_in_doubt(tx, of_store, of_account, payment.created_at)?
    {
        return Ok(false);
    }
    verifications::announce(tx, work.owner, payment.verification, first_report)
}

/// Writes the activity entry of an attempt that has ended.
fn finish(
    tx: &mut Tx<'_>,
    ending: &EndContext<'_>,
    row: &Verification,
    (state, code): (State, Option<&str>),
    ordinal: i64,
) -> Result<(), Fault> {
    let EndContext { owner, provider, now, .. } = *ending;
    let latency = now.since(row.asked_at).as_micros();
    let entry = activity::Entry {
        created_at: now,
        request_type: request_type(row.link).to_owned(),
        provider: provider.to_owned(),
        bank: row.bank,
        status: state.as_str().to_owned(),
        error_code: code.map(str::to_owned),
        latency_us: i64::try_from(latency).unwrap_or(i64::MAX),
    };
    activity::insert(tx, owner, row.actor, row.month, ordinal, &entry, Some(row.id))
}

fn account(row: &Verification) -> credits::Account {
    credits::Account { actor: row.actor, client: row.client, month: row.month }
}
