//! The operation `POST /suscripcion/{address}/cancel`: a payer cancels its subscription, by its page.

use std::sync::Arc;

use domain::access::CancelByPayer;
use domain::ids::NoticeId;
use domain::notices::Notice;
use domain::subscriptions::PayerAddress;
use domain::time::Timestamp;
use store::subscriptions::Subscription;
use store::tx::Tx;
use store::{Lane, audit, notices};

use super::cancel::end_links;
use super::change::Held;
use super::payer_page::found;
use super::steps::catch_up;
use crate::audit_entry::audited;
use crate::outcome::{Outcome, as_answer};
use crate::{Act, App, Error};

/// Name of a payer in the audit trail: nobody else is known of the person who has the page.
const ACTOR: &str = "payer's page";

/// Cancels the subscription whose payer's page has that address: what is paid runs to its end, and else it ends at once.
/// The owner is notified. One that has ended, that ends since a cycle was not paid, or that its payer has canceled before,
/// stays as it is.
///
/// # Errors
/// Not found, also where the page is not open any more; not while a payer is being checked; or a failure of the store.
pub async fn cancel_by_payer(
    app: &Arc<App>,
    act: &Act<CancelByPayer>,
    address: PayerAddress,
) -> Result<(), Error> {
    let (owner, now) = (address.owner, act.now);
    let look = move |tx: &mut Tx<'_>| as_answer(found(tx, address, now).map(|of| of.id));
    let id = app.store.look_up(act.meter(), look).await??;
    catch_up(app, act.meter(), (owner, id), now).await?;
    let entry = audit::Entry { actor: ACTOR.to_owned(), ..audited(app, act, id.to_string()) };
    let notice = NoticeId::new(&*app.ids, now);
    let inner = Arc::clone(app);
    let job = move |tx: &mut Tx<'_>| as_answer(write(tx, &inner, address, (&entry, notice), now));
    Ok(app.store.write(act.meter(), Lane::Admission, owner, job).await??)
}

fn write(
    tx: &mut Tx<'_>,
    app: &App,
    address: PayerAddress,
    (entry, notice): (&audit::Entry, NoticeId),
    now: Timestamp,
) -> Outcome<()> {
    let owner = address.owner;
    let of = found(tx, address, now)?;
    if of.standing.end.is_some() || of.standing.ends_unpaid || of.canceled_by_payer {
        return Ok(());
    }
    let held = Held::take(tx, app, owner, of, now)?;
    let canceled = held.rules.clone().canceled_by_payer(now);
    end_links(tx, &held, &canceled)?;
    let (standing, canceled_by_payer) = (canceled.standing, true);
    let changed = Subscription { standing, canceled_by_payer, ..held.of.clone() };
    let said = Notice::subscription_canceled(changed.id, changed.livemode);
    held.write(tx, changed, entry)?;
    Ok(notices::notify(tx, owner, notice, &said, now)?)
}
