//! The operation: `DELETE /usersbank/{bank_id}/to-trash`.

use domain::access::TrashBankAccount;
use domain::ids::BankId;
use domain::refusal::Refusal;
use store::ended::{self, EndedThing};
use store::{accounts, audit, bank_access, bank_push};

use crate::audit_entry::audited;
use crate::{Act, App, Error, changes};

/// Puts an account into the trash and forgets what it is reached with. Movements and payments stay,
/// so that linking it again cannot claim any of them twice. Doing it again changes nothing.
///
/// # Errors
/// Not found where the caller does not reach it, or a failure of the store.
pub async fn trash(app: &App, act: &Act<TrashBankAccount>, id: BankId) -> Result<(), Error> {
    let (owner, now) = (act.owner(), act.now);
    let caller = act.caller().clone();
    let entry = audited(app, act, id.to_string());
    let write = act.write(app, move |tx| {
        let found = accounts::find(tx, owner, id)?;
        let reached = found.filter(|account| caller.reaches(account.id, account.client));
        let account = reached.ok_or(Refusal::UserBankNotFound)?;
        if accounts::trash(tx, owner, id, now)? {
            bank_access::remove(tx, owner, id)?;
            bank_push::remove(tx, owner, id)?;
            ended::note(tx, owner, EndedThing::PushSecret(id), now);
            audit::insert_change(tx, owner, &entry, &changes::gone(&account), now)?;
        }
        Ok(())
    });
    write.await
}
