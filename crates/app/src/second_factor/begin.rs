//! The operation: `POST /auth/totp`.

use domain::access::BeginSecondFactor;
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::second_factor::{SETUP_LIFETIME, TotpSecret};
use domain::secret::SecretText;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{audit, second_factors};

use super::place;
use crate::audit_entry::audited;
use crate::people::{Account, known_password};
use crate::{Act, App, Error};

/// A second factor that was begun: its secret is shown this once.
#[derive(Debug)]
pub struct SecondFactorSetup {
    /// As a person types it into an authenticator.
    pub secret: SecretText,
    /// As an authenticator reads it from a picture.
    pub address: SecretText,
    /// Until when its first code is waited for.
    pub expires_at: Timestamp,
}

/// Begins a second factor of the caller, if it knows the password: a session alone, which may be stolen, must not
/// lock its person out. Sign-ins ask for a code once the first one was shown. What was begun before is over.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn begin(
    app: &App,
    act: &Act<BeginSecondFactor>,
    password: &SecretText,
) -> Result<SecondFactorSetup, Error> {
    let person = (act.owner(), act.caller().employee());
    let known = known_password(app, act, ("password", password)).await?;
    let email = EmailAddress::parse(&known.email)
        .map_err(|_| Fault::broken("somebody signs in with an address that is none"))?;
    let (secret, now) = (TotpSecret::generate(&*app.ids), act.now);
    let whose = (act.owner(), act.actor());
    let sealed = app.vault.seal(&*app.ids, place(whose.0, &whose.1.to_bytes()), secret.expose());
    let entry = audited(app, act, whose.1.known_as(whose.0));
    let write = act.write_again(app, move |tx: &mut Tx<'_>| {
        let account = Account::find(tx, person.0, person.1)?;
        if account.as_ref().and_then(Account::password_hash) != Some(&known.hash) {
            // Changed meanwhile: what was checked is the present one no longer.
            return Err(Refusal::ReachChanged.into());
        }
        match second_factors::find(tx, whose)? {
            // The same write again: its answer was lost. No other is sealed alike.
            Some(found) if found.secret == sealed => return Ok(()),
            Some(found) if found.confirmed_at.is_some() => {
                return Err(Refusal::SecondFactor(SecondFactorRefusal::Active).into());
            }
            _ => second_factors::delete(tx, whose)?,
        }
        second_factors::insert(tx, whose, &sealed, now)?;
        audit::insert(tx, whose.0, &entry, now)?;
        Ok(())
    });
    write.await?;
    let address = secret.address(&email);
    Ok(SecondFactorSetup { secret: secret.shown(), address, expires_at: now.plus(SETUP_LIFETIME) })
}
