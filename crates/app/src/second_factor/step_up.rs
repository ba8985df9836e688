//! The operation: `POST /auth/step-up`.

use domain::access::{Guarded, StepUp};
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::second_factor::PROOF_LIFETIME;
use domain::secret::SecretText;
use domain::time::Timestamp;
use store::tx::Tx;
use store::{audit, sessions};

use super::{Check, Checked, Of};
use crate::audit_entry::audited;
use crate::refusals::WRONG_CODE;
use crate::{Act, App, Error};

/// Takes a code of the person's second factor as the proof of the session that calls, and answers until when it opens
/// what asks for one.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn step_up(app: &App, act: &Act<StepUp>, code: &SecretText) -> Result<Timestamp, Error> {
    // The table admits sessions and nobody else.
    let session = act.caller().session().ok_or(Refusal::OwnerSessionRequired)?;
    let whose = (act.owner(), act.actor());
    let check =
        Check::of(app, act.meter(), whose, (Of::SignIns, Some(code)), wrong_code(app, act)).await?;
    let now = app.clock.now();
    let entry = audited(app, act, session.to_string());
    let write = act.write(app, move |tx: &mut Tx<'_>| {
        match check.take(tx, Of::SignIns, now)? {
            Checked::Right => {}
            Checked::Refused(refusal) => return Err(as_field(refusal).into()),
            Checked::Changed => return Err(Refusal::ReachChanged.into()),
            Checked::NotAsked => {
                return Err(Refusal::SecondFactor(SecondFactorRefusal::Absent).into());
            }
        }
        sessions::prove(tx, whose.0, session, now)?;
        audit::insert(tx, whose.0, &entry, now)?;
        Ok(())
    });
    write.await?;
    Ok(now.plus(PROOF_LIFETIME))
}

/// Returns the audit entry for a wrong code of the caller.
pub(super) fn wrong_code<O: Guarded>(app: &App, act: &Act<O>) -> audit::Entry {
    let person = act.actor().known_as(act.owner());
    audit::Entry { action: WRONG_CODE, ..audited(app, act, person) }
}

/// Converts a refusal for a signed-in person: a wrong code becomes a wrong field, so that no client throws a good
/// session away.
pub(super) fn as_field(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::SecondFactor(SecondFactorRefusal::CodeWrong) => {
            let problem = (
                "no es correcto, ya se usó o venció; revise la hora del teléfono y escriba el siguiente, o use un código de recuperación",
                "is wrong, was used or is over; check the phone's clock and type the next one, or use a recovery code",
            );
            Refusal::invalid("code", problem)
        }
        refusal => refusal,
    }
}
