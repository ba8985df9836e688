//! Reminding the payer of a cycle: by an event to the owner's systems, which remind as they like, and by mail.
//!
//! Both are written in the transaction that has read that the cycle is open and not paid. Whoever sends the mail looks
//! again, since a payment may have come between.

use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::language::Language;
use domain::links::{State, Status};
use domain::mail::{Letter, PAYMENT_REMINDER, REMINDERS_A_DAY, REMINDERS_A_DAY_TO_ONE};
use domain::secret::PersonalText;
use domain::subscriptions::{PayerAddress, PaymentReminder, StopAddress};
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::{Fact, ReminderDue};
use store::fault::Fault;
use store::links::{self, CycleOf, Link};
use store::owners::Owner;
use store::subscription_cycles::{self, Cycle};
use store::subscriptions::Subscription;
use store::tx::Tx;
use store::{mails, owners, subscriptions, webhook_endpoints};

use crate::App;
use crate::credits_events::enqueue;
use crate::links::LinkRecord;
use crate::mails::draft;
use crate::people::merchant_name;

/// Reminds of an open cycle; answers whether that is done: not while a payer is being checked, whose payment may end it.
/// Where the owner has ended or stopped the cycle's link, nobody can pay, and nobody is reminded.
///
/// # Errors
/// A fault of the store.
pub(super) fn remind(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, of): (OwnerId, &Subscription),
    (cycle, day): (&Cycle, i8),
    now: Timestamp,
) -> Result<bool, Fault> {
    let link = links::find(tx, owner, cycle.link)?;
    let link = link.ok_or_else(|| Fault::broken("a cycle without its link"))?;
    if link.standing.state == State::Pending && link.standing.is_checking {
        return Ok(false);
    }
    let number = CycleOf { subscription: of.id, number: cycle.number };
    subscription_cycles::remind(tx, owner, number, day, now)?;
    if link.standing.status(now) != Status::Pending {
        return Ok(true);
    }
    // Nobody can pay one who may not use the service.
    let Some(merchant) = owners::find(tx, owner)?.filter(|merchant| merchant.is_active) else {
        return Ok(true);
    };
    let name = merchant_name(tx, owner, &merchant)?;
    let reminder = reminder(app, (owner, of), (cycle.number, &link), name, now);
    let is_reported = report(tx, app, (owner, of), (number, day), (&link, &reminder), now)?;
    let is_mailed = mail(tx, app, (&merchant, owner, of), (number, &link), reminder, now)?;
    if is_reported || is_mailed {
        let until = of.clone().with_page_kept(now).page_until;
        subscriptions::keep_page(tx, owner, of, until, now)?;
    }
    Ok(true)
}

/// The reminder as it is said now, by the clock of the subscription.
fn reminder(
    app: &App,
    (owner, of): (OwnerId, &Subscription),
    (cycle, link): (u32, &Link),
    merchant: String,
    now: Timestamp,
) -> PaymentReminder {
    let due = of.terms.due_day(cycle);
    let (base_url, page) = (&app.settings.base_url, PayerAddress { owner, page: of.page });
    PaymentReminder {
        merchant,
        what: link.description.clone(),
        price: link.price,
        due,
        until: due.plus_days(i32::from(of.terms.grace_days)),
        today: CaracasDate::of(of.clock.virtual_now(now)),
        url: LinkRecord::url_of(base_url, link.id),
        payer_url: page.url(base_url),
        livemode: of.livemode,
    }
}

/// Reports that a payer is to be reminded, to the address where the owner is notified of its own affairs, if it has set
/// one; answers whether it has. So it is of a client's subscription, too: the client has no such address, and sees no delivery that goes to it.
fn report(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, of): (OwnerId, &Subscription),
    (cycle, day): (CycleOf, i8),
    (link, reminder): (&Link, &PaymentReminder),
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some(endpoint) = webhook_endpoints::find(tx, owner)? else { return Ok(false) };
    let due = ReminderDue {
        subscription: of.id,
        name: of.label(),
        customer: of.customer.name.as_str(),
        phone: of.customer.phone.as_str(),
        cycle: cycle.number.saturating_add(1),
        period: of.terms.schedule.period(cycle.number),
        day,
        link: link.id,
        reminder,
    };
    let event = EventId::new(app.ids.as_ref(), now);
    let about = (Fact::ReminderDue(due), of.id.to_bytes());
    enqueue(tx, owner, &endpoint, event, about, now).map(|()| true)
}

/// Puts a mail to the payer into the outbox, where there is an address that wants it and has got none today; answers whether
/// it did. The owner's payers get so many in a day and no more: nobody sends advertisements by reminders. Of test money
/// the owner alone is mailed, who tries it out.
fn mail(
    tx: &mut Tx<'_>,
    app: &App,
    (merchant, owner, of): (&Owner, OwnerId, &Subscription),
    (cycle, link): (CycleOf, &Link),
    reminder: PaymentReminder,
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some(email) = of.customer.email.as_ref().map(PersonalText::as_str) else {
        return Ok(false);
    };
    let is_meant = app.mail.is_some() && (of.livemode || email == merchant.email);
    if !is_meant || subscriptions::is_mail_stopped(tx, owner, email)? {
        return Ok(false);
    }
    // The day's first instant counts.
    let today = CaracasDate::of(now);
    let since = today.start().minus(Duration::from_micros(1));
    let to_one = (PAYMENT_REMINDER, email);
    if mails::count_to(tx, owner, to_one, since, REMINDERS_A_DAY_TO_ONE)? >= REMINDERS_A_DAY_TO_ONE
    {
        return Ok(false);
    }
    if mails::count(tx, owner, PAYMENT_REMINDER, since, REMINDERS_A_DAY)? >= REMINDERS_A_DAY {
        tracing::warn!(%owner, subscription = %of.id, "reminder not mailed: limit of the day");
        return Ok(false);
    }
    let stop = StopAddress { owner, subscription: of.id };
    // It says how many days are left, which is so today.
    let until = of.lapses_at(cycle.number).min(today.plus_days(1).start());
    // Payers read Spanish, as on the links of their periods.
    let letter = (&Letter::PaymentReminder { reminder, stop, link: link.id }, Language::Es);
    let Some(mail) = draft(app, (owner, owner.into()), email, letter, (now, until)) else {
        return Ok(false);
    };
    mails::insert(tx, owner, &mail).map(|()| true)
}
