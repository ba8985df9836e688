//! The operation: `GET /movements/{bank_id}`.

use domain::access::ListMovements;
use domain::ids::BankId;
use domain::matching::Movement;
use domain::refusal::Refusal;
use store::{accounts, movements};

use crate::paging::{Page, Paging, TOTAL_MAX};
use crate::{Act, App, Error};

/// Lists what the bank has shown of an account, the latest days first.
///
/// # Errors
/// Not found where the caller does not reach the account, or a failure of the store.
pub async fn list_movements(
    app: &App,
    act: &Act<ListMovements>,
    id: BankId,
    paging: Paging,
) -> Result<Page<Movement>, Error> {
    let owner = act.owner();
    let caller = act.caller().clone();
    let read = app.store.read(act.meter(), move |tx| {
        let found = accounts::find(tx, owner, id)?
            .filter(|account| !account.is_trashed && caller.reaches(account.id, account.client));
        let Some(account) = found else { return Ok(None) };
        let place = paging.limit_and_offset();
        let (entries, total) =
            movements::page(tx, owner, account.identity, paging.days(), place, TOTAL_MAX)?;
        Ok(Some(Page { entries, total }))
    });
    Ok(read.await?.ok_or(Refusal::UserBankNotFound)?)
}
