//! The operation: `PUT /v1/api-keys/{api_key_id}/scope`.

use domain::access::{Caller, SetKeyScope};
use domain::ids::{BankId, ClientId, KeyId, OwnerId};
use domain::permissions::Permissions;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::keys::{Key, Locked};
use store::tx::Tx;
use store::{accounts, audit, clients, keys};

use super::create::selectable;
use super::{KeyRecord, NOT_FOUND, lock_live};
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::{Act, App, Error, Precondition, changes};

/// Reach of a key: the client that it is bound to, and the accounts that it is limited to.
#[derive(Clone, Debug)]
pub struct KeyScope {
    /// The client; nothing where it is bound to none.
    pub client: Option<ClientId>,
    /// The accounts; empty: all of the client's, or of the owner's.
    pub selection: Vec<BankId>,
}

/// Replaces the scope of a key. With another client than before, or none, it has no permissions any more: those of a
/// client's key are fixed, and one that comes free does nothing until its owner says what it may. What changes nothing
/// leaves no line in the audit trail either.
///
/// # Errors
/// Not found, a client or an account that the key cannot be bound or limited to, the default key, what somebody else
/// has changed meanwhile; or a failure of the store.
pub async fn set_scope(
    app: &App,
    act: &Act<SetKeyScope>,
    id: KeyId,
    scope: KeyScope,
    precondition: Precondition<Key>,
) -> Result<KeyRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let entry = audited(app, act, id.to_string());
    let set = move |tx: &mut Tx<'_>| {
        write(tx, owner, (&caller, &entry), id, (&scope, &precondition), now)
    };
    let key = act.write(app, set).await?;
    Ok(KeyRecord::of(app, act, key))
}

fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (caller, entry): (&Caller, &audit::Entry),
    id: KeyId,
    (scope, precondition): (&KeyScope, &Precondition<Key>),
    now: Timestamp,
) -> Outcome<Key> {
    let Locked { mut key, .. } = lock_live(tx, owner, id)?.ok_or(NOT_FOUND)?;
    if key.is_default {
        return Err(Refusal::DefaultKeyScopeFixed.into());
    }
    precondition.check(&key)?;
    check(tx, owner, caller, scope)?;
    let former = key.clone();
    if key.client != scope.client {
        key.permissions = Permissions::NONE;
    }
    key.client = scope.client;
    key.selection.clone_from(&scope.selection);
    if key != former {
        key.updated_at = now;
        keys::set_scope(tx, owner, &key)?;
        audit::insert_change(tx, owner, entry, &changes::changed(&former, &key), now)?;
    }
    Ok(key)
}

/// Checks that the client is the owner's, and that each account is one which the key can be limited to.
fn check(tx: &mut Tx<'_>, owner: OwnerId, caller: &Caller, scope: &KeyScope) -> Outcome<()> {
    if let Some(client) = scope.client
        && clients::find(tx, owner, client)?.is_none()
    {
        return Err(Refusal::NotFound("client").into());
    }
    for bank in &scope.selection {
        let account = accounts::find(tx, owner, *bank)?;
        if !selectable(caller, scope.client, account.as_ref()) {
            return Err(Refusal::AccountNotInClient.into());
        }
    }
    Ok(())
}
