//! Who signs in with an e-mail address: it is one owner's or one employee's in the whole installation.

use domain::ids::{ActorId, EmployeeId, OwnerId};
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::fault::{Fault, FaultKind, WriteError};
use store::locators::{self, Kind, Located};
use store::tx::Tx;
use store::{Lane, Meter, Store, audit, employees};

use crate::outcome::Outcome;
use crate::people::{Account, email_hash};

/// Claims an address, unless somebody has claimed it; answers whose it is then. Written before the row that has the
/// address, so that every order of failure leaves at worst a claim that leads to nothing. One of an employee who was
/// removed is such, and stays one: it is taken over.
///
/// # Errors
/// What the store fails with.
pub(crate) async fn claim(
    store: &Store,
    meter: &Meter,
    email: &EmailAddress,
    to: Located,
) -> Result<Located, WriteError> {
    let hash = email_hash(email);
    let stale =
        store.look_up(meter, move |tx| stale(tx, &hash)).await.map_err(WriteError::Fault)?;
    let claim = move |tx: &mut Tx<'_>| {
        if let Some(subject) = stale {
            locators::release(tx, Kind::Email, &hash, subject)?;
        }
        if locators::claim(tx, Kind::Email, &hash, to)? {
            return Ok(to);
        }
        locators::find(tx, Kind::Email, &hash)?.ok_or_else(|| {
            Fault::new(
                FaultKind::Conflict,
                "an e-mail address was claimed and released concurrently",
            )
        })
    };
    store.write_shared(meter, claim).await
}

/// Whom an address leads to who will never sign in with it again.
fn stale(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<[u8; 16]>, Fault> {
    let Some(Located { owner, subject }) = locators::find(tx, Kind::Email, hash)? else {
        return Ok(None);
    };
    let employee = employees::find(tx, owner, EmployeeId::from_bytes(subject))?;
    Ok(employee.filter(|employee| employee.removed_at.is_some()).map(|_| subject))
}

/// Checks that an address still leads to the account that is about to sign in with it. The transaction that writes
/// the row asks this, and locks the claim: nobody releases it before the row can be seen. The owner's row alone would
/// not do, since that of an owner who is being made cannot be locked yet.
///
/// # Errors
/// A conflict where it leads to somebody else, that it was let go of, or a fault of the store.
pub(crate) fn check_claim(tx: &mut Tx<'_>, email: &EmailAddress, to: Located) -> Outcome<()> {
    match locators::lock(tx, Kind::Email, &email_hash(email))? {
        Some(located) if located == to => Ok(()),
        Some(_) => Err(Refusal::EmailTaken.into()),
        // Let go of in between: sent again, it is claimed again.
        None => Err(Refusal::RequestInProgress.into()),
    }
}

/// Lets an address go that leads to that person, unless the person signs in with it; answers whether it is let go.
/// Both are one transaction that locks the claim first, as the one does that writes the row, so that nobody signs in
/// with an address whose claim is gone. The person who asked for it has an entry in the audit trail, written with it.
///
/// # Errors
/// What the store fails with.
pub(crate) async fn release(
    store: &Store,
    meter: &Meter,
    (owner, person): (OwnerId, ActorId),
    email: &EmailAddress,
    entry: Option<(audit::Entry, Timestamp)>,
) -> Result<bool, WriteError> {
    let email = email.clone();
    let release = move |tx: &mut Tx<'_>| {
        let hash = email_hash(&email);
        let located = locators::lock(tx, Kind::Email, &hash)?;
        if located != Some(Located { owner, subject: person.to_bytes() }) {
            return Ok(false);
        }
        let account = Account::find(tx, owner, person.employee())?;
        if account.is_some_and(|account| account.has_email(&email)) {
            return Ok(false);
        }
        locators::release(tx, Kind::Email, &hash, person.to_bytes())?;
        if let Some((entry, now)) = &entry {
            audit::insert(tx, owner, entry, *now)?;
        }
        Ok(true)
    };
    store.write(meter, Lane::Completion, owner, release).await
}

/// Lets those of a person's addresses go that it does not sign in with. A claim that stays behind keeps the address
/// from others until the operator lets it go, so that a failure is noted and no more.
pub(crate) async fn settle(
    store: &Store,
    meter: &Meter,
    whose: (OwnerId, ActorId),
    addresses: &[EmailAddress],
) {
    for email in addresses {
        if let Err(error) = release(store, meter, whose, email, None).await {
            tracing::warn!(?error, "the locator of an address could not be looked at");
        }
    }
}
