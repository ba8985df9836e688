//! Granting credits, or taking some back.

use domain::ids::{EventId, OwnerId};
use domain::money::Credits;
use store::fault::{FaultKind, WriteError};
use store::{Lane, Meter, audit, credits, owners};

use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::changes::{Balance, changed};
use crate::credits_events;

/// Result of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// Whose credits they are.
    pub owner: OwnerId,
    /// The balance after it.
    pub balance: Credits,
}

/// How it ends inside the transaction.
enum End {
    Done(Credits),
    NoSuchOwner,
    TooSmall(i64),
    TooLarge,
}

/// Adds credits to an owner's balance by a line of the ledger; a negative amount takes some away,
/// but none that open verifications hold.
///
/// # Errors
/// [`AdminError`] says what stands against it.
pub async fn grant_credits(
    operator: &Operator<'_>,
    name: &OwnerName,
    amount: Credits,
) -> Result<Granted, AdminError> {
    if amount == Credits::ZERO
        || !(-Credits::MAX.get()..=Credits::MAX.get()).contains(&amount.get())
    {
        return Err(AdminError::Amount);
    }
    let owner = locate(operator, name).await?;
    let now = operator.now;
    let entry = audit_entry(operator, "GrantCredits", &owner);
    let event = EventId::new(operator.ids, now);
    let meter = Meter::default();
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        let Some(row) = owners::find(tx, owner)? else { return Ok(End::NoSuchOwner) };
        let balance = row.balance.saturating_add(amount.get());
        if balance < row.reserved {
            return Ok(End::TooSmall(row.balance.saturating_sub(row.reserved)));
        }
        if balance > Credits::MAX.get() {
            return Ok(End::TooLarge);
        }
        let Some(standing) = credits::grant(tx, owner, amount, now)? else {
            return Ok(End::NoSuchOwner);
        };
        let before = Balance(Credits::new(standing.balance.get().saturating_sub(amount.get())));
        let change = changed(&before, &Balance(standing.balance));
        audit::insert_change(tx, owner, &entry, &change, now)?;
        credits_events::of_grant(tx, owner, event, (amount, standing), now)?;
        Ok(End::Done(standing.balance))
    });
    match write.await {
        Ok(End::Done(balance)) => Ok(Granted { owner, balance }),
        Ok(End::NoSuchOwner) => Err(AdminError::NoSuchOwner(name.clone())),
        Ok(End::TooSmall(available)) => Err(AdminError::BalanceTooSmall { available }),
        Ok(End::TooLarge) => Err(AdminError::Amount),
        // The balance fell between the look and the change; the table's own rule held.
        Err(WriteError::Fault(fault)) if fault.kind() == FaultKind::Constraint => {
            Err(AdminError::BalanceTooSmall { available: 0 })
        }
        Err(error) => Err(error.into()),
    }
}
