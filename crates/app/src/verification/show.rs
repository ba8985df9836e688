//! The operation: `GET /v1/verifications/{verification_id}`.

use std::sync::Arc;

use domain::access::{Caller, ShowVerification};
use domain::ids::VerificationId;
use domain::refusal::Refusal;
use domain::verification::Failed;
use store::verifications::Verification;
use store::{accounts, verifications};

use super::whole::{Around, Whole, whole};
use crate::accounts::sees;
use crate::{Act, App, Error};

/// A verification as it is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its row.
    pub row: Verification,
    /// The payment that it claimed or found claimed.
    pub payment: Option<Whole>,
    /// Whether money of its account exists.
    pub livemode: bool,
}

/// Shows a verification of an account that the caller reaches; to a client's caller, one that its client made.
///
/// # Errors
/// Not found, also where it is of an account out of reach; or a failure of the store.
pub async fn show(
    app: &App,
    act: &Act<ShowVerification>,
    id: VerificationId,
) -> Result<Shown, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let (banks, base_url) = (Arc::clone(&app.banks), app.settings.base_url.clone());
    let shown = app
        .store
        .read(act.meter(), move |tx| {
            let Some(row) = verifications::find(tx, owner, id)? else { return Ok(None) };
            let account = accounts::find(tx, owner, row.bank)?;
            let account = account.filter(|account| sees(account, &caller));
            let Some(account) = account.filter(|_| caller.sees_made_for(row.caller_client)) else {
                return Ok(None);
            };
            let livemode = !banks.is_sandbox(&account.provider);
            let around = Around { livemode, base_url: &base_url };
            let payment = match row.payment {
                Some(payment) => Some(whole(tx, owner, &caller, payment, around)?),
                None => None,
            };
            Ok(Some(Shown { row, payment, livemode }))
        })
        .await?;
    Ok(shown.ok_or(Refusal::NotFound("verification"))?)
}

/// How a verification ended, as that caller is shown it.
pub(crate) fn shown_to(caller: &Caller, failed: Option<Failed>) -> Option<Failed> {
    if caller.client().is_some() { failed.map(Failed::for_clients) } else { failed }
}
