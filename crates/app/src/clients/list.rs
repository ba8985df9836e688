//! The operation: `GET /v1/clients`.

use domain::access::ListClients;
use store::{accounts, clients};

use super::{ClientRecord, of_client};
use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// Lists the owner's clients, the newest first, each with its accounts.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListClients>,
    page: PageNumber,
) -> Result<Page<ClientRecord>, Error> {
    let owner = act.owner();
    let read = app.store.read(act.meter(), move |tx| {
        let total = clients::count(tx, owner)?;
        let found = clients::page(tx, owner, page.limit_and_offset())?;
        // The ids of a page lie side by side, the newest first.
        let accounts = match (found.last(), found.first()) {
            (Some(oldest), Some(newest)) => accounts::of_clients(tx, owner, oldest.id, newest.id)?,
            _ => Vec::new(),
        };
        let record = |client: clients::Client| {
            let accounts = of_client(&accounts, client.id);
            ClientRecord { client, accounts }
        };
        Ok(Page { entries: found.into_iter().map(record).collect(), total })
    });
    Ok(read.await?)
}
