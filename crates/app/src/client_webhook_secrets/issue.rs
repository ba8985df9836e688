//! The operation: `POST /v1/clients/{client_id}/webhook-secret`.

use std::sync::Arc;

use domain::access::IssueClientWebhookSecret;
use domain::ids::{AuditId, ClientId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{Overlap, WebhookSecret};
use store::idempotency::Slot;
use store::tx::Tx;
use store::webhook_secrets::Sealed;
use store::{audit, client_webhook_secrets, clients};

use super::{NOT_FOUND, place};
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::webhook_secrets::{ShownSecrets, of_previous, open_one, seal};
use crate::{Act, App, Error, kept_answers};

/// Everything that one transaction needs to give a client a secret.
struct Issue {
    owner: OwnerId,
    client: ClientId,
    /// The new secret, sealed: no two are alike, so that it also distinguishes this call from others.
    sealed: Vec<u8>,
    overlap: Overlap,
    slot: Option<Slot>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Gives the webhooks of a client's links a secret that signs them besides, and shows it. Where there was one, it is good
/// for as long as `overlap` says; what came before that one is over. With an `Idempotency-Key` that was used before,
/// nothing is made: the answer holds a secret and is not given again.
///
/// # Errors
/// Not found, a refusal, a failure of the store, or a former secret that the vault does not open, which an overlap of
/// nothing replaces even so.
pub async fn issue(
    app: &Arc<App>,
    act: &Act<IssueClientWebhookSecret>,
    client: ClientId,
    overlap: Overlap,
    slot: Option<Slot>,
) -> Result<ShownSecrets, Error> {
    let owner = act.owner();
    let secret = WebhookSecret::generate(&*app.ids);
    let issue = Arc::new(Issue {
        owner,
        client,
        sealed: seal(app, place(owner, &client.to_bytes()), &secret),
        overlap,
        slot,
        entry: audited(app, act, client.to_string()),
        now: act.now,
    });
    let inner = Arc::clone(app);
    let write = act.write_again(app, move |tx| write(tx, &inner, &issue));
    Ok(ShownSecrets { secret, previous_until: write.await? })
}

/// Answers until when the secret of before is good, if it is at all.
fn write(tx: &mut Tx<'_>, app: &App, issue: &Issue) -> Outcome<Option<Timestamp>> {
    let Issue { owner, client, sealed, overlap, slot, entry, now } = issue;
    let (owner, client, now) = (*owner, *client, *now);
    clients::find(tx, owner, client)?.ok_or(NOT_FOUND)?;
    let found = client_webhook_secrets::lock(tx, owner, client)?;
    if let Some(kept) = &found
        && kept.current == *sealed
    {
        // The same write again: its answer was lost.
        return Ok(kept.previous.as_ref().map(|(_, until)| *until));
    }
    let id = |made| AuditId::from_bytes(made).to_string();
    kept_answers::take(tx, owner, slot.as_ref(), entry.id.to_bytes(), now, id)?;
    let row = client.to_bytes();
    let place = place(owner, &row);
    let previous = match found.zip(overlap.from(now)) {
        Some((kept, until)) => {
            let former = open_one(app, place, &kept.current)?;
            Some((seal(app, of_previous(place), &former), until))
        }
        None => None,
    };
    let until = previous.as_ref().map(|(_, until)| *until);
    let kept = Sealed { current: sealed.clone(), previous };
    client_webhook_secrets::put(tx, owner, client, &kept, now)?;
    audit::insert(tx, owner, entry, now)?;
    Ok(until)
}
