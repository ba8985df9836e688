//! Sessions: signing in, going on, and ending.

mod end;
mod list;
mod login;
mod logout;
mod refresh;

use domain::ids::{OwnerId, SessionId};
use domain::secret::SecretText;
use domain::session::Session;
use domain::time::Timestamp;

pub use end::end;
pub use list::{Listed, list};
pub use login::login;
pub use logout::logout;
pub use refresh::refresh;
use store::owners::Owner;

use crate::me::User;
use crate::session_tokens::SessionClaim;
use crate::{App, Error};

/// A session that was opened or refreshed: the tokens that go on with it. They are nowhere else.
#[derive(Debug)]
pub struct Opened {
    /// What its requests are let in with.
    pub token: SecretText,
    /// What the next tokens are got with, once.
    pub refresh_token: SecretText,
    /// When the token ends.
    pub expires_at: Timestamp,
    /// Who signed in.
    pub user: User,
}

/// The tokens of the session's present turn.
fn opened(
    app: &App,
    id: OwnerId,
    owner: Owner,
    session_id: SessionId,
    session: &Session,
    now: Timestamp,
) -> Result<Opened, Error> {
    let claim = SessionClaim { owner: id, session: session_id };
    let internal = |error| Error::Internal(Box::new(error));
    let ends_at = session.token_expires_at(now);
    let (token, expires_at) = app.sessions.issue(claim, now, ends_at).map_err(internal)?;
    let refresh_token = app.sessions.issue_refresh(claim, session.turn).map_err(internal)?;
    Ok(Opened { token, refresh_token, expires_at, user: User::of_owner(id, owner) })
}
