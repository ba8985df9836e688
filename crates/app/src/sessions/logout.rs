//! The operation: `POST /auth/logout`.

use domain::access::Logout;
use store::{Lane, audit, sessions};

use crate::audit_entry::audited;
use crate::{Act, App, Error};

/// Ends the session that calls. None of its tokens opens anything once this has been answered.
///
/// # Errors
/// A failure of the store; ending it again is harmless.
pub async fn logout(app: &App, act: &Act<Logout>) -> Result<(), Error> {
    // The table admits sessions and nobody else.
    let Some(session) = act.caller().session() else { return Ok(()) };
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, session.to_string());
    app.store
        .write(act.meter(), Lane::Admission, owner, move |tx| {
            sessions::end(tx, owner, session, now)?;
            audit::insert(tx, owner, &entry, now)
        })
        .await?;
    Ok(())
}
