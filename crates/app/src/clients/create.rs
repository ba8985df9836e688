//! The operation: `POST /v1/clients`.

use std::sync::Arc;

use domain::access::CreateClient;
use domain::ids::{ClientId, OwnerId};
use domain::language::Language;
use domain::payer::Document;
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::clients::{CLIENTS_MAX, NewClient};
use store::idempotency::Slot;
use store::tx::Tx;
use store::{audit, clients};

use super::{ClientName, ClientRecord, kept_document, kept_email};
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::{Act, App, Error, changes, kept_answers};

/// What a client is made from.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    /// Its name.
    pub name: ClientName,
    /// Where it is written to.
    pub email: Option<EmailAddress>,
    /// Its document.
    pub document: Option<Document>,
    /// Whether its keys may verify payments and make payment links.
    pub payments_enabled: bool,
}

/// Writes a new client as the body of an answer.
pub type Render = fn(&ClientRecord, Language) -> Vec<u8>;

/// Everything that one transaction needs to make a client.
struct Making {
    owner: OwnerId,
    new: NewClient,
    now: Timestamp,
    entry: audit::Entry,
    body: Vec<u8>,
    slot: Option<Slot>,
}

/// Makes a client without a quota; with an `Idempotency-Key` that was used before, answers what was answered then. Whose
/// payments are enabled, only the owner says.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn create(
    app: &Arc<App>,
    act: &Act<CreateClient>,
    request: ClientRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Vec<u8>, Error> {
    let (owner, now) = (act.owner(), act.now);
    if request.payments_enabled && !act.caller().may_let_in() {
        return Err(Refusal::OwnerSessionRequired.into());
    }
    let new = NewClient {
        id: ClientId::new(&*app.ids, now),
        name: request.name.into_string(),
        email: request.email.as_ref().map(kept_email),
        document: request.document.as_ref().map(kept_document),
        payments_enabled: request.payments_enabled,
    };
    let record = ClientRecord { client: new.made(now), accounts: Vec::new() };
    let making = Making {
        owner,
        entry: audited(app, act, new.id.to_string()),
        new,
        now,
        body: render(&record, act.request.language),
        slot,
    };
    let (inner, making) = (Arc::clone(app), Arc::new(making));
    let write = move |tx: &mut Tx<'_>| write(tx, &inner, &making);
    act.write_again(app, write).await
}

fn write(tx: &mut Tx<'_>, app: &App, making: &Making) -> Outcome<Vec<u8>> {
    let Making { owner, new, now, slot, .. } = making;
    if clients::find(tx, *owner, new.id)?.is_some() {
        // The same write again: its answer was lost.
        return Ok(making.body.clone());
    }
    let subject = new.id.to_bytes();
    kept_answers::once(tx, app, *owner, slot.as_ref(), subject, *now, |tx| make(tx, making))
}

fn make(tx: &mut Tx<'_>, making: &Making) -> Outcome<Vec<u8>> {
    let Making { owner, new, now, entry, body, .. } = making;
    if clients::count(tx, *owner)? >= CLIENTS_MAX {
        return Err(Refusal::ClientLimit { limit: CLIENTS_MAX }.into());
    }
    clients::insert(tx, *owner, new, *now)?;
    audit::insert_change(tx, *owner, entry, &changes::made(&new.made(*now)), *now)?;
    Ok(body.clone())
}
