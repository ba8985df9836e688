//! The operation: `POST /me/webhook-secret/rotate`.

use std::sync::Arc;

use domain::access::RotateWebhookSecret;
use domain::ids::{AuditId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{Overlap, WebhookSecret};
use store::audit;
use store::idempotency::Slot;
use store::tx::Tx;
use store::webhook_secrets::{self, Sealed};

use super::{ShownSecrets, current_place, open_one, previous_place, seal};
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::{Act, App, Error, kept_answers};

/// Everything that one transaction needs to rotate.
struct Rotation {
    owner: OwnerId,
    /// The new secret, sealed: no two are alike, so that it also distinguishes this rotation from others.
    sealed: Vec<u8>,
    overlap: Overlap,
    slot: Option<Slot>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Gives the owner's webhooks another secret, and shows it. The one of before is good for as long as
/// `overlap` says; what came before that one is over. With an `Idempotency-Key` that was used before,
/// nothing is rotated: the answer holds a secret and is not given again.
///
/// # Errors
/// A refusal, a failure of the store, or a former secret that the vault does not open, which an
/// overlap of nothing replaces even so.
pub async fn rotate(
    app: &Arc<App>,
    act: &Act<RotateWebhookSecret>,
    overlap: Overlap,
    slot: Option<Slot>,
) -> Result<ShownSecrets, Error> {
    let owner = act.owner();
    let secret = WebhookSecret::generate(&*app.ids);
    let rotation = Arc::new(Rotation {
        owner,
        sealed: seal(app, current_place(owner), &secret),
        overlap,
        slot,
        entry: audited(app, act, owner.to_string()),
        now: act.now,
    });
    let inner = Arc::clone(app);
    let write = act.write_again(app, move |tx| write(tx, &inner, &rotation));
    Ok(ShownSecrets { secret, previous_until: write.await? })
}

/// Answers until when the secret of before is good, if it is at all.
fn write(tx: &mut Tx<'_>, app: &App, rotation: &Rotation) -> Outcome<Option<Timestamp>> {
    let Rotation { owner, sealed, overlap, slot, entry, now } = rotation;
    let (owner, now) = (*owner, *now);
    let found = webhook_secrets::lock(tx, owner)?;
    if let Some(kept) = &found
        && kept.current == *sealed
    {
        // The same write again: its answer was lost.
        return Ok(kept.previous.as_ref().map(|(_, until)| *until));
    }
    let id = |made| AuditId::from_bytes(made).to_string();
    let subject = entry.id.to_bytes();
    kept_answers::take(tx, owner, slot.as_ref(), subject, now, id)?;
    let former = match found {
        Some(kept) => Some(kept.current),
        // Perhaps somebody else makes the first one just now.
        None => Some(webhook_secrets::make(tx, owner, sealed, now)?.current)
            .filter(|made| made != sealed),
    };
    let until = former.as_ref().and_then(|_| overlap.from(now));
    let previous = match former.zip(until) {
        Some((former, until)) => {
            let secret = open_one(app, current_place(owner), &former)?;
            Some((seal(app, previous_place(owner), &secret), until))
        }
        None => None,
    };
    let kept = Sealed { current: sealed.clone(), previous };
    webhook_secrets::rotate(tx, owner, &kept, now)?;
    audit::insert(tx, owner, entry, now)?;
    Ok(until)
}
