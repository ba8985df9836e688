//! Who signs in with an e-mail address: it is one owner's or one employee's in the whole installation.

use domain::ids::{ActorId, EmployeeId, OwnerId};
use domain::text::EmailAddress;
use sha2::{Digest, Sha256};
use store::fault::{Fault, FaultKind, WriteError};
use store::locators::{self, Kind, Located};
use store::tx::Tx;
use store::{Meter, Store, employees};

use crate::sessions::Account;

/// How often a claim is looked at while changes of one person come one after another: a person has few tries.
const SETTLED_MAX: usize = 10;

/// The hash by which an address leads to whoever signs in with it.
pub(crate) fn email_hash(email: &EmailAddress) -> [u8; 32] {
    Sha256::digest(email.as_str()).into()
}

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

/// Lets an address go that somebody no longer signs in with. A claim that stays behind is taken over by whoever wants
/// the address, so that a failure is noted and no more.
pub(crate) async fn release(store: &Store, meter: &Meter, email: &str, subject: [u8; 16]) {
    let Ok(email) = EmailAddress::parse(email) else { return };
    let hash = email_hash(&email);
    let release = move |tx: &mut Tx<'_>| locators::release(tx, Kind::Email, &hash, subject);
    if let Err(error) = store.write_shared(meter, release).await {
        tracing::warn!(?error, "the locator of a former employee's address could not be deleted");
    }
}

/// What is left to do once a change of somebody's address has ended, whichever way: of these addresses the person keeps
/// the claim of the one that it signs in with, and lets the others go.
pub(crate) async fn settle(
    store: &Store,
    meter: &Meter,
    (owner, person): (OwnerId, ActorId),
    addresses: &[&EmailAddress],
) {
    let to = Located { owner, subject: person.to_bytes() };
    for email in addresses {
        if let Err(error) = settle_one(store, meter, (to, person.employee()), email).await {
            tracing::warn!(?error, "the locator of an address could not be looked at");
        }
    }
}

/// It is looked at again afterwards, since another change of the person may have come in between.
async fn settle_one(
    store: &Store,
    meter: &Meter,
    (to, employee): (Located, Option<EmployeeId>),
    email: &EmailAddress,
) -> Result<(), WriteError> {
    let signs_in = async || {
        let wanted = email.clone();
        let find = move |tx: &mut Tx<'_>| {
            let account = Account::find(tx, to.owner, employee)?;
            Ok(account.is_some_and(|account| account.has_email(&wanted)))
        };
        store.look_up(meter, find).await.map_err(WriteError::Fault)
    };
    let mut is_its_own = signs_in().await?;
    for _ in 0..SETTLED_MAX {
        if is_its_own {
            claim(store, meter, email, to).await?;
        } else {
            release(store, meter, email.as_str(), to.subject).await;
        }
        let former = std::mem::replace(&mut is_its_own, signs_in().await?);
        if former == is_its_own {
            break;
        }
    }
    Ok(())
}
