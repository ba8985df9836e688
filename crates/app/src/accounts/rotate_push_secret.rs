//! The operation: `POST /v1/usersbank/{bank_id}/push-secret/rotate`.

use domain::access::RotatePushSecret;
use domain::ids::BankId;
use domain::refusal::Refusal;
use store::ended::{self, EndedThing};
use store::idempotency::Slot;
use store::{accounts, audit, bank_push};

use super::{PushAccess, reached};
use crate::audit_entry::audited;
use crate::kept_answers;
use crate::locator::Locator;
use crate::{Act, App, Error};

/// Gives an account another secret for its bank's notices. With the former one no notice is accepted any more. Doing
/// it again is safe; with an `Idempotency-Key` that was used before, nothing is rotated: the answer holds a secret
/// and is not given again.
///
/// # Errors
/// Not found where the caller does not reach the account, a refusal where its bank sends no notices
/// of payments, or a failure of the store.
pub async fn rotate_push_secret(
    app: &App,
    act: &Act<RotatePushSecret>,
    id: BankId,
    slot: Option<Slot>,
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
    Locator::of_push(id).claim(&app.store, act.meter(), (owner, id.to_bytes())).await?;

    let hash = access.secret.hash();
    let entry = audited(app, act, id.to_string());
    let caller = act.caller().clone();
    let write = act.write(app, move |tx| {
        // Somebody may have put it into the trash meanwhile, or given it away.
        reached(accounts::find(tx, owner, id)?, &caller)?;
        let name = |bank| BankId::from_bytes(bank).to_string();
        kept_answers::take(tx, owner, slot.as_ref(), id.to_bytes(), now, name)?;
        bank_push::put(tx, owner, id, hash, now)?;
        ended::note(tx, owner, EndedThing::PushSecret(id), now);
        audit::insert(tx, owner, &entry, now)?;
        Ok(())
    });
    write.await?;
    Ok(access)
}
