//! The operation: `POST /auth/api-key`.

use domain::access::{Caller, CreateKey, Operation as _, client_permissions};
use domain::ids::{BankId, ClientId, KeyId, OwnerId};
use domain::keys::KeyText;
use domain::money::Credits;
use domain::permissions::{Permission, Permissions};
use domain::refusal::Refusal;
use domain::text::Text;
use domain::time::Timestamp;
use store::accounts::Account;
use store::idempotency::Slot;
use store::keys::{CLIENT_KEYS_MAX, KEYS_MAX, Key, NewKey};
use store::tx::Tx;
use store::{Lane, accounts, audit, clients, keys};

use super::{Issued, KeyRecord, check_end};
use crate::audit_entry::audited;
use crate::lineage::{IssuedList, issuer};
use crate::locator::Locator;
use crate::outcome::{Outcome, as_answer};
use crate::present::unchanged;
use crate::{Act, App, Error, changes, kept_answers};

/// A key's label.
pub type KeyName = Text<1, 120>;

/// Request for a key.
#[derive(Clone, Debug)]
pub struct KeyRequest {
    /// Its label.
    pub name: KeyName,
    /// Whose key it should be, if that was said; it can be the caller's owner only.
    pub user_id: Option<String>,
    /// The client that it should be bound to.
    pub client: Option<ClientId>,
    /// The accounts that it should be limited to; empty: all of its scope.
    pub selection: Vec<BankId>,
    /// What it should be allowed to do.
    pub permissions: Permissions,
    /// When it should end by itself; nothing: never, or with the key that issues it.
    pub expires_at: Option<Timestamp>,
    /// The most that it should be charged in a month. A client's key has its client's limit.
    pub monthly_credit_limit: Option<Credits>,
}

/// Everything that one transaction needs to issue a key.
#[derive(Clone)]
struct Issue {
    caller: Caller,
    key: NewKey,
    slot: Option<Slot>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Issues a key and shows its text, once. With an `Idempotency-Key` that was used before, nothing
/// is issued: the answer holds a secret and is not given again.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn create(
    app: &App,
    act: &Act<CreateKey>,
    request: KeyRequest,
    slot: Option<Slot>,
) -> Result<Issued, Error> {
    let owner = act.owner();
    if request.user_id.as_ref().is_some_and(|user| *user != owner.to_string()) {
        return Err(Refusal::Forbidden.into());
    }
    let client = act.caller().client().or(request.client);
    if client.is_some() && request.monthly_credit_limit.is_some() {
        return Err(Refusal::CreditLimitInherited.into());
    }
    let permissions = grantable(act.caller(), client, request.permissions)?;
    check_end(request.expires_at, act.now)?;
    let expires_at = last_end(act.caller(), request.expires_at)?;

    let text = KeyText::generate(&*app.ids);
    let id = KeyId::new(&*app.ids, act.now);
    let key = NewKey {
        id,
        name: request.name.into_string(),
        hash: text.hash(),
        hint: text.hint(),
        is_default: false,
        client,
        selection: request.selection,
        permissions,
        monthly_credit_limit: request.monthly_credit_limit,
        expires_at,
        issuer: issuer(act),
    };
    let record = KeyRecord::of(app, act, shown(&key, act.now));
    let entry = audited(app, act, id.to_string());
    let issue = Issue { caller: act.caller().clone(), key, slot, entry, now: act.now };

    let locator = Locator::of_key(text.hash());
    let job = move |tx: &mut Tx<'_>| as_answer(write(tx, owner, &issue));
    let write = app.store.write(act.meter(), Lane::Admission, owner, job);
    locator.around(&app.store, act.meter(), (owner, id.to_bytes()), write).await?;
    Ok(Issued { record, text, issued: IssuedList::default() })
}

/// Returns what the key may be given: nothing where a client's fixed permissions apply, and otherwise never more than
/// the issuer has. Issuing itself is only the owner's to give.
fn grantable(
    caller: &Caller,
    client: Option<ClientId>,
    asked: Permissions,
) -> Result<Permissions, Refusal> {
    if client.is_some() {
        return if asked.is_empty() {
            Ok(Permissions::NONE)
        } else {
            Err(Refusal::ClientPermissionsFixed)
        };
    }
    if let Caller::Key(issuer) = caller {
        if asked.contains(Permission::ApiKeys) {
            return Err(Refusal::OwnerSessionRequired);
        }
        let allowed = issuer.allowed();
        if let Some(missing) = asked.iter().find(|permission| !allowed.contains(*permission)) {
            return Err(Refusal::PermissionMissing(missing));
        }
    }
    Ok(asked)
}

