//! What the pages that name clients ask for: which there are, and what each is called.

use domain::access::ListClients;
use domain::ids::ClientId;
use store::clients;

use crate::{Act, App, Error};

/// How many clients are named at most. An owner who has more finds the others by their ids.
pub const NAMES_MAX: i64 = 1_000;

/// The owner's clients by name, the newest first.
///
/// # Errors
/// A failure of the store.
pub async fn names(app: &App, act: &Act<ListClients>) -> Result<Vec<(ClientId, String)>, Error> {
    let owner = act.owner();
    let page = app.store.look_up(act.meter(), move |tx| clients::page(tx, owner, (NAMES_MAX, 0)));
    let name = |client: clients::Client| (client.id, client.name);
    Ok(page.await?.into_iter().map(name).collect())
}
