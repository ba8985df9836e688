//! The operation: `POST /v1/api-keys/default/rotate`.
//!
//! The way to the new text is laid first, then the row changes to it, then the way from the old
//! text is taken away. Whatever fails in between, one text opens the key, and two never do: the row
//! has one hash.

use domain::access::RotateDefaultKey;
use domain::ids::{KeyId, OwnerId};
use domain::keys::{KeyHash, KeyText};
use domain::time::Timestamp;
use store::fault::{Fault, WriteError};
use store::keys::Key;
use store::locators::Located;
use store::tx::Tx;
use store::{Lane, audit, keys};

use super::{Issued, KeyRecord, audited, claim_locator, remove_locator};
use crate::{Act, App, Error};

/// How often a rotation whose commit was lost is looked at again.
const TRIES_MAX: usize = 3;

/// What a rotation did.
struct Rotated {
    key: Key,
    former: KeyHash,
}

/// Gives the default key a new text. The former one opens nothing from then on.
///
/// # Errors
/// A failure of the store. The former text may have ended even so; rotating again is safe.
pub async fn rotate_default(app: &App, act: &Act<RotateDefaultKey>) -> Result<Issued, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| keys::find_default(tx, owner)).await?;
    let id = found.ok_or_else(|| Fault::broken("an owner without a default key"))?;

    let text = KeyText::generate(&*app.ids);
    let hash = text.hash();
    let to = Located { owner, subject: id.to_bytes() };
    claim_locator(app, act.meter(), hash, to).await?;
    match write(app, act, id, &text).await {
        Ok(rotated) => {
            if rotated.former != hash {
                remove_locator(app, act.meter(), rotated.former).await;
            }
            Ok(Issued { record: KeyRecord { owner, key: rotated.key }, text })
        }
        // Perhaps it was applied: the way in must stay.
        Err(WriteError::Unknown) => Err(WriteError::Unknown.into()),
        Err(error) => {
            remove_locator(app, act.meter(), hash).await;
            Err(error.into())
        }
    }
}

/// Writes the new hash, and looks again where the answer of the commit was lost.
async fn write(
    app: &App,
    act: &Act<RotateDefaultKey>,
    id: KeyId,
    text: &KeyText,
) -> Result<Rotated, WriteError> {
    let (owner, now) = (act.owner(), act.now);
    let (hash, hint) = (text.hash(), text.hint());
    let entry = audited(app, act, id.to_string());
    let mut lost = false;
    for _ in 0..TRIES_MAX {
        let (hint, entry) = (hint.clone(), entry.clone());
        let job = move |tx: &mut Tx<'_>| {
            if lost && was_superseded(tx, owner, hash, &entry)? {
                return Ok(None);
            }
            replace(tx, owner, hash, &hint, &entry, now).map(Some)
        };
        match app.store.write(act.meter(), Lane::Admission, owner, job).await {
            Err(WriteError::Unknown) => lost = true,
            // A later try that failed does not say that the first one was not applied.
            Err(_) if lost => break,
            Ok(None) => break,
            Ok(Some(rotated)) => return Ok(rotated),
            Err(error) => return Err(error),
        }
    }
    Err(WriteError::Unknown)
}

/// Whether an earlier try was applied, and another rotation after it: that one takes away the way in from this one's
/// text, which must not come back.
fn was_superseded(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    hash: KeyHash,
    entry: &audit::Entry,
) -> Result<bool, Fault> {
    let (_, present) = keys::lock_default(tx, owner)?;
    Ok(present != hash && audit::exists(tx, owner, entry.id)?)
}

fn replace(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    hash: KeyHash,
    hint: &str,
    entry: &audit::Entry,
    now: Timestamp,
) -> Result<Rotated, Fault> {
    let (id, former) = keys::lock_default(tx, owner)?;
    // Equal hashes: an earlier try of this very rotation was applied.
    if former != hash {
        keys::replace_hash(tx, owner, id, hash, hint, now)?;
        audit::insert(tx, owner, entry, now)?;
    }
    let key = keys::find(tx, owner, id)?;
    let key = key.ok_or_else(|| Fault::broken("the default key was revoked"))?;
    Ok(Rotated { key, former })
}

#[cfg(test)]
mod tests {
    use domain::ids::AuditId;
    use domain::money::Credits;
    use domain::secret::SecretText;
    use domain::text::EmailAddress;
    use store::{Meter, Store};

    use super::*;
    use crate::admin::{NewOwner, Operator, create_owner};
    use crate::settings::PasswordCost;

    const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

    struct Sevens;

    impl domain::ids::IdSource for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn entry(id: u8) -> audit::Entry {
        audit::Entry {
            id: AuditId::from_bytes([id; 16]),
            actor: "session".to_owned(),
            action: "rotate_default_key",
            subject: "key".to_owned(),
            address: None,
        }
    }

    #[tokio::test]
    async fn a_rotation_that_another_came_after_is_not_made_again() {
        let store = Store::inline().unwrap();
        let password_cost = PasswordCost { memory_kib: 8, passes: 1 };
        let operator = Operator { store: &store, ids: &Sevens, now: NOW, password_cost };
        let new = NewOwner {
            email: EmailAddress::parse("ana@example.com").unwrap(),
            name: None,
            password: Some(SecretText::from("a password of a test")),
            credits: Credits::ZERO,
        };
        let owner = create_owner(&operator, new).await.unwrap().owner;
        let (first, second) = (KeyHash::from_bytes([1; 32]), KeyHash::from_bytes([2; 32]));
        let meter = Meter::default();
        let rotate = |hash, id| {
            store.write(&meter, Lane::Admission, owner, move |tx| {
                let superseded = was_superseded(tx, owner, hash, &entry(id))?;
                replace(tx, owner, hash, "hint", &entry(id), NOW)?;
                Ok(superseded)
            })
        };
        let asks = |hash, id| {
            store.write(&meter, Lane::Admission, owner, move |tx| {
                was_superseded(tx, owner, hash, &entry(id))
            })
        };
        // Not applied yet, and applied with nothing after it.
        assert!(!rotate(first, 1).await.unwrap());
        assert!(!asks(first, 1).await.unwrap());
        assert!(!rotate(second, 2).await.unwrap());
        assert!(asks(first, 1).await.unwrap());
        assert!(!asks(second, 2).await.unwrap());
    }
}
