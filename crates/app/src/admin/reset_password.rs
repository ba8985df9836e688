//! Giving an owner, or somebody who signs in, another password.

use domain::ids::{EmployeeId, OwnerId};
use domain::mail::Letter;
use domain::secret::SecretText;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::fault::Fault;
use store::mails::NewMail;
use store::tx::Tx;
use store::{
    Lane, Meter, audit, email_changes, employees, mails, password_resets, second_factors, sessions,
    sign_in_networks,
};

use super::set_email::mail_by;
use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::passwords::{PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, hash_now};
use crate::people::Account;
use crate::sign_in_failures::forgive;

/// Person whose password is reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That owner's.
    Owner(OwnerName),
    /// That of the person who signs in with the address: an owner, an employee, or a client's person.
    Email(EmailAddress),
}

/// Somebody whose password was reset.
#[derive(Clone, Debug)]
pub struct PasswordReset {
    /// The owner.
    pub owner: OwnerId,
    /// The employee, where it is not the owner's own.
    pub employee: Option<EmployeeId>,
    /// What it is signed in with.
    pub email: String,
}

/// Choice of what happens to a person's second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactor {
    /// It stays: a password that was lost is no reason to ask for less.
    Stays,
    /// It ends, for a person who has lost its authenticator and its recovery codes.
    Ends,
}

/// Everything that one transaction needs to set a password.
struct Resetting {
    owner: OwnerId,
    employee: Option<EmployeeId>,
    hash: String,
    second_factor: SecondFactor,
    /// Whether it is forgotten where the person has signed in.
    forgets: bool,
    entry: audit::Entry,
    ended: audit::Entry,
    mail: Option<NewMail>,
    now: Timestamp,
}

/// Gives somebody that password and ends all sessions of it, and where it is an owner those of its people: anybody
/// who knew the former one is out. Keys stay. It forgets where the person has signed in and forgives the wrong
/// passwords of before, as a reset by mail does. A command that lacks the master key cannot name these: it leaves
/// both, so that the person signs in from where it did. Where the service sends mail, the person is
/// notified, unless the command lacks the master key.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::NobodySignsIn`], a password that does not suit, and what the store
/// fails with.
pub async fn reset_password(
    operator: &Operator<'_>,
    whose: &Whose,
    password: &SecretText,
    second_factor: SecondFactor,
) -> Result<PasswordReset, AdminError> {
    if !(PASSWORD_LEN_MIN..=PASSWORD_LEN_MAX).contains(&password.expose().len()) {
        return Err(AdminError::PasswordLength { min: PASSWORD_LEN_MIN, max: PASSWORD_LEN_MAX });
    }
    let account = find(operator, whose).await?;
    let (owner, employee, meter) = (account.owner_id, account.employee(), Meter::default());
    let to = (owner, account.actor());
    let resetting = Resetting {
        owner,
        employee,
        hash: hash_now(password, operator.password_cost, operator.ids)?,
        second_factor,
        forgets: operator.vault.is_some(),
        entry: audit_entry(operator, "ResetPassword", &account.name()),
        ended: audit_entry(operator, "EndSecondFactor", &account.name()),
        mail: mail_by(operator, to, account.email(), &Letter::PasswordResetByOperator),
        now: operator.now,
    };
    let write = move |tx: &mut Tx<'_>| write(tx, &resetting);
    let email = operator.store.write(&meter, Lane::Admission, owner, write).await?;
    let email = email.ok_or_else(|| nobody(whose))?;
    let forgiven = match (operator.app, operator.vault) {
        (Some(app), _) => app.sign_in_failures.forgive(app, &meter, &email).await,
        (None, Some(vault)) => forgive(operator.store, vault, &meter, &email).await,
        (None, None) => Ok(()),
    };
    if let Err(error) = forgiven {
        tracing::warn!(?error, "wrong passwords of before a reset still count");
    }
    Ok(PasswordReset { owner, employee, email })
}

async fn find(operator: &Operator<'_>, whose: &Whose) -> Result<Account, AdminError> {
    let meter = Meter::default();
    let found = match whose {
        Whose::Owner(name) => {
            let owner = locate(operator, name).await?;
            operator.store.look_up(&meter, move |tx| Account::find(tx, owner, None)).await?
        }
        Whose::Email(email) => {
            let email = email.clone();
            operator.store.look_up(&meter, move |tx| Account::by_email(tx, &email)).await?
        }
    };
    found.ok_or_else(|| nobody(whose))
}

fn nobody(whose: &Whose) -> AdminError {
    match whose {
        Whose::Owner(name) => AdminError::NoSuchOwner(name.clone()),
        Whose::Email(email) => AdminError::NobodySignsIn(email.clone()),
    }
}

/// Answers what the person signs in with; nothing where it does not any more.
fn write(tx: &mut Tx<'_>, resetting: &Resetting) -> Result<Option<String>, Fault> {
    let Resetting { owner, employee, hash, second_factor, forgets, entry, ended, mail, now } =
        resetting;
    let Some(account) = Account::find(tx, *owner, *employee)? else { return Ok(None) };
    let whose = (*owner, account.actor());
    account.set_password_hash(tx, hash, *now)?;
    password_resets::remove(tx, whose)?;
    employees::end_invitations_of(tx, *owner, *employee, *now)?;
    if employee.is_none() {
        sessions::end_all(tx, *owner, *now)?;
        email_changes::remove_all(tx, *owner)?;
    } else {
        sessions::end_of_person(tx, (*owner, *employee), *now)?;
        email_changes::remove(tx, whose)?;
    }
    if *forgets {
        sign_in_networks::forget(tx, whose)?;
    }
    audit::insert(tx, *owner, entry, *now)?;
    if let Some(mail) = mail {
        mails::insert(tx, *owner, mail)?;
    }
    if *second_factor == SecondFactor::Ends {
        if second_factors::find(tx, whose)?.is_some() {
            audit::insert(tx, *owner, ended, *now)?;
        }
        second_factors::delete(tx, whose)?;
    }
    Ok(Some(account.email().to_owned()))
}
