//! The operation: `GET /me/plan`.

use domain::access::ShowPlan;
use domain::plans::Plan;
use store::plans;

use crate::{Act, App, Error};

/// Shows the owner's plan; nothing where it has none, which is active and limits nothing.
///
/// # Errors
/// A failure of the store.
pub async fn show(app: &App, act: &Act<ShowPlan>) -> Result<Option<Plan>, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| plans::of_owner(tx, owner)).await?;
    Ok(found.map(|(plan, _)| plan))
}
