//! The operation: `PUT /v1/usersbank/{bank_id}/change-secret`.

use bank::Field;
use domain::access::ChangeBankSecret;
use domain::ids::BankId;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use store::{accounts, audit, bank_access};

use super::credentials::{Opened, seal};
use super::{check_access, reached, untaken};
use crate::audit_entry::audited;
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
    let has_none = || {
        Refusal::invalid("secret", ("no lo tiene esta cuenta", "is nothing that this account has"))
    };
    let kept = kept.ok_or_else(has_none)?;
    let bank = app.open_bank(&account.provider).ok_or(Refusal::InvalidBankProvider)?;
    let fact = bank.capabilities().credential_in(Field::Password).ok_or_else(has_none)?;
    fact.check(secret.expose()).map_err(|problem| Refusal::invalid("secret", problem))?;

    // The other facts stay as they are.
    let (mut tried, former) = Opened::of(app, owner, kept)?;
    tried.credentials.set(fact.name, secret);
    let taken = check_access(app, &**bank, tried.access(), now).await;
    taken.map_err(|failure| untaken(&failure))?;

    let sealed = seal(app, owner, id, &tried.credentials);
    let entry = audited(app, act, id.to_string());
    let (caller, now) = (act.caller().clone(), app.clock.now());
    let write = act.write(app, move |tx| {
        // The bank took its time.
        reached(accounts::find(tx, owner, id)?, &caller)?;
        let is_changed = bank_access::change_credentials(tx, owner, id, &sealed, &former, now)?;
        if is_changed {
            bank_access::note_taken(tx, owner, id, now)?;
            audit::insert(tx, owner, &entry, now)?;
        }
        // Somebody else was faster, while the bank was asked.
        if is_changed { Ok(()) } else { Err(Refusal::RequestInProgress.into()) }
    });
    write.await
}
