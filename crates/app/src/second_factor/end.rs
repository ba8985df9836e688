//! The operation: `DELETE /auth/totp`.

use domain::access::EndSecondFactor;
use domain::mail::Letter;
use domain::refusal::Refusal;
use store::tx::Tx;
use store::{audit, email_changes, mails, second_factors, sessions};

use crate::audit_entry::audited;
use crate::mails::to_caller;
use crate::{Act, App, Error};

/// Ends the second factor of the caller, and its recovery codes: sign-ins ask for the password alone. The person's
/// other sessions end. To end it again is answered alike, since the answer to the first request may have been lost.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn end(app: &App, act: &Act<EndSecondFactor>) -> Result<(), Error> {
    // The table admits sessions and nobody else.
    let session = act.caller().session().ok_or(Refusal::OwnerSessionRequired)?;
    let (whose, person) = ((act.owner(), act.actor()), (act.owner(), act.caller().employee()));
    let mail = to_caller(app, act, &Letter::SecondFactorEnded).await?;
    let (entry, now) = (audited(app, act, whose.1.known_as(whose.0)), act.now);
    let write = act.write_again(app, move |tx: &mut Tx<'_>| {
        let found = second_factors::find(tx, whose)?;
        second_factors::delete(tx, whose)?;
        if found.is_some_and(|found| found.confirmed_at.is_some()) {
            sessions::end_others(tx, person, session, now)?;
            email_changes::remove(tx, whose)?;
            if let Some(mail) = &mail {
                mails::insert(tx, whose.0, mail)?;
            }
            audit::insert(tx, whose.0, &entry, now)?;
        }
        Ok(())
    });
    write.await
}
