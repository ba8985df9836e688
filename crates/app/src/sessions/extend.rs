//! A browser's session goes on while it is used, as one of tokens does when it is refreshed.

use std::time::Duration;

use domain::ids::{OwnerId, SessionId};
use domain::session::{Refresh, Session};
use domain::time::Timestamp;
use store::{Lane, Meter, sessions};

use crate::{App, Error};

/// How old a turn is that a request ends: a page costs no write but once in that time.
const TURN_AGE: Duration = Duration::from_secs(60 * 60);

/// Begins the next turn of a session whose present one is old enough; it ends so much later.
///
/// # Errors
/// A failure of the store.
pub async fn extend(
    app: &App,
    meter: &Meter,
    (owner, id): (OwnerId, SessionId),
    seen: &Session,
    now: Timestamp,
) -> Result<(), Error> {
    if now < seen.turned_at.plus(TURN_AGE) {
        return Ok(());
    }
    let turn = seen.turn;
    let write = app.store.write(meter, Lane::Admission, owner, move |tx| {
        let Some((session, _)) = sessions::lock(tx, owner, id)? else { return Ok(()) };
        // Another request was first, or the session has ended.
        match session.refresh(turn, now) {
            Refresh::Next(next) => sessions::turn(tx, owner, id, &next),
            Refresh::Again | Refresh::Reused | Refresh::Over => Ok(()),
        }
    });
    Ok(write.await?)
}
