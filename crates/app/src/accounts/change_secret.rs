//! The operation: `PUT /v1/usersbank/{bank_id}/change-secret`.

use domain::access::{ChangeBankSecret, Operation as _};
use domain::ids::BankId;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use store::{Lane, accounts, audit, bank_access};

use super::{Opened, check_access, reached, seal, untaken};
use crate::access::unchanged;
use crate::keys::audited;
use crate::{Act, App, Error};

/// Changes the key, password or token that an account is reached with, once the bank has taken it:
/// what works is never replaced by what does not.
///
/// # Errors
/// A refusal, among them that the bank refused it or could not be asked; or a failure of the store.
pub async fn change_secret(
    app: &App,
    act: &Act<ChangeBankSecret>,
    id: BankId,
    secret: SecretText,
) -> Result<(), Error> {
    let (owner, now) = (act.owner(), act.now);
    let read = app.store.look_up(act.meter(), move |tx| {
        Ok((accounts::find(tx, owner, id)?, bank_access::find(tx, owner, id)?))
    });
    let (account, kept) = read.await?;
    let account = reached(account, act.caller())?;
    let kept = kept.ok_or_else(|| {
        Refusal::invalid("secret", ("no lo tiene esta cuenta", "is nothing that this account has"))
    })?;
    let bank = app.open_bank(&account.provider).ok_or(Refusal::InvalidBankProvider)?;

    let former = kept.sealed.clone();
    let tried = Opened { facts: kept.facts, secret };
    let taken = check_access(app, &**bank, tried.access(), now).await;
    taken.map_err(|failure| untaken(&failure))?;

    let sealed = seal(app, owner, id, &tried.secret);
    let entry = audited(app, act, id.to_string());
    let (caller, now) = (act.caller().clone(), app.clock.now());
    let write = app.store.write(act.meter(), Lane::Admission, owner, move |tx| {
        // The bank took its time.
        if let Err(refusal) = unchanged(tx, &caller, ChangeBankSecret::RULE, now)? {
            return Ok(Err(refusal));
        }
        if let Err(refusal) = reached(accounts::find(tx, owner, id)?, &caller) {
            return Ok(Err(refusal));
        }
        let is_changed = bank_access::change_secret(tx, owner, id, &sealed, &former, now)?;
        if is_changed {
            audit::insert(tx, owner, &entry, now)?;
        }
        // Somebody else was faster, while the bank was asked.
        Ok(if is_changed { Ok(()) } else { Err(Refusal::RequestInProgress) })
    });
    Ok(write.await??)
}
