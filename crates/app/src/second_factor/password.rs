//! The password as a proof that the person of a browser's session is there.

use domain::access::StepUp;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use store::tx::Tx;
use store::{audit, second_factors, sessions};

use crate::audit_entry::audited;
use crate::people::{Account, known_password};
use crate::{Act, App, Error};

/// Takes the password of a person without a second factor as the proof of the session that calls. A wrong one is noted as
/// a wrong present password.
///
/// # Errors
/// A wrong field, where it is another one; a second factor that was begun meanwhile; or a failure of the store.
pub async fn step_up_by_password(
    app: &App,
    act: &Act<StepUp>,
    password: &SecretText,
) -> Result<(), Error> {
    // The table admits sessions and nobody else.
    let session = act.caller().session().ok_or(Refusal::OwnerSessionRequired)?;
    let (whose, person) = ((act.owner(), act.actor()), (act.owner(), act.caller().employee()));
    let known = known_password(app, act, ("password", password)).await?;
    let (entry, now) = (audited(app, act, session.to_string()), app.clock.now());
    let write = act.write(app, move |tx: &mut Tx<'_>| {
        let account = Account::find(tx, person.0, person.1)?;
        let is_present = account.as_ref().and_then(Account::password_hash) == Some(&known.hash);
        let found = second_factors::find(tx, whose)?;
        let has_factor = found.is_some_and(|found| found.confirmed_at.is_some());
        // Changed meanwhile: what was checked is the present one no longer, or does not do any more.
        if !is_present || has_factor {
            return Err(Refusal::ReachChanged.into());
        }
        sessions::prove(tx, whose.0, session, now)?;
        audit::insert(tx, whose.0, &entry, now)?;
        Ok(())
    });
    write.await
}
