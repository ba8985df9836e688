//! The operation: `GET /v1/clients`.

use std::collections::HashMap;

use domain::access::ListClients;
use domain::ids::ClientId;
use domain::quota::Usage;
use domain::time::CaracasMonth;
use store::{accounts, clients, credits};

use super::{ClientRecord, of_client};
use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// Lists the owner's clients, the newest first, each with its accounts and what was used of its quota this month.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListClients>,
    page: PageNumber,
) -> Result<Page<ClientRecord>, Error> {
    let (owner, month) = (act.owner(), CaracasMonth::of(act.now));
    let read = app.store.read(act.meter(), move |tx| {
        let total = clients::count(tx, owner)?;
        let found = clients::page(tx, owner, page.limit_and_offset())?;
        // The ids of a page lie side by side, the newest first.
        let (accounts, used) = match (found.last(), found.first()) {
            (Some(oldest), Some(newest)) => (
                accounts::of_clients(tx, owner, oldest.id, newest.id)?,
                credits::clients_month(tx, owner, (oldest.id, newest.id), month)?,
            ),
            _ => (Vec::new(), Vec::new()),
        };
        let used: HashMap<ClientId, Usage> = used.into_iter().collect();
        let record = |client: clients::Client| {
            let accounts = of_client(&accounts, client.id);
            let usage = used.get(&client.id).copied().unwrap_or_default();
            ClientRecord { client, accounts, month, usage }
        };
        Ok(Page { entries: found.into_iter().map(record).collect(), total })
    });
    Ok(read.await?)
}
