//! Subscriptions: what recurs, as it is kept. Their cycles are [`crate::subscription_cycles`].

mod row;

use domain::ids::{OwnerId, PayerPageId, SubscriptionId};
use domain::links::State;
use domain::subscriptions::{Calendar, TestClock, UnpaidPolicy};
use domain::time::Timestamp;

use crate::due::{self, Kind};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::{links, subscription_cycles};

pub use row::{Customer, Product, Subscription, search_text};
pub(crate) use row::{columns, currency, read, read_rules};

statements! {
    pub(crate) FIND = Sql::new(concat!(
        "select ",
        columns!(),
        " from subscriptions s where s.owner_id = $1 and s.id = $2",
    ));

    INSERT = Sql::new(
        "insert into subscriptions (owner_id, id, bank_id, actor_id, client_id, name, description, \
         product_name, product_code, customer_name, customer_phone, customer_code, amount, currency, \
         webhook_url, livemode, clock_ahead, period_unit, period_count, begins_on, anchor_day, pay_first, cycles, \
         lead_days, grace_days, has_trial, begun, skipped, paid, is_active, search, created_at, \
         updated_at, page_id, page_until, customer_email, reminder_mail_off, reminders, restarts, resumes_anew, unpaid_policy) values ($1, $2, $3, $4, \
         $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, $17, $18, $19, $20, $21, $22, $23, $24, $25, 0, 0, \
         0, $26, $27, $28, $28, $29, $30, $31, false, $32, '', false, $33)",
    );

    STAND = Sql::new(
        "update subscriptions set ended_as = $3, begun = $4, skipped = $5, canceled_from = $6, \
         paused_from = $7, paused_at = $8, updated_at = $9, canceled_by_payer = $10, page_until = $11, \
         is_active = $12, restarts = $13, resumes_on = $14, resumes_anew = $15, newest_settled = $16, \
         ends_unpaid = $17 where owner_id = $1 and id = $2",
    );

    OF_PAGE = Sql::new(concat!(
        "select ",
        columns!(),
        " from subscriptions s where s.owner_id = $1 and s.page_id = $2",
    ));

    KEEP_PAGE = Sql::new(
        "update subscriptions set page_until = $3, updated_at = $4 where owner_id = $1 and id = $2",
    );

    SET_PAGE = Sql::new(
        "update subscriptions set page_id = $3, updated_at = $4 where owner_id = $1 and id = $2",
    );

    SET_PRICE = Sql::new(
        "update subscriptions set amount = $3, updated_at = $4 where owner_id = $1 and id = $2",
    );

    SET_UNPAID_POLICY = Sql::new(
        "update subscriptions set unpaid_policy = $3, updated_at = $4 where owner_id = $1 and id = $2",
    );

    // A clock is never set back, and that of real money never at all.
    SET_CLOCK = Sql::new(
        "update subscriptions set clock_ahead = $3, updated_at = $4 \
         where owner_id = $1 and id = $2 and clock_ahead <= $3 and livemode = false",
    );

    MAIL_STOPPED = Sql::new(
        "select id from subscriptions where owner_id = $1 and customer_email = $2 and reminder_mail_off \
         limit 1",
    );

    STOP_MAIL = Sql::new(
        "update subscriptions set reminder_mail_off = true, updated_at = $3 \
         where owner_id = $1 and id = $2 and reminder_mail_off = false",
    );

    NOTE_PAID = Sql::new(
        "update subscriptions set paid = paid + 1, is_active = true, updated_at = $3, \
         newest_settled = case when newest_settled > $4 then newest_settled else $4 end \
         where owner_id = $1 and id = $2",
    );
}

/// Finds a subscription.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SubscriptionId,
) -> Result<Option<Subscription>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// Finds the subscription whose payer's page has that id.
///
/// # Errors
/// A fault of the store.
pub fn of_page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    page: PayerPageId,
) -> Result<Option<Subscription>, Fault> {
    tx.query_opt(&OF_PAGE, &[owner.into(), page.into()])?.map(|row| read(&row)).transpose()
}

/// Keeps the payer's page of a subscription open until then, and no shorter than it is: reminders do, and the owner who
/// gives its address out.
///
/// # Errors
/// A fault of the store.
pub fn keep_page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: &Subscription,
    until: Timestamp,
    now: Timestamp,
) -> Result<(), Fault> {
    if until <= of.page_until {
        return Ok(());
    }
    let params = [owner.into(), of.id.into(), until.into(), now.into()];
    tx.defer(&KEEP_PAGE, params, Expect::Rows(1))
}

/// Gives a subscription's page another id: by the former one nobody sees it any more.
///
/// # Errors
/// A fault of the store.
pub fn set_page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SubscriptionId,
    page: PayerPageId,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), page.into(), now.into()];
    tx.defer(&SET_PAGE, params, Expect::Rows(1))
}