/// When the key ends: as it was asked for, and no later than the key that issues it.
fn last_end(caller: &Caller, asked: Option<Timestamp>) -> Result<Option<Timestamp>, Refusal> {
    let issuers = match caller {
        Caller::Key(issuer) => issuer.expires_at,
        Caller::Nobody | Caller::Owner(_) | Caller::Employee(_) | Caller::Client(_) => None,
    };
    match (asked, issuers) {
        (Some(asked), Some(issuers)) if asked > issuers => {
            let problem = (
                "no debe ser después del fin de la llave que la emite",
                "must not be after the end of the key that issues it",
            );
            Err(Refusal::invalid("expires_at", problem))
        }
        (asked, issuers) => Ok(asked.or(issuers)),
    }
}

/// Tells whether a key bound to `client` may be limited to an account: it must be the owner's, outside the trash,
/// within the issuer's reach and the client's own.
pub(super) fn selectable(
    caller: &Caller,
    client: Option<ClientId>,
    account: Option<&Account>,
) -> bool {
    account.is_some_and(|account| {
        !account.is_trashed
            && caller.reaches(account.id, account.client)
            && (client.is_none() || client == account.client)
    })
}

fn write(tx: &mut Tx<'_>, owner: OwnerId, issue: &Issue) -> Outcome<()> {
    let Issue { caller, key, slot, entry, now } = issue;
    // What the issuer may give was decided by what it may do itself.
    unchanged(tx, caller, CreateKey::ENTRY, *now)?;
    let id = |made| KeyId::from_bytes(made).to_string();
    kept_answers::take(tx, owner, slot.as_ref(), key.id.to_bytes(), *now, id)?;
    let checked = check(tx, owner, issue);
    kept_answers::release_if_refused(tx, owner, slot.as_ref(), checked)?;
    keys::insert(tx, owner, key, *now)?;
    audit::insert_change(tx, owner, entry, &changes::made(&shown(key, *now)), *now)?;
    Ok(())
}

/// Checks that the key may be issued. A rotation of the default key, and nodes that issue at the same time, wait for
/// each other here, so that the answer holds until the key is written.
fn check(tx: &mut Tx<'_>, owner: OwnerId, issue: &Issue) -> Outcome<()> {
    let Issue { caller, key, .. } = issue;
    keys::lock_default(tx, owner)?;
    check_scope(tx, owner, caller, key)?;
    if let Some(client) = caller.client() {
        let own = i64::try_from(keys::list(tx, owner, Some(client))?.len());
        if own.is_ok_and(|own| own >= CLIENT_KEYS_MAX) {
            return Err(Refusal::KeyLimit { limit: CLIENT_KEYS_MAX }.into());
        }
    }
    let is_full = keys::count(tx, owner)? >= KEYS_MAX;
    if is_full { Err(Refusal::KeyLimit { limit: KEYS_MAX }.into()) } else { Ok(()) }
}

/// Checks what the key would be bound and limited to.
fn check_scope(tx: &mut Tx<'_>, owner: OwnerId, caller: &Caller, key: &NewKey) -> Outcome<()> {
    if let Some(client) = key.client {
        let client = clients::find(tx, owner, client)?.ok_or(Refusal::NotFound("client"))?;
        // What a client's key may do is fixed, and must be within what the issuer may do itself.
        if let Caller::Key(issuer) = caller {
            let given = client_permissions(client.payments_enabled);
            let allowed = issuer.allowed();
            let missing = given.iter().find(|permission| !allowed.contains(*permission));
            if let Some(missing) = missing {
                return Err(Refusal::PermissionMissing(missing).into());
            }
        }
    }
    for bank in &key.selection {
        let account = accounts::find(tx, owner, *bank)?;
        if !selectable(caller, key.client, account.as_ref()) {
            return Err(Refusal::AccountNotInClient.into());
        }
    }
    Ok(())
}

/// The record that the key will have.
fn shown(key: &NewKey, now: Timestamp) -> Key {
    Key {
        id: key.id,
        name: key.name.clone(),
        hint: key.hint.clone(),
        is_default: key.is_default,
        is_active: true,
        client: key.client,
        selection: key.selection.clone(),
        permissions: key.permissions,
        monthly_credit_limit: key.monthly_credit_limit.map(Credits::get),
        created_at: now,
        updated_at: now,
        expires_at: key.expires_at,
        last_use: None,
        issuer: key.issuer.clone(),
        issued_at: now,
    }
}

#[cfg(test)]
#[path = "create/tests.rs"]
mod tests;
