//! The checks of a link, for a person who wants to know what its payers have tried.

use domain::access::ShowVerification;
use domain::ids::{LinkId, VerificationId};
use domain::links::ATTEMPTS_MAX;
use domain::time::Timestamp;
use domain::verification::{Failed, State};
use store::{links, refused_attempts, verifications};

use super::{NOT_FOUND, within_reach};
use crate::verification::refused::Refused;
use crate::verification::{Asked, shown_to};
use crate::{Act, App, Error};

/// A check of a link, as its owner sees it.
#[derive(Clone, Debug)]
pub struct LinkCheck {
    /// Its id.
    pub id: VerificationId,
    /// When the payer asked.
    pub asked_at: Timestamp,
    /// How far it is.
    pub state: State,
    /// How it ended without a payment.
    pub failed: Option<Failed>,
    /// What the payer typed.
    pub asked: Asked,
}

/// Attempts of payers at a link.
#[derive(Clone, Debug, Default)]
pub struct LinkAttempts {
    /// The checks, the latest first.
    pub checks: Vec<LinkCheck>,
    /// Those that plan, limits or balance refused, the latest first.
    pub refused: Vec<Refused>,
}

/// The latest checks of a link that the caller reaches: of either kind as many as an hour allows.
///
/// # Errors
/// Not found, also where it is of an account out of reach; or a failure of the store.
pub async fn attempts(
    app: &App,
    act: &Act<ShowVerification>,
    id: LinkId,
) -> Result<LinkAttempts, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let limit = i64::try_from(ATTEMPTS_MAX).unwrap_or(i64::MAX);
    let read = act.read(app, move |tx| {
        let link = links::find(tx, owner, id)?.ok_or(NOT_FOUND)?;
        let livemode = within_reach(tx, owner, &caller, link)?.livemode;
        let mut attempts = LinkAttempts::default();
        for row in verifications::of_link(tx, owner, id, limit)? {
            let asked = Asked::from_json(row.query.as_str())?;
            let (state, failed) = (row.state, shown_to(&caller, row.failed));
            attempts.checks.push(LinkCheck {
                id: row.id,
                asked_at: row.asked_at,
                state,
                failed,
                asked,
            });
        }
        let newest = VerificationId::from_bytes([u8::MAX; 16]);
        for row in refused_attempts::look(tx, owner, newest, Some(id), limit)? {
            attempts.refused.push(Refused::of(owner, &row, livemode)?);
        }
        Ok(attempts)
    });
    read.await
}
