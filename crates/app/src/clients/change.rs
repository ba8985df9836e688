//! The operation: `PATCH /v1/clients/{client_id}`.

use domain::access::{Caller, ChangeClient};
use domain::ids::{ClientId, OwnerId};
use domain::payer::Document;
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use domain::time::{CaracasMonth, Timestamp};
use store::clients::Client;
use store::tx::Tx;
use store::{accounts, audit, clients, credits, email_changes, password_resets, sessions};

use super::names::check_distinct;
use super::{ClientName, ClientRecord, NOT_FOUND, kept_document, kept_email, of_client};
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::{Act, App, Error, changes};

/// Change of a client. Fields that it does not name stay.
#[derive(Clone, Debug, Default)]
pub struct ClientChange {
    /// Its name.
    pub name: Option<ClientName>,
    /// Where it is written to; the inner nothing: nowhere.
    pub email: Option<Option<EmailAddress>>,
    /// Its document; the inner nothing: none is known.
    pub document: Option<Option<Document>>,
    /// Whether its keys and sessions may use the service.
    pub is_active: Option<bool>,
    /// Whether its keys may verify payments and make payment links.
    pub payments_enabled: Option<bool>,
}

/// Changes a client. What was answered after that is decided by what it is now: no node accepts the keys of one that
/// is not active, and the sessions of its people are over. To switch one off or on, and to enable its payments or not,
/// asks for a proof. To switch one on again, or to enable its payments, is the owner's: its keys spend the owner's
/// credits. What changes nothing leaves no line in the audit trail either.
///
/// # Errors
/// Not found, a refusal, or a failure of the store.
pub async fn change(
    app: &App,
    act: &Act<ChangeClient>,
    id: ClientId,
    change: ClientChange,
) -> Result<ClientRecord, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, id.to_string());
    let (caller, proved) = (act.caller().clone(), act.proved(app));
    let write =
        move |tx: &mut Tx<'_>| write(tx, owner, &entry, id, (&change, &caller, &proved), now);
    act.write(app, write).await
}

fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    entry: &audit::Entry,
    id: ClientId,
    (change, caller, proved): (&ClientChange, &Caller, &Result<(), Refusal>),
    now: Timestamp,
) -> Outcome<ClientRecord> {
    let client = clients::find(tx, owner, id)?.ok_or(NOT_FOUND)?;
    let accounts = accounts::of_clients(tx, owner, id, id)?;
    let mut after = changed(client.clone(), change);
    if lets_in(&client, &after) && !caller.may_let_in() {
        return Err(Refusal::OwnerSessionRequired.into());
    }
    // It switches its people off or on, which asks where it is done one by one; payments are what they may spend.
    if after.is_active != client.is_active || after.payments_enabled != client.payments_enabled {
        proved.clone()?;
    }
    if after.name != client.name || after.document != client.document {
        check_distinct(tx, owner, &after)?;
    }
    if after != client {
        after.updated_at = now;
        clients::change(tx, owner, &after)?;
        if !after.is_active {
            sessions::end_of_client(tx, owner, id, now)?;
            password_resets::remove_of_client(tx, owner, id)?;
            email_changes::remove_of_client(tx, owner, id)?;
        }
        audit::insert_change(tx, owner, entry, &changes::changed(&client, &after), now)?;
    }
    let (client, month) = (after, CaracasMonth::of(now));
    let usage = credits::client_month(tx, owner, id, month)?.usage;
    Ok(ClientRecord { client, accounts: of_client(&accounts, id), month, usage })
}

/// Tells whether the client's keys and people may do afterwards what they may not before.
fn lets_in(before: &Client, after: &Client) -> bool {
    (after.is_active && !before.is_active) || (after.payments_enabled && !before.payments_enabled)
}

fn changed(mut client: Client, change: &ClientChange) -> Client {
    if let Some(name) = &change.name {
        name.as_str().clone_into(&mut client.name);
    }
    if let Some(email) = &change.email {
        client.email = email.as_ref().map(kept_email);
    }
    if let Some(document) = &change.document {
        client.document = document.as_ref().map(kept_document);
    }
    client.is_active = change.is_active.unwrap_or(client.is_active);
    client.payments_enabled = change.payments_enabled.unwrap_or(client.payments_enabled);
    client
}
