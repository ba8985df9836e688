//! Banks that do not answer now, account by account.

use std::time::Duration;

use domain::access::ListVerifications;
use domain::ids::{BankId, VerificationId};
pub use store::unresponsive_banks::Unresponsive;
use store::{accounts, bank_access, unresponsive_banks};

use crate::accounts::sees;
use crate::{Act, App, Error};

/// For how long a bank that did not answer is reported.
pub const REPORTED_FOR: Duration = Duration::from_secs(60 * 60);

/// How long a question may have been open that ended within that time.
const OPEN: Duration = Duration::from_secs(60 * 60);

/// The accounts that the caller sees whose bank did not answer when it was asked last, within the time for which that is
/// reported.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListVerifications>,
) -> Result<Vec<(BankId, Unresponsive)>, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let behind = VerificationId::last_of(now.minus(REPORTED_FOR).minus(OPEN));
    let read = app.store.read(act.meter(), move |tx| {
        let mut found = Vec::new();
        for account in accounts::list(tx, owner)? {
            if !sees(&account, &caller) {
                continue;
            }
            let latest = unresponsive_banks::of_account(tx, owner, account.id, behind)?;
            let Some(one) = latest.filter(|one| now.since(one.last) <= REPORTED_FOR) else {
                continue;
            };
            // Other credentials, with which the bank was asked whether it takes them, were an answer.
            let taken_at = bank_access::taken_at(tx, owner, account.id)?;
            if taken_at.is_none_or(|taken_at| taken_at <= one.last) {
                found.push((account.id, one));
            }
        }
        Ok(found)
    });
    Ok(read.await?)
}
