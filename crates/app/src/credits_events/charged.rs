//! What charges and grants make true. They hold the owner's row already, so that of many at once each
//! sees what the one before has reported.

use domain::ids::{ActorId, ClientId, EventId, NoticeId, OwnerId, VerificationId};
use domain::money::Credits;
use domain::notices::{Kind, of_balance};
use domain::time::Timestamp;
use domain::webhooks::{Endpoint, EventKind, Fact, Used};
use store::credits::{Account, Posted, Standing};
use store::fault::Fault;
use store::tx::Tx;
use store::{clients, keys, notices, out_of_credits, webhook_endpoints};

use super::enqueue;

/// Reports what the charge of that verification has made true, if anything. A reservation reports
/// nothing, since it may be given back: it is the posting that is final.
///
/// # Errors
/// A fault of the store.
pub(crate) fn of_charge(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (account, cost): (Account, Credits),
    verification: VerificationId,
    posted: &Posted,
    now: Timestamp,
) -> Result<(), Fault> {
    let id = EventId::of_charge(verification, EventKind::LowBalance, now);
    notice_balance(tx, owner, id, (cost, cost), posted.standing, now)?;
    if !posted.is_notable() {
        return Ok(());
    }
    let Some(endpoint) = webhook_endpoints::find(tx, owner)? else { return Ok(()) };
    let event = |kind| EventId::of_charge(verification, kind, now);
    if posted.standing.is_low() {
        low_balance(tx, owner, &endpoint, event(EventKind::LowBalance), posted.standing, now)?;
    }
    if let Some(used) = posted.key {
        let event = event(EventKind::KeyLimitReached);
        key_limit(tx, owner, &endpoint, event, (account.actor, used), now)?;
    }
    if let Some((client, used)) = account.client.zip(posted.client) {
        let event = event(EventKind::ClientQuotaReached);
        client_quota(tx, owner, &endpoint, event, (client, used), now)?;
    }
    Ok(())
}

/// Reports that credits which were taken away have brought the balance to a level. After credits
/// were added, the levels below the balance are reported again.
///
/// # Errors
/// A fault of the store.
pub(crate) fn of_grant(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    event: EventId,
    (amount, standing): (Credits, Standing),
    now: Timestamp,
) -> Result<(), Fault> {
    let taken = Credits::new(amount.get().saturating_neg());
    notice_balance(tx, owner, event, (taken, Credits::new(1)), standing, now)?;
    if standing.low_balance_at.is_none() {
        return Ok(());
    }
    let Some(endpoint) = webhook_endpoints::find(tx, owner)? else { return Ok(()) };
    if standing.is_low() {
        return low_balance(tx, owner, &endpoint, event, standing, now);
    }
    webhook_endpoints::watch(tx, owner, &endpoint.levels, standing.balance)
}

/// Notifies the owner itself that what was `taken` has brought its balance below what it has chosen, or below what
/// the `next` charge costs.
fn notice_balance(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    (taken, next): (Credits, Credits),
    standing: Standing,
    now: Timestamp,
) -> Result<(), Fault> {
    let after = standing.balance;
    let before = Credits::new(after.get().saturating_add(taken.get()));
    let notice = of_balance((before, after), next, standing.notice_below, &id.to_string());
    let Some(notice) = notice else { return Ok(()) };
    if notice.kind == Kind::CreditsExhausted {
        out_of_credits::note(tx);
    }
    notices::notify(tx, owner, NoticeId::from_bytes(id.to_bytes()), &notice, now)
}

/// Reports the lowest level that the balance has come to, and watches for the next.
fn low_balance(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    endpoint: &Endpoint,
    event: EventId,
    standing: Standing,
    now: Timestamp,
) -> Result<(), Fault> {
    let (balance, available) = (standing.balance, standing.available());
    if let Some(level) = endpoint.levels.reached(balance) {
        let fact = Fact::LowBalance { level, balance, available };
        enqueue(tx, owner, endpoint, event, (fact, owner.to_bytes()), now)?;
    }
    webhook_endpoints::watch(tx, owner, &endpoint.levels, balance)
}

fn key_limit(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    endpoint: &Endpoint,
    event: EventId,
    (actor, used): (ActorId, Used),
    now: Timestamp,
) -> Result<(), Fault> {
    // Its links outlive a key, and no charge fails for what might be reported of it.
    let Some(id) = actor.key(owner) else { return Ok(()) };
    let Some(key) = keys::find(tx, owner, id)? else { return Ok(()) };
    let fact = Fact::KeyLimit { id, name: &key.name, used };
    enqueue(tx, owner, endpoint, event, (fact, id.to_bytes()), now)
}

fn client_quota(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    endpoint: &Endpoint,
    event: EventId,
    (id, used): (ClientId, Used),
    now: Timestamp,
) -> Result<(), Fault> {
    let Some(client) = clients::find(tx, owner, id)? else { return Ok(()) };
    let fact = Fact::ClientQuota { id, name: &client.name, used };
    enqueue(tx, owner, endpoint, event, (fact, id.to_bytes()), now)
}
