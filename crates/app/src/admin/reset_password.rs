//! Giving an owner another password.

use domain::ids::OwnerId;
use domain::mail::Letter;
use domain::secret::SecretText;
use store::{
    Lane, Meter, audit, email_changes, mails, owners, password_resets, second_factors, sessions,
    sign_in_networks,
};

use super::set_email::told_by;
use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::passwords::{PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, hash_now};
use crate::sign_in_failures::forgive;

/// An owner whose password was reset.
#[derive(Clone, Debug)]
pub struct PasswordReset {
    /// The owner.
    pub owner: OwnerId,
    /// What it signs in with.
    pub email: String,
}

/// What becomes of an owner's second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactor {
    /// It stays: a password that was lost is no reason to ask for less.
    Stays,
    /// It ends, for an owner that has lost its authenticator and its recovery codes.
    Ends,
}

/// Gives an owner that password and ends all of its sessions: whoever knew the former one is out. Its keys stay. It
/// forgets where the owner has signed in and forgives the wrong passwords of before, as a reset by mail does. A command
/// that lacks the master key cannot name these: it leaves both, so that the owner signs in from where it did. Where the
/// service sends mail the owner is told.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], a password that does not suit, and what the store fails with.
pub async fn reset_password(
    operator: &Operator<'_>,
    name: &OwnerName,
    password: &SecretText,
    second_factor: SecondFactor,
) -> Result<PasswordReset, AdminError> {
    if !(PASSWORD_LEN_MIN..=PASSWORD_LEN_MAX).contains(&password.expose().len()) {
        return Err(AdminError::PasswordLength { min: PASSWORD_LEN_MIN, max: PASSWORD_LEN_MAX });
    }
    let (owner, now) = (locate(operator, name).await?, operator.now);
    let hash = hash_now(password, operator.password_cost, operator.ids)?;
    let entry = audit_entry(operator, "ResetPassword", &owner);
    let ended = audit_entry(operator, "EndSecondFactor", &owner);
    let (meter, forgives) = (Meter::default(), operator.vault.is_some());
    let known = operator.store.look_up(&meter, move |tx| owners::find(tx, owner)).await?;
    let mail = known
        .and_then(|known| told_by(operator, owner, &known.email, &Letter::PasswordResetByOperator));
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        let Some(found) = owners::find(tx, owner)? else { return Ok(None) };
        owners::set_password_hash(tx, owner, &hash, now)?;
        password_resets::remove(tx, (owner, owner.into()))?;
        sessions::end_all(tx, owner, now)?;
        email_changes::remove_all(tx, owner)?;
        if forgives {
            sign_in_networks::forget(tx, (owner, owner.into()))?;
        }
        audit::insert(tx, owner, &entry, now)?;
        if let Some(mail) = &mail {
            mails::insert(tx, owner, mail)?;
        }
        if second_factor == SecondFactor::Ends {
            let whose = (owner, owner.into());
            if second_factors::find(tx, whose)?.is_some() {
                audit::insert(tx, owner, &ended, now)?;
            }
            second_factors::delete(tx, whose)?;
        }
        Ok(Some(found.email))
    });
    let email = write.await?.ok_or_else(|| AdminError::NoSuchOwner(name.clone()))?;
    let forgiven = match (operator.app, operator.vault) {
        (Some(app), _) => app.sign_in_failures.forgive(app, &meter, &email).await,
        (None, Some(vault)) => forgive(operator.store, vault, &meter, &email).await,
        (None, None) => Ok(()),
    };
    if let Err(error) = forgiven {
        tracing::warn!(?error, "wrong passwords of before a reset still count");
    }
    Ok(PasswordReset { owner, email })
}
