//! Sessions that were over long ago are forgotten.

use domain::session::RETENTION;
use store::fault::WriteError;
use store::tx::Tx;
use store::{Lane, Meter, sessions};

use crate::App;

/// How many sessions one look finds, and how many one write deletes.
const FORGOTTEN_MAX: i64 = 500;

/// Deletes the rows of sessions that have been over for [`RETENTION`].
///
/// # Errors
/// A failure of the store; what was not reached waits for the next time.
pub async fn forget(app: &App) -> Result<(), WriteError> {
    let meter = Meter::default();
    let over_by = app.clock.now().minus(RETENTION);
    let look = move |tx: &mut Tx<'_>| sessions::owners_with_over(tx, over_by, FORGOTTEN_MAX);
    // In slices, so that nothing else waits long; each look finds what the slices before left.
    loop {
        let owners = app.store.look_up(&meter, look).await.map_err(WriteError::Fault)?;
        if owners.is_empty() {
            return Ok(());
        }
        for owner in owners {
            app.store
                .write(&meter, Lane::Maintenance, owner, move |tx| {
                    sessions::delete_over(tx, owner, over_by, FORGOTTEN_MAX)
                })
                .await?;
        }
    }
}
