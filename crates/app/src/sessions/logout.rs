//! The operation: `POST /auth/logout`.

use domain::access::{Caller, Logout};
use store::{Lane, audit, sessions};

use crate::keys::audited;
use crate::{Act, App, Error};

/// Ends the session that calls. None of its tokens opens anything once this has been answered.
///
/// # Errors
/// A failure of the store; ending it again is harmless.
pub async fn logout(app: &App, act: &Act<Logout>) -> Result<(), Error> {
    // The table lets sessions in and nobody else.
    let Caller::Owner(caller) = *act.caller() else { return Ok(()) };
    let (owner, session, now) = (caller.owner, caller.session, act.now);
    let entry = audited(app, act, session.to_string());
    app.store
        .write(act.meter(), Lane::Admission, owner, move |tx| {
            sessions::end(tx, owner, session, now)?;
            audit::insert(tx, owner, &entry, now)
        })
        .await?;
    Ok(())
}
