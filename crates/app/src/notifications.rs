//! The operation: `GET /v1/bank-pay-notifications`.

use domain::access::{Caller, ListNotifications};
use domain::ids::{BankId, OwnerId};
use domain::refusal::Refusal;
use store::accounts;
use store::notification_pages::{self, Notification};
use store::scope::Scope;
use store::tx::Tx;

use crate::accounts::{reached, scope, scope_of};
use crate::outcome::Outcome;
use crate::paging::{Page, Paging};
use crate::{Act, App, Error};

/// How many entries are looked at for a page, all accounts of the caller's scope together.
const LOOKED_AT_MAX: i64 = 100_000;

/// Lists what banks have reported of payments on the accounts that the caller reaches, or on
/// one of them, the newest first.
///
/// # Errors
/// Not found where the caller does not reach the account that it names; a refusal where so many
/// accounts have to be looked at that the page is too far; or a failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListNotifications>,
    bank: Option<BankId>,
    paging: Paging,
) -> Result<Page<Notification>, Error> {
    let owner = act.owner();
    let caller = act.caller().clone();
    let (span, bounds) = (paging.span(), paging.number.bounds());
    let read = act.read(app, move |tx| {
        let scope = asked_for(tx, owner, &caller, bank)?;
        if let Scope::Accounts(scope) = &scope {
            let accounts = i64::try_from(scope.accounts.len()).unwrap_or(i64::MAX);
            if accounts.saturating_mul(bounds.offset + bounds.limit) > LOOKED_AT_MAX {
                return Err(too_far().into());
            }
        }
        Ok(notification_pages::page(tx, owner, &scope, &span, bounds)?)
    });
    read.await
}

/// Returns the scope to list: one account, where one is named, or all that the caller reaches.
fn asked_for(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    caller: &Caller,
    bank: Option<BankId>,
) -> Outcome<Scope> {
    let Some(bank) = bank else { return Ok(scope(tx, owner, caller)?) };
    let account = reached(accounts::find(tx, owner, bank)?, caller)?;
    Ok(Scope::Accounts(scope_of([account], caller)))
}

fn too_far() -> Refusal {
    let problem = (
        "es demasiado lejana: diga un `user_bank_id`, o pida un rango de días más corto",
        "is too far: name a `user_bank_id`, or ask for a narrower range of days",
    );
    Refusal::invalid("page", problem)
}
