//! The operation: `POST /v1/usersbank/{bank_id}/push-secret/rotate`.

use domain::access::RotatePushSecret;
use domain::ids::BankId;
use domain::refusal::Refusal;
use store::{Lane, accounts, audit, bank_push};

use super::push::claim_locator;
use super::{PushAccess, reached};
use crate::keys::audited;
use crate::{Act, App, Error};

/// Gives an account another secret for its bank's notices. With the former one none is heard any
/// more. Doing it again is safe.
///
/// # Errors
/// Not found where the caller does not reach the account, a refusal where its bank does not tell of
/// payments, or a failure of the store.
pub async fn rotate_push_secret(
    app: &App,
    act: &Act<RotatePushSecret>,
    id: BankId,
) -> Result<PushAccess, Error> {
    let (owner, now) = (act.owner(), act.now);
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    let account = reached(found, act.caller())?;
    let bank = app.open_bank(&account.provider).ok_or(Refusal::InvalidBankProvider)?;
    let access = PushAccess::new(app, &**bank, id).ok_or_else(|| {
        Refusal::invalid(
            "bank_id",
            ("es de un banco que no manda avisos", "is at a bank that sends no notices"),
        )
    })?;
    claim_locator(app, act.meter(), owner, id).await?;

    let hash = access.secret.hash();
    let entry = audited(app, act, id.to_string());
    let write = app.store.write(act.meter(), Lane::Admission, owner, move |tx| {
        // Somebody may have put it into the trash meanwhile.
        let is_linked = accounts::find(tx, owner, id)?.is_some_and(|found| !found.is_trashed);
        if is_linked {
            bank_push::put(tx, owner, id, hash, now)?;
            audit::insert(tx, owner, &entry, now)?;
        }
        Ok(is_linked)
    });
    if write.await? { Ok(access) } else { Err(Refusal::UserBankNotFound.into()) }
}
