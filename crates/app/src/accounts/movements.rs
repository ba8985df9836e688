//! The operation: `GET /movements/{bank_id}`.

use std::sync::Arc;

use domain::access::ListMovements;
use domain::ids::BankId;
use domain::matching::Movement;
use domain::time::CaracasDate;
use store::accounts;
use store::movement_pages::{self, Shown};

use super::{reached, shown_since, unnamed_shown};
use crate::paging::{Page, Paging};
use crate::{Act, App, Error};

/// A page of what the bank has shown of an account.
#[derive(Clone, Debug)]
pub struct ListedMovements {
    /// A page of it.
    pub page: Page<Movement>,
    /// Whether money of the account exists.
    pub livemode: bool,
}

/// Lists what the bank has shown of an account, the latest days first.
///
/// # Errors
/// Not found where the caller does not reach the account, or a failure of the store.
pub async fn list_movements(
    app: &App,
    act: &Act<ListMovements>,
    id: BankId,
    paging: Paging,
) -> Result<ListedMovements, Error> {
    let owner = act.owner();
    let (caller, settings) = (act.caller().clone(), app.settings.clone());
    let banks = Arc::clone(&app.banks);
    let read = act.read(app, move |tx| {
        let account = reached(accounts::find(tx, owner, id)?, &caller)?;
        let unnamed = unnamed_shown(&settings, &account, &caller);
        let (since, days) = (shown_since(&account, &caller), paging.days());
        // What was paid before is not the client's either, whenever it was seen.
        let first = since.map_or(*days.start(), |since| CaracasDate::of(since).max(*days.start()));
        let days = first..=*days.end();
        let shown = Shown { identity: account.identity, days, since, unnamed };
        let page = movement_pages::page(tx, owner, &shown, paging.number.bounds())?;
        Ok(ListedMovements { page, livemode: !banks.is_sandbox(&account.provider) })
    });
    read.await
}
