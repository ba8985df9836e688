//! API keys: issuing, listing, showing, changing, rotating and revoking them.

mod change;
mod create;
mod list;
mod revoke;
mod rotate;
mod scope;
mod show;
#[cfg(test)]
mod tests;

use domain::access::Guarded;
use domain::ids::{KeyId, OwnerId};
use domain::keys::KeyText;
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::fault::Fault;
use store::keys;
use store::keys::Locked;
use store::tx::Tx;

pub use change::{KeyChange, change};
pub use create::{KeyName, KeyRequest, create};
pub use list::list;
pub use revoke::revoke;
pub use rotate::{rotate, rotate_default};
pub use scope::{KeyScope, set_scope};
pub use show::show;
pub use store::keys::Key;

use crate::lineage::{IssuedList, Reader, ShownIssuer};
use crate::{Act, App};

const NOT_FOUND: Refusal = Refusal::NotFound("api_key");

/// A key that was issued or rotated: its record, and the only time its text is shown.
#[derive(Debug)]
pub struct Issued {
    /// The record.
    pub record: KeyRecord,
    /// The text.
    pub text: KeyText,
    /// What lives of what the key has issued itself; nothing of a new one.
    pub issued: IssuedList,
}

/// A key's record as it is shown.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    /// Whose key it is.
    pub owner: OwnerId,
    /// The key.
    pub key: Key,
    /// Who got its present text, as far as the caller may know.
    pub issuer: ShownIssuer,
}

impl KeyRecord {
    /// The record for the caller, with the latest use that this node knows of.
    fn of<O: Guarded>(app: &App, act: &Act<O>, key: Key) -> Self {
        let owner = act.owner();
        let last_use = key.last_use.max(app.key_uses.latest(owner, key.id));
        let issuer = ShownIssuer::of(key.issuer.by, Reader::of(act));
        Self { owner, key: Key { last_use, ..key }, issuer }
    }

    /// The monthly limit of its own that is in force: none while it is bound to a client.
    #[must_use]
    pub fn limit_in_force(&self) -> Option<Credits> {
        let limit = self.key.monthly_credit_limit.filter(|_| self.key.client.is_none());
        limit.map(Credits::new)
    }
}

/// Locks a key of the owner that is about to be changed; nothing where it was revoked.
///
/// # Errors
/// A fault of the store.
fn lock_live(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId) -> Result<Option<Locked>, Fault> {
    Ok(keys::lock(tx, owner, id)?.filter(|locked| locked.revoked_at.is_none()))
}

/// Checks that the end of a key lies ahead.
fn check_end(expires_at: Option<Timestamp>, now: Timestamp) -> Result<(), Refusal> {
    if expires_at.is_some_and(|end| end <= now) {
        let problem = ("debe ser un instante futuro", "must be an instant in the future");
        return Err(Refusal::invalid("expires_at", problem));
    }
    Ok(())
}