/// Writes a new subscription, which is due at once for its first look.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, new: &Subscription) -> Result<(), Fault> {
    tx.defer(&INSERT, row::params(owner, new), Expect::Rows(1))?;
    due::insert(tx, owner, Kind::Subscription, new.id.to_bytes(), new.created_at)
}

/// Writes how a subscription stands, after a step or an act.
///
/// # Errors
/// A fault of the store.
pub fn stand(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: &Subscription,
    now: Timestamp,
) -> Result<(), Fault> {
    let standing = &of.standing;
    let params = [
        owner.into(),
        of.id.into(),
        standing.end.map(row::end_number).into(),
        i64::from(standing.begun).into(),
        i64::from(standing.skipped).into(),
        standing.canceled_from.map(i64::from).into(),
        standing.paused_from.map(i64::from).into(),
        standing.paused_from.map(|from| of.terms.begins_at(from)).into(),
        now.into(),
        of.canceled_by_payer.into(),
        of.page_until.into(),
        standing.is_active.into(),
        of.terms.schedule.restarts().to_string().into(),
        standing.resumes.map(|resumes| resumes.on.days()).into(),
        standing.resumes.is_some_and(|resumes| resumes.calendar == Calendar::New).into(),
        standing.newest_settled.map(i64::from).into(),
        standing.ends_unpaid.into(),
    ];
    tx.defer(&STAND, params, Expect::Rows(1))
}

/// Sets the price of the cycles that open from now on, in hundredths.
///
/// # Errors
/// A fault of the store.
pub fn set_price(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SubscriptionId,
    hundredths: i64,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), hundredths.into(), now.into()];
    tx.defer(&SET_PRICE, params, Expect::Rows(1))
}

/// Sets the consequence of what lapses from now on.
///
/// # Errors
/// A fault of the store.
pub fn set_unpaid_policy(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SubscriptionId,
    policy: UnpaidPolicy,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), policy.as_str().into(), now.into()];
    tx.defer(&SET_UNPAID_POLICY, params, Expect::Rows(1))
}

/// Sets the clock of a test subscription ahead.
///
/// # Errors
/// A fault of the store; a clock that is further ahead, or that of real money, is one.
pub fn set_clock(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SubscriptionId,
    clock: TestClock,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), clock.as_micros().into(), now.into()];
    tx.defer(&SET_CLOCK, params, Expect::Rows(1))
}

/// Notes that the person who is reminded by mail of a subscription wants no more of that. Mails that wait are judged again
/// when they are sent.
///
/// # Errors
/// A fault of the store.
pub fn stop_mail(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: &Subscription,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&STOP_MAIL, [owner.into(), of.id.into(), now.into()], Expect::Any)
}

/// Tells whether somebody has stopped the reminders that an owner mails to that address, of whichever subscription.
///
/// # Errors
/// A fault of the store.
pub fn is_mail_stopped(tx: &mut Tx<'_>, owner: OwnerId, email: &str) -> Result<bool, Fault> {
    Ok(tx.query_opt(&MAIL_STOPPED, &[owner.into(), email.into()])?.is_some())
}

/// Notes that the cycle of that link, which was just paid, is paid: it was not before. The subscription is due at once,
/// since another cycle may have waited for this one.
///
/// # Errors
/// A fault of the store.
pub fn note_paid(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    paid: subscription_cycles::Paid,
    now: Timestamp,
) -> Result<(), Fault> {
    let (id, number) = (paid.of.subscription, i64::from(paid.of.number));
    end_others(tx, owner, paid, now)?;
    subscription_cycles::note_paid(tx, owner, paid, now)?;
    let params = [owner.into(), id.into(), now.into(), number.into()];
    tx.defer(&NOTE_PAID, params, Expect::Rows(1))?;
    // A person may accept money for a subscription that was canceled since: nothing is to be done about that one.
    let lives = find(tx, owner, id)?.is_some_and(|found| found.standing.end.is_none());
    if !lives {
        return Ok(());
    }
    due::reschedule(tx, owner, Kind::Subscription, id.to_bytes(), now)
}

/// Cancels the other links of a cycle that is paid now: nobody is to pay it once more. A check of one that is under way
/// finds it closed.
fn end_others(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    paid: subscription_cycles::Paid,
    now: Timestamp,
) -> Result<(), Fault> {
    for mut link in links::pending_of(tx, owner, paid.of.subscription)? {
        if link.cycle == Some(paid.of) && link.id != paid.link {
            link.standing.state = State::Canceled;
            link.updated_at = now;
            links::end(tx, owner, &link)?;
        }
    }
    Ok(())
}
