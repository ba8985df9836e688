//! The operation: `POST /auth/refresh`.
//!
//! A refresh token says the session and the number of a turn, and is signed; the row says which
//! turn is the present one. So the token of a turn can be made again for a client that did not
//! receive the answer, although none is kept, and one that comes too late is known for what it is.

use domain::access::RefreshSession;
use domain::ids::AuditId;
use domain::refusal::{BadCredentials, Refusal};
use domain::secret::SecretText;
use domain::session::{Refresh, Session};
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, audit, sessions};

use super::{Opened, opened};
use crate::people::Account;
use crate::session_tokens::SessionClaim;
use crate::{Act, App, Error};

/// The outcome of a refresh.
enum Refreshed {
    /// The session goes on.
    Open(Session, Box<Account>),
    /// It does not, and nothing was changed.
    Refused(Refusal),
    /// The token was used before, and the session has been ended for it.
    Ended,
}

/// Changes a refresh token for a session token and the next refresh token. One that was used before
/// ends its session, no matter who sends it.
///
/// # Errors
/// A refusal, the same for every token that is good for nothing; or a failure of the store. After a
/// failure the same token can be sent again.
pub async fn refresh(
    app: &App,
    act: &Act<RefreshSession>,
    token: &SecretText,
) -> Result<Opened, Error> {
    let unknown = Refusal::Unauthorized(BadCredentials::Unknown);
    // By the clock of the write: a call that was long in coming is not older than its answer.
    let now = app.clock.now();
    let Some((claim, turn)) = app.sessions.check_refresh(token.expose(), now) else {
        return Err(unknown.into());
    };
    let SessionClaim { owner, session: id } = claim;
    let entry = audit::Entry {
        id: AuditId::new(&*app.ids, now),
        actor: id.to_string(),
        // Known once the session's row is.
        employee: None,
        action: "RefreshTokenReused",
        subject: id.to_string(),
        address: act.request.address_shown(),
    };
    let refreshed = app
        .store
        .write(act.meter(), Lane::Admission, owner, move |tx| write(tx, claim, turn, &entry, now))
        .await?;
    match refreshed {
        Refreshed::Open(session, account) => opened(app, *account, id, &session, now),
        Refreshed::Refused(refusal) => Err(refusal.into()),
        Refreshed::Ended => {
            tracing::warn!(session = %id, "session ended: a refresh token was used a second time");
            Err(unknown.into())
        }
    }
}

fn write(
    tx: &mut Tx<'_>,
    claim: SessionClaim,
    turn: i64,
    entry: &audit::Entry,
    now: Timestamp,
) -> Result<Refreshed, Fault> {
    let SessionClaim { owner, session: id } = claim;
    let unknown = Refreshed::Refused(Refusal::Unauthorized(BadCredentials::Unknown));
    let Some((session, employee)) = sessions::lock(tx, owner, id)? else { return Ok(unknown) };
    let Some(account) = Account::find(tx, owner, employee)? else { return Ok(unknown) };
    match session.refresh(turn, now) {
        Refresh::Over => Ok(unknown),
        Refresh::Reused => {
            sessions::end(tx, owner, id, now)?;
            audit::insert(tx, owner, &audit::Entry { employee, ..entry.clone() }, now)?;
            Ok(Refreshed::Ended)
        }
        Refresh::Again => Ok(going_on(session, account)),
        Refresh::Next(next) => {
            if account.check_active().is_ok() {
                sessions::turn(tx, owner, id, &next)?;
            }
            Ok(going_on(next, account))
        }
    }
}

fn going_on(session: Session, account: Account) -> Refreshed {
    match account.check_active() {
        Ok(()) => Refreshed::Open(session, Box::new(account)),
        Err(refusal) => Refreshed::Refused(refusal),
    }
}
