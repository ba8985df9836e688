//! What has had its day is forgotten: found across owners, then deleted owner by owner in small
//! slices, so that nothing else waits long.

use std::time::Duration;

use domain::fingerprint::Fingerprint;
use domain::ids::OwnerId;
use domain::time::Timestamp;
use domain::{mail, notices, session, sign_in, verification};
use store::fault::{Fault, WriteError};
use store::tx::Tx;
use store::{
    Lane, Meter, client_webhook_secrets, email_changes, idempotency, mails, password_resets,
    recent_calls, refused_attempts, sessions, sign_in_networks, unnamed_movements, webhook_secrets,
};

use crate::App;

/// How many rows one look finds, and how many one write deletes.
const FORGOTTEN_MAX: i64 = 500;

/// How long a mail that is over is left to a node that may be sending it.
const EXPIRED_MAIL_KEPT: Duration = Duration::from_secs(10 * 60);

/// Rows that are forgotten after a while.
#[derive(Clone, Copy, Debug)]
pub struct Old {
    /// What they are, for the log.
    pub what: &'static str,
    /// How long they are kept once they are over.
    kept: Duration,
    /// Owners that have some from up to an instant, so many of them looked at.
    owners: fn(&mut Tx<'_>, Timestamp, i64) -> Result<Vec<OwnerId>, Fault>,
    /// Deletes an owner's from up to an instant, at most so many; answers how many it changed.
    delete: fn(&mut Tx<'_>, OwnerId, Timestamp, i64) -> Result<u64, Fault>,
}

/// Everything that is forgotten.
pub const ALL: &[Old] = &[
    Old {
        what: "answers kept for an idempotency key",
        kept: verification::REPEAT,
        owners: idempotency::owners_with_expired,
        delete: idempotency::delete_expired,
    },
    Old {
        what: "sessions that are over",
        kept: session::RETENTION,
        owners: sessions::owners_with_over,
        delete: sessions::delete_over,
    },
    Old {
        what: "networks that nobody signs in from any more",
        kept: sign_in::NETWORK_KEPT,
        owners: sign_in_networks::owners_with_old,
        delete: sign_in_networks::delete_old,
    },
    Old {
        what: "notices to owners",
        kept: notices::RETENTION,
        owners: store::notices::owners_with_old,
        delete: store::notices::delete_old,
    },
    Old {
        what: "mails that nobody sends any more",
        kept: EXPIRED_MAIL_KEPT,
        owners: mails::owners_with_expired,
        delete: mails::give_up_expired,
    },
    Old {
        what: "mails",
        kept: mail::RETENTION,
        owners: mails::owners_with_old,
        delete: mails::delete_old,
    },
    Old {
        what: "links for another password that are over",
        kept: Duration::ZERO,
        owners: password_resets::owners_with_over,
        delete: password_resets::delete_over,
    },
    Old {
        what: "addresses that nobody confirmed",
        kept: Duration::ZERO,
        owners: email_changes::owners_with_over,
        delete: email_changes::delete_over,
    },
    Old {
        what: "questions that were refused",
        kept: verification::REFUSED_KEPT,
        owners: refused_attempts::owners_with_old,
        delete: refused_attempts::delete_old,
    },
    Old {
        what: "secrets of webhooks that were rotated away",
        kept: Duration::ZERO,
        owners: webhook_secrets::owners_with_over,
        delete: webhook_secrets::forget_over,
    },
    Old {
        what: "secrets of clients' webhooks that were rotated away",
        kept: Duration::ZERO,
        owners: client_webhook_secrets::owners_with_over,
        delete: client_webhook_secrets::forget_over,
    },
];

/// Forgets what is `old` by now.
///
/// # Errors
/// A failure of the store; what was not reached waits for the next time.
pub async fn sweep(app: &App, old: Old) -> Result<(), WriteError> {
    let meter = Meter::default();
    let until = app.clock.now().minus(old.kept);
    // Each look finds what the slices before left.
    let mut has_changed = true;
    loop {
        let look = move |tx: &mut Tx<'_>| (old.owners)(tx, until, FORGOTTEN_MAX);
        let owners = app.store.look_up(&meter, look).await.map_err(WriteError::Fault)?;
        if owners.is_empty() {
            return Ok(());
        }
        let (mut changed, mut failure) = (0_u64, None);
        for owner in owners {
            let delete = move |tx: &mut Tx<'_>| (old.delete)(tx, owner, until, FORGOTTEN_MAX);
            // One whose rows cannot be written holds up no other.
            match app.store.write(&meter, Lane::Maintenance, owner, delete).await {
                Ok(more) => changed = changed.saturating_add(more),
                Err(error) => failure = Some(error),
            }
        }
        if let Some(error) = failure.filter(|_| changed == 0) {
            return Err(error);
        }
        // Another node may have been faster. But what a second look finds and no slice takes, such as a row that was
        // altered from outside, would be found for ever.
        let had_changed = std::mem::replace(&mut has_changed, changed > 0);
        if changed == 0 && !had_changed {
            tracing::warn!(what = old.what, "some rows that are over cannot be forgotten");
            return Ok(());
        }
    }
}

/// Forgets movements that nobody asked about and nothing claimed, as long as the operator wants them kept.
///
/// # Errors
/// A failure of the store; what was not reached waits for the next time.
pub async fn sweep_movements(app: &App) -> Result<(), WriteError> {
    let old = Old {
        what: "movements that nobody asked about",
        kept: app.settings.movement_retention,
        owners: unnamed_movements::owners_with_old,
        delete: unnamed_movements::delete_old,
    };
    sweep(app, old).await
}

/// Forgets the calls that are known again no longer. Each is deleted by its key, because an owner may have had millions
/// within a day: to look through these for the old ones would keep other writes waiting.
///
/// # Errors
/// A failure of the store; what was not reached waits for the next time.
pub async fn sweep_recent_calls(app: &App) -> Result<(), WriteError> {
    let meter = Meter::default();
    let until = app.clock.now().minus(verification::REPEAT);
    loop {
        let look = move |tx: &mut Tx<'_>| recent_calls::find_old(tx, until, FORGOTTEN_MAX);
        let mut old = app.store.look_up(&meter, look).await.map_err(WriteError::Fault)?;
        if old.is_empty() {
            return Ok(());
        }
        old.sort_unstable_by_key(|(owner, _)| *owner);
        let (mut is_any_forgotten, mut failure) = (false, None);
        for calls in old.chunk_by(|(one, _), (other, _)| one == other) {
            let owner = calls[0].0;
            let calls: Vec<Fingerprint> = calls.iter().map(|(_, call)| *call).collect();
            let delete = move |tx: &mut Tx<'_>| recent_calls::delete_old(tx, owner, &calls, until);
            match app.store.write(&meter, Lane::Maintenance, owner, delete).await {
                Ok(()) => is_any_forgotten = true,
                Err(error) => failure = Some(error),
            }
        }
        if let Some(error) = failure.filter(|_| !is_any_forgotten) {
            return Err(error);
        }
    }
}
