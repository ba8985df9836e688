//! What whoever gets reminders by mail does about them: looks at the page that stops them, and stops them.

use domain::access::{StopReminderMail, ViewReminderStop};
use domain::subscriptions::StopAddress;
use domain::time::Timestamp;
use store::subscriptions::{self, Subscription};
use store::tx::Tx;
use store::{Lane, audit, owners};

use super::NOT_FOUND;
use crate::audit_entry::audited;
use crate::changes::{self, ReminderMailStops};
use crate::outcome::{Outcome, as_answer};
use crate::people::merchant_name;
use crate::{Act, App, Error};

/// Name in the audit trail of whoever has the address that a mail ended with.
const ACTOR: &str = "payer's mail";

/// Reminders by mail, as the page that stops them shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReminderStop {
    /// The merchant that has them sent; empty where it has no name.
    pub merchant: String,
    /// Whether they are stopped.
    pub is_stopped: bool,
}

/// Shows whose reminders an address stops.
///
/// # Errors
/// Not found, also where nothing is mailed about the subscription; or a failure of the store.
pub async fn view_reminder_stop(
    app: &App,
    act: &Act<ViewReminderStop>,
    address: StopAddress,
) -> Result<ReminderStop, Error> {
    act.read(app, move |tx| {
        let of = mailed(tx, address)?;
        let merchant = owners::find(tx, address.owner)?.ok_or(NOT_FOUND)?;
        let merchant = merchant_name(tx, address.owner, &merchant)?;
        Ok(ReminderStop { merchant, is_stopped: of.customer.is_mail_off })
    })
    .await
}

/// Stops the mails that remind of a subscription. Events of its reminders go on.
///
/// # Errors
/// Not found, also where nothing is mailed about the subscription; or a failure of the store.
pub async fn stop_reminder_mail(
    app: &App,
    act: &Act<StopReminderMail>,
    address: StopAddress,
) -> Result<(), Error> {
    let (owner, now) = (address.owner, act.now);
    // Looked at first, so that whoever guesses addresses causes no writes.
    let look = move |tx: &mut Tx<'_>| as_answer(mailed(tx, address));
    if app.store.look_up(act.meter(), look).await??.customer.is_mail_off {
        return Ok(());
    }
    let entry = audited(app, act, address.subscription.to_string());
    let entry = audit::Entry { actor: ACTOR.to_owned(), ..entry };
    let stop = move |tx: &mut Tx<'_>| as_answer(write(tx, address, &entry, now));
    Ok(app.store.write_again(act.meter(), Lane::Admission, owner, stop).await??)
}

fn write(
    tx: &mut Tx<'_>,
    address: StopAddress,
    entry: &audit::Entry,
    now: Timestamp,
) -> Outcome<()> {
    let of = mailed(tx, address)?;
    if of.customer.is_mail_off {
        return Ok(());
    }
    audit::insert_change(tx, address.owner, entry, &changes::made(&ReminderMailStops), now)?;
    Ok(subscriptions::stop_mail(tx, address.owner, &of, now)?)
}

/// The subscription of that address, about which mail is sent.
fn mailed(tx: &mut Tx<'_>, address: StopAddress) -> Outcome<Subscription> {
    let found = subscriptions::find(tx, address.owner, address.subscription)?;
    let found = found.filter(|of| of.customer.email.is_some());
    Ok(found.ok_or(NOT_FOUND)?)
}
