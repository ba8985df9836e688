//! The operation: `GET /v1/bank-pay-notifications`.

use domain::access::{Caller, ListNotifications};
use domain::ids::{BankId, OwnerId};
use domain::refusal::Refusal;
use domain::time::CaracasDate;
use store::accounts;
use store::notification_pages::{Notification, Part, of_accounts, of_owner};
use store::tx::Tx;

use crate::accounts::{Reached, reached, scope, shown_since};
use crate::outcome::Outcome;
use crate::paging::{Page, Paging, TOTAL_MAX};
use crate::{Act, App, Error};

/// How many entries are looked at for a page, all accounts of the caller's scope together.
const LOOKED_AT_MAX: i64 = 100_000;

/// Lists what banks have told of payments on the accounts that the caller reaches, or on one of
/// them, the newest first.
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
    let (limit, offset) = paging.number.limit_and_offset();
    let part = Part {
        from: paging.from.map(CaracasDate::start),
        to: paging.to.map(|day| day.plus_days(1).start()),
        limit,
        offset,
        count_max: TOTAL_MAX,
    };
    let read = act.read(app, move |tx| {
        let (entries, total) = match asked_for(tx, owner, &caller, bank)? {
            Some(banks) => {
                let accounts = i64::try_from(banks.len()).unwrap_or(i64::MAX);
                if accounts.saturating_mul(offset + limit) > LOOKED_AT_MAX {
                    return Err(too_far().into());
                }
                of_accounts(tx, owner, &banks, part)?
            }
            None => of_owner(tx, owner, part)?,
        };
        Ok(Page { entries, total })
    });
    read.await
}

/// The accounts to list of; nothing where it is all that the owner ever had.
fn asked_for(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    caller: &Caller,
    bank: Option<BankId>,
) -> Outcome<Option<Vec<Reached>>> {
    if let Some(bank) = bank {
        let account = reached(accounts::find(tx, owner, bank)?, caller)?;
        return Ok(Some(vec![(account.id, shown_since(&account, caller))]));
    }
    Ok(scope(tx, owner, caller)?)
}

fn too_far() -> Refusal {
    let problem = (
        "es demasiado lejana: diga un `user_bank_id`, o pida un rango de días más corto",
        "is too far: name a `user_bank_id`, or ask for a narrower range of days",
    );
    Refusal::invalid("page", problem)
}
