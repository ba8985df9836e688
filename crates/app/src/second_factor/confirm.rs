//! The operation: `POST /auth/totp/confirm`.

use domain::access::ConfirmSecondFactor;
use domain::mail::Letter;
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::second_factor::RecoveryCode;
use domain::secret::SecretText;
use store::tx::Tx;
use store::{audit, email_changes, mails, second_factors, sessions};

use super::step_up::{as_field, wrong_code};
use super::{Check, Checked, Of, RecoveryCodes};
use crate::audit_entry::audited;
use crate::mails::to_caller;
use crate::{Act, App, Error};

/// Confirms by its first code the second factor that was begun: from now on sign-ins ask for one. The person's other
/// sessions end, since they were opened by a password alone; the calling one has shown its code. Answers the recovery
/// codes, which are shown this once.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn confirm(
    app: &App,
    act: &Act<ConfirmSecondFactor>,
    code: &SecretText,
) -> Result<RecoveryCodes, Error> {
    // The table admits sessions and nobody else.
    let session = act.caller().session().ok_or(Refusal::OwnerSessionRequired)?;
    let (whose, person) = ((act.owner(), act.actor()), (act.owner(), act.caller().employee()));
    let check =
        Check::of(app, act.meter(), whose, (Of::Setup, Some(code)), wrong_code(app, act)).await?;
    let codes = RecoveryCode::generate_all(&*app.ids);
    let (kept, now) = (codes.clone(), app.clock.now());
    let mail = to_caller(app, act, &Letter::SecondFactorBegun).await?;
    let entry = audited(app, act, whose.1.known_as(whose.0));
    let write = act.write(app, move |tx: &mut Tx<'_>| {
        match check.take(tx, Of::Setup, now)? {
            Checked::Right => {}
            Checked::Refused(refusal) => return Err(as_field(refusal).into()),
            checked @ (Checked::NotAsked | Checked::Changed) => {
                let found = second_factors::find(tx, whose)?;
                let is_active = found.is_some_and(|found| found.confirmed_at.is_some());
                return Err(match checked {
                    _ if is_active => Refusal::SecondFactor(SecondFactorRefusal::Active),
                    Checked::NotAsked => Refusal::SecondFactor(SecondFactorRefusal::NotBegun),
                    _ => Refusal::ReachChanged,
                }
                .into());
            }
        }
        second_factors::confirm(tx, whose, now)?;
        second_factors::replace_codes(tx, whose, &kept)?;
        sessions::end_others(tx, person, session, now)?;
        email_changes::remove(tx, whose)?;
        sessions::prove(tx, whose.0, session, now)?;
        if let Some(mail) = &mail {
            mails::insert(tx, whose.0, mail)?;
        }
        audit::insert(tx, whose.0, &entry, now)?;
        Ok(())
    });
    write.await?;
    Ok(codes)
}
