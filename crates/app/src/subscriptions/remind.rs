//! Reminding the payer of a cycle: by an event to the owner's systems, which remind as they like, and by mail.
//!
//! Both are written in the transaction that has read that the cycle is open and not paid. A payment that comes later drops
//! the mail, if it has not been sent by then.

use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::language::Language;
use domain::links::{State, Status};
use domain::mail::{Letter, PAYMENT_REMINDER, REMINDERS_A_DAY, REMINDERS_A_DAY_TO_ONE};
use domain::subscriptions::{PayerAddress, PaymentReminder, StopAddress};
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::{Fact, ReminderDue};
use store::fault::Fault;
use store::links::{self, CycleOf, Link};
use store::subscription_cycles::{self, Cycle};
use store::subscriptions::Subscription;
use store::tx::Tx;
use store::{mails, owners, webhook_endpoints};

use crate::App;
use crate::credits_events::enqueue;
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
    let merchant = match owners::find(tx, owner)? {
        Some(merchant) if merchant.is_active => merchant_name(tx, owner, &merchant)?,
        // Nobody can pay one who may not use the service.
        _ => return Ok(true),
    };
    let reminder = reminder(app, (owner, of), (cycle.number, &link), merchant, now);
    report(tx, app, (owner, of), (number, day), (&link, &reminder), now)?;
    mail(tx, app, (owner, of), number, reminder, now)?;
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
    let page = PayerAddress { owner, page: of.page };
    PaymentReminder {
        merchant,
        what: link.description.clone(),
        price: link.price,
        due,
        until: due.plus_days(i32::from(of.terms.grace_days)),
        today: CaracasDate::of(of.clock.virtual_now(now)),
        url: format!("{}/pay/{}", app.settings.base_url, link.id),
        payer_url: Some(format!("{}{}", app.settings.base_url, page.path())),
        livemode: of.livemode,
    }
}

/// Reports that a payer is to be reminded, to the address where the owner is notified of its own affairs, if it has set
/// one. So it is of a client's subscription, too: the client has no such address, and sees no delivery that goes to it.
fn report(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, of): (OwnerId, &Subscription),
    (cycle, day): (CycleOf, i8),
    (link, reminder): (&Link, &PaymentReminder),
    now: Timestamp,
) -> Result<(), Fault> {
    let Some(endpoint) = webhook_endpoints::find(tx, owner)? else { return Ok(()) };
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
    enqueue(tx, owner, &endpoint, event, about, now)
}

/// Puts a mail to the payer into the outbox, where there is an address that wants it and has got none today. The owner's
/// payers get so many in a day and no more: nobody sends advertisements by reminders.
fn mail(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, of): (OwnerId, &Subscription),
    cycle: CycleOf,
    reminder: PaymentReminder,
    now: Timestamp,
) -> Result<(), Fault> {
    let email = of.customer.email.as_ref().filter(|_| !of.customer.is_mail_off);
    let Some(email) = email.filter(|_| app.mail.is_some()) else { return Ok(()) };
    // The day's first instant counts.
    let since = CaracasDate::of(now).start().minus(Duration::from_micros(1));
    let to_one = (PAYMENT_REMINDER, email.as_str());
    let is_full = mails::count_to(tx, owner, to_one, since, REMINDERS_A_DAY_TO_ONE)?
        >= REMINDERS_A_DAY_TO_ONE
        || mails::count(tx, owner, PAYMENT_REMINDER, since, REMINDERS_A_DAY)? >= REMINDERS_A_DAY;
    if is_full {
        return Ok(());
    }
    let stop = StopAddress { owner, subscription: of.id };
    let until = of.clock.real_of(of.terms.lapses_at(cycle.number));
    // Payers read Spanish, as on the links of their periods.
    let letter = (&Letter::PaymentReminder { reminder, stop }, Language::Es);
    let drafted = draft(app, (owner, owner.into()), email.as_str(), letter, (now, until));
    drafted.map_or(Ok(()), |mail| mails::insert(tx, owner, &mail))
}
