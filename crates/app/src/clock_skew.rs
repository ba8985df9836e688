//! How far this node's clock is from the database's, by which other nodes go too.

use std::time::Duration;

use domain::time::SKEW_MAX;
use store::fault::Fault;

use crate::App;

/// Tells whether this node's clock is close enough to the database's to judge due times and leases of other nodes.
///
/// # Errors
/// A failure of the store to say what time it is there.
pub(crate) async fn is_clock_near_database(app: &App) -> Result<bool, Fault> {
    if !app.clock.is_of_the_world() {
        return Ok(true);
    }
    let skew = app.store.clock_skew(app.clock.now()).await?;
    Ok(Duration::from_micros(skew.unsigned_abs()) <= SKEW_MAX)
}
