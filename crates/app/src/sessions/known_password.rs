//! The password of whoever is signed in, shown once more: a session alone is not enough.

use domain::ids::{EmployeeId, OwnerId};
use domain::refusal::{BadCredentials, Refusal};
use domain::secret::SecretText;
use store::Meter;
use store::tx::Tx;

use super::Account;
use crate::passwords::{PASSWORD_LEN_MAX, Verdict};
use crate::{App, Error};

/// Who has shown its password.
#[derive(Clone)]
pub(crate) struct KnownPassword {
    /// What it signs in with.
    pub(crate) email: String,
    /// The hash that the password was compared with. A transaction looks at whether it is still the one.
    pub(crate) hash: String,
}

/// Compares a password with the person's. It is compared outside of the transaction, since a hash takes milliseconds.
///
/// # Errors
/// A wrong field, where it is another one; a failure of the store.
pub(crate) async fn known_password(
    app: &App,
    meter: &Meter,
    person: (OwnerId, Option<EmployeeId>),
    (field, shown): (&str, &SecretText),
) -> Result<KnownPassword, Error> {
    let find = move |tx: &mut Tx<'_>| Account::find(tx, person.0, person.1);
    let found = app.store.look_up(meter, find).await?;
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
        let problem = ("no es la contraseña actual", "is not the present password");
        return Err(Refusal::invalid(field, problem).into());
    }
    Ok(known)
}
