//! The operation: `GET /v1/clients/{client_id}`.

use domain::access::ShowClient;
use domain::ids::ClientId;
use domain::time::CaracasMonth;
use store::{accounts, clients, credits};

use super::{ClientRecord, NOT_FOUND, of_client};
use crate::{Act, App, Error};

/// Shows a client of the owner with its accounts, and what was used of its quota this month.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowClient>, id: ClientId) -> Result<ClientRecord, Error> {
    let (owner, month) = (act.owner(), CaracasMonth::of(act.now));
    let read = app.store.look_up(act.meter(), move |tx| {
        let Some(client) = clients::find(tx, owner, id)? else { return Ok(None) };
        let accounts = accounts::of_clients(tx, owner, id, id)?;
        let usage = credits::client_month(tx, owner, id, month)?.usage;
        Ok(Some(ClientRecord { client, accounts: of_client(&accounts, id), month, usage }))
    });
    Ok(read.await?.ok_or(NOT_FOUND)?)
}
