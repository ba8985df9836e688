//! Choices of a person who accepts a movement.

use std::sync::Arc;

use domain::access::AcceptMovement;
use domain::ids::MovementId;
use domain::matching::Movement;
use domain::rates::owed;
use domain::refusal::Refusal;
use store::accounts::Account;
use store::payments::Payment;
use store::{accounts, links, movement_pages, payments};

use super::{LinkRecord, locks_of};
use crate::accounts::find_movements::USUAL_RULE;
use crate::accounts::reached;
use crate::verification::accept::find_rival;
use crate::{Act, App, Error};

/// A movement, and what it may be accepted as.
#[derive(Clone, Debug)]
pub struct ForMovement {
    /// The account that it came to.
    pub account: Account,
    /// The movement.
    pub movement: Movement,
    /// The payment that claims it already.
    pub payment: Option<Payment>,
    /// The payment that was made of a row which may be the same money: never where the movement itself is claimed.
    pub rival: Option<Payment>,
    /// The links of the account that it may pay, the newest first: none where it is claimed, or went out.
    pub links: Vec<LinkRecord>,
}

/// The movement, and the links of its account that asked for exactly its amount and take it now.
///
/// # Errors
/// Not found, also where the account is in the trash; or a failure of the store.
pub async fn for_movement(
    app: &App,
    act: &Act<AcceptMovement>,
    id: MovementId,
) -> Result<ForMovement, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let banks = Arc::clone(&app.banks);
    let rule = move |account: &Account| {
        banks.get(&account.provider).map_or(USUAL_RULE, |bank| bank.capabilities().rule)
    };
    let read = act.read(app, move |tx| {
        let not_found = Refusal::NotFound("movement");
        let account = reached(accounts::of_movement(tx, owner, id)?, &caller);
        let account = account.map_err(|_| not_found.clone())?;
        let movement = movement_pages::find(tx, owner, account.identity, id)?.ok_or(not_found)?;
        let payment = match movement.claimed {
            Some(payment) => Some(payments::find(tx, owner, payment)?),
            None => None,
        };
        let rival = match payment {
            Some(_) => None,
            None => find_rival(tx, owner, (account.identity, rule(&account)), &movement)?,
        };
        let rival = rival.map(|rival| payments::find(tx, owner, rival)).transpose()?;
        let mut owing = Vec::new();
        if payment.is_none() && movement.amount.is_positive() {
            for link in links::owing(tx, owner, account.id, movement.amount)? {
                let locks = locks_of(tx, owner, &link)?;
                let is_owed = owed(link.price, &locks, Some(movement.amount)).is_some();
                if is_owed && link.standing.takes_accepted(link.updated_at, now) {
                    owing.push(link);
                }
            }
        }
        Ok((account, movement, (payment, rival), owing))
    });
    let (account, movement, (payment, rival), owing) = read.await?;
    let links = owing.into_iter().map(|link| LinkRecord::of(app, owner, link, now)).collect();
    Ok(ForMovement { account, movement, payment, rival, links })
}
