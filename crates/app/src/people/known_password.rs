//! The password of a person who is signed in, shown once more: a session alone is not enough.

use domain::access::Guarded;
use domain::ids::AuditId;
use domain::refusal::{BadCredentials, Refusal};
use domain::secret::SecretText;
use store::audit;
use store::tx::Tx;

use super::Account;
use crate::audit_entry::caller_id;
use crate::passwords::{PASSWORD_LEN_MAX, Verdict};
use crate::refusals::WRONG_PRESENT_PASSWORD;
use crate::{Act, App, Error};

/// Person who has shown its password.
#[derive(Clone)]
pub(crate) struct KnownPassword {
    /// What it signs in with.
    pub(crate) email: String,
    /// The hash that the password was compared with. A transaction looks at whether it is still the one.
    pub(crate) hash: String,
}

/// Compares a password with that of the caller. It is compared outside of the transaction, since a hash takes
/// milliseconds. A wrong one is noted for the audit trail: a person who has stolen a session guesses so.
///
/// # Errors
/// A wrong field, where it is another one; a failure of the store.
pub(crate) async fn known_password<O: Guarded>(
    app: &App,
    act: &Act<O>,
    (field, shown): (&str, &SecretText),
) -> Result<KnownPassword, Error> {
    let person = (act.owner(), act.caller().employee());
    let find = move |tx: &mut Tx<'_>| Account::find(tx, person.0, person.1);
    let found = app.store.look_up(act.meter(), find).await?;
    let known = found.as_ref().and_then(|account| {
        let hash = account.password_hash()?.to_owned();
        Some(KnownPassword { email: account.email().to_owned(), hash })
    });
    // The person may have been removed meanwhile.
    let known = known.ok_or(Refusal::Unauthorized(BadCredentials::Unknown))?;
    let fits = shown.expose().len() <= PASSWORD_LEN_MAX;
    let tried = if fits { shown.clone() } else { SecretText::from("") };
    let verdict = app.passwords.verify(tried, Some(known.hash.clone()), 0).await?;
    if verdict == Verdict::Wrong || !fits {
        let entry = audit::Entry {
            id: AuditId::new(&*app.ids, act.now),
            actor: caller_id(act.caller()),
            employee: person.1,
            action: WRONG_PRESENT_PASSWORD,
            subject: act.actor().known_as(person.0),
            address: act.request.address_shown(),
        };
        app.refusals.note(person.0, entry, act.now);
        let problem = ("no es la contraseña actual", "is not the present password");
        return Err(Refusal::invalid(field, problem).into());
    }
    Ok(known)
}
