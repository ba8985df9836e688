//! API keys: issuing, listing, showing and rotating them.

mod create;
mod list;
mod rotate_default;
mod show;
#[cfg(test)]
mod tests;

use domain::ids::{AuditId, OwnerId};
use domain::keys::{KeyHash, KeyText};
use domain::money::Credits;
use store::keys::Key;
use store::locators::{Kind, Located};
use store::{Meter, audit, locators};

pub use create::{KeyName, KeyRequest, create};
pub use list::list;
pub use rotate_default::rotate_default;
pub use show::show;

use crate::access::name_of;
use crate::{Act, App, Error};

/// A key that was issued or rotated: its record, and the only time its text is told.
#[derive(Debug)]
pub struct Issued {
    /// The record.
    pub record: KeyRecord,
    /// The text.
    pub text: KeyText,
}

/// A key's record as it is shown.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    /// Whose key it is.
    pub owner: OwnerId,
    /// The key.
    pub key: Key,
}

impl KeyRecord {
    /// The monthly limit of its own that is in force: none while it is bound to a client.
    #[must_use]
    pub fn limit_in_force(&self) -> Option<Credits> {
        let limit = self.key.monthly_credit_limit.filter(|_| self.key.client.is_none());
        limit.map(Credits::new)
    }
}

/// Makes the text of a key lead to its row. Written before the row, so that every order of failure
/// leaves at worst a locator that leads to nothing.
async fn claim_locator(app: &App, meter: &Meter, hash: KeyHash, to: Located) -> Result<(), Error> {
    let hash = hash.to_bytes();
    app.store
        .write_shared(meter, move |tx| locators::claim(tx, Kind::ApiKey, &hash, to).map(drop))
        .await?;
    Ok(())
}

/// Removes a locator that leads nowhere any more. One that stays behind admits nobody, so that a
/// failure is noted and no more.
async fn remove_locator(app: &App, meter: &Meter, hash: KeyHash) {
    let hash = hash.to_bytes();
    let removed =
        app.store.write_shared(meter, move |tx| locators::remove(tx, Kind::ApiKey, &hash)).await;
    if let Err(error) = removed {
        tracing::warn!(?error, "the locator of a rotated or missing key could not be deleted");
    }
}

/// The line of the audit trail for what `act` does to `subject`.
pub(crate) fn audited<O: domain::access::Operation>(
    app: &App,
    act: &Act<O>,
    subject: String,
) -> audit::Entry {
    audit::Entry {
        id: AuditId::new(&*app.ids, act.now),
        actor: name_of(act.caller()),
        action: O::NAME,
        subject,
        address: act.request.address_shown(),
    }
}
