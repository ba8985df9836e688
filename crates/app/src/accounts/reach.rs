//! Whether a caller reaches an account.

use domain::access::Guarded;
use domain::ids::BankId;
use domain::refusal::Refusal;
use store::accounts;

use crate::{Act, App, Error};

/// Checks that the caller reaches the account: whoever does not is to learn nothing else about its
/// request.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn check_reach<O: Guarded>(app: &App, act: &Act<O>, id: BankId) -> Result<(), Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    let reached = found.is_some_and(|account| {
        !account.is_trashed && act.caller().reaches(account.id, account.client)
    });
    if reached { Ok(()) } else { Err(Refusal::UserBankNotFound.into()) }
}
