//! Lasting things that notices are about, and whether they were undone.

use domain::ids::{EmployeeId, KeyId, OwnerId};
use domain::notices::{Lasting, READ_WITHIN};
use domain::time::Timestamp;
use store::fault::Fault;
use store::notices::ListedNotice;
use store::tx::Tx;
use store::{employees, keys};

/// Answers whether somebody has undone it, or it is over by itself. What nobody can undo, such as a secret that was seen,
/// is open until the owner dismisses it: whoever did it could say that it is settled otherwise.
pub(super) fn is_undone(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (lasting, notice): (Lasting, &ListedNotice),
    now: Timestamp,
) -> Result<bool, Fault> {
    let id = notice.subject.split(' ').next().unwrap_or_default();
    match lasting {
        Lasting::KeyIssued => match id.parse::<KeyId>() {
            Ok(key) => is_text_over(tx, owner, key, notice, now),
            Err(_) => Ok(false),
        },
        Lasting::PersonAdmitted => match id.parse::<EmployeeId>() {
            Ok(person) => {
                let found = employees::find(tx, owner, person)?;
                Ok(found.is_none_or(|person| person.removed_at.is_some()))
            }
            Err(_) => Ok(false),
        },
        // A rate without an end serves six days.
        Lasting::OwnRateChanged => Ok(notice.updated_at.plus(READ_WITHIN) <= now),
        Lasting::WebhookSecretSeen
        | Lasting::WebhookSecretRotated
        | Lasting::ReceiverChanged
        | Lasting::UnknownSignIn
        | Lasting::FormerKeyUsed => Ok(false),
    }
}

/// Answers whether the text that somebody got of the key opens nothing any more: the key was revoked or is over, or it has
/// got another text since.
fn is_text_over(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    key: KeyId,
    notice: &ListedNotice,
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some(key) = keys::find(tx, owner, key)? else { return Ok(true) };
    let is_over = key.expires_at.is_some_and(|ends| ends <= now);
    Ok(is_over || key.issued_at > notice.updated_at)
}
