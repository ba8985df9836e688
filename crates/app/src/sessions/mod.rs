//! Sessions: signing in, going on, and ending.

mod change_email;
mod change_password;
mod confirm_email;
pub(crate) mod email;
mod end;
mod extend;
mod list;
mod login;
mod logout;
mod refresh;
mod request_reset;
mod reset_password;

use domain::ids::SessionId;
use domain::secret::SecretText;
use domain::session::Session;
use domain::time::Timestamp;

pub use change_email::{Wished, change_email};
pub use change_password::change_password;
pub use confirm_email::{WantedEmail, confirm_email, look_at_email};
pub use end::end;
pub use extend::extend;
pub use list::{Listed, list};
pub use login::{Credentials, is_wrong, login, sign_in};
pub use logout::logout;
pub use refresh::refresh;
pub use request_reset::request_reset;
pub use reset_password::{look_at_reset, reset_password};

use crate::me::{PersonRecord, User};
use crate::people::Account;
use crate::session_tokens::SessionClaim;
use crate::{App, Error};

/// A session that was opened or refreshed: the tokens that go on with it. They are nowhere else.
#[derive(Debug)]
pub struct Opened {
    /// What its requests are authenticated with.
    pub token: SecretText,
    /// What the next tokens are got with, once.
    pub refresh_token: SecretText,
    /// When the token ends.
    pub expires_at: Timestamp,
    /// For whom the person works who signed in.
    pub user: User,
    /// Who signed in.
    pub person: PersonRecord,
}

/// The tokens of the session's present turn.
fn opened(
    app: &App,
    account: Account,
    session_id: SessionId,
    session: &Session,
    now: Timestamp,
) -> Result<Opened, Error> {
    let claim = SessionClaim { owner: account.owner_id, session: session_id };
    let internal = |error| Error::Internal(Box::new(error));
    let ends_at = session.token_expires_at(now);
    let issued = app.sessions.issue((claim, account.person()), now, ends_at);
    let (token, expires_at) = issued.map_err(internal)?;
    let refresh_token = app.sessions.issue_refresh(claim, session.turn).map_err(internal)?;
    let person = account.record();
    Ok(Opened { token, refresh_token, expires_at, user: account.into_user(), person })
}
