//! The operation: `POST /v1/paymentlink/{payment_link_id}/accept`.
//!
//! A person decides that a movement which the bank has shown is the payment of a link: money that
//! came late, money whose reference at the bank is not the one on the receipt, or one of several
//! movements that fit.

use std::sync::Arc;

use domain::access::{AcceptLink, Caller};
use domain::ids::{LinkId, MovementId};
use domain::refusal::Refusal;
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, accounts, audit, links, movements, payments};

use super::{LinkRecord, reached};
use crate::keys::audited;
use crate::verification::accept::{Acceptance, Accepted};
use crate::{Act, App, Error};

/// Pays a link with a movement of its account. The same again answers the paid link, at no cost.
///
/// # Errors
/// Link or movement not found; the link failed, is stopped, was paid, or ended more than a day ago; no
/// rate of its currency is known; the movement is of another amount, or claimed; credits refuse; or a
/// failure of the store.
pub async fn accept(
    app: &Arc<App>,
    act: &Act<AcceptLink>,
    id: LinkId,
    movement: MovementId,
) -> Result<LinkRecord, Error> {
    let (owner, now) = (act.owner(), act.now);
    let (inner, caller) = (Arc::clone(app), act.caller().clone());
    let acceptance = Acceptance::new(app, owner, act.request.received, now);
    let entry = audited(app, act, id.to_string());
    let accepted = app
        .store
        .write(act.meter(), Lane::Admission, owner, move |tx| {
            match write(tx, &inner, &acceptance, &caller, (id, movement))? {
                Ok(Accepted::Now) => audit::insert(tx, owner, &entry, now)?,
                Ok(Accepted::Before) => {}
                Err(refusal) => return Ok(Err(refusal)),
            }
            Ok(links::find(tx, owner, id)?.ok_or(super::NOT_FOUND))
        })
        .await?;
    Ok(LinkRecord::of(app, owner, accepted?, now))
}

/// Pays the link, unless something speaks against it.
fn write(
    tx: &mut Tx<'_>,
    app: &App,
    acceptance: &Acceptance,
    caller: &Caller,
    (id, movement): (LinkId, MovementId),
) -> Result<Result<Accepted, Refusal>, Fault> {
    let owner = acceptance.owner;
    let link = match reached(tx, owner, caller, id)? {
        Ok(link) => link,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(payment) = link.payment
        && payments::find(tx, owner, payment)?.movement == movement
    {
        return Ok(Ok(Accepted::Before));
    }
    let now = acceptance.now;
    if !link.standing.takes_accepted(link.updated_at, now) {
        return Ok(Err(Refusal::LinkTakesNoPayment(link.standing.status(now))));
    }
    let Some(owed) = link.price.owed() else { return Ok(Err(Refusal::RateNotAvailable)) };
    let account = accounts::find(tx, owner, link.bank)?;
    let account = account.ok_or_else(|| Fault::broken("a link without its account"))?;
    let Some(bank) = app.open_bank(&account.provider) else {
        return Ok(Err(Refusal::InvalidBankProvider));
    };
    let Some(movement) = movements::find_held(tx, owner, account.identity, movement)? else {
        return Ok(Err(Refusal::NotFound("movement")));
    };
    if movement.claimed.is_some() {
        return Ok(Err(Refusal::MovementClaimed));
    }
    if owed != movement.amount {
        let bank_amount = Some(movement.amount);
        return Ok(Err(Refusal::AmountNotValid { bank_amount }));
    }
    let rule = bank.capabilities().rule;
    acceptance.write(tx, app, &link, account, rule, &movement)
}
