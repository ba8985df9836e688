//! What the operator of the installation does on the command line: no act, since no caller of the
//! service may do any of it. Each leaves a line in the owner's audit trail.

pub mod create_client;
pub mod create_owner;
pub mod end_sessions;
pub mod grant_credits;
pub mod installation;
pub mod list_clients;
pub mod list_keys;
pub mod list_owners;
pub mod plans;
pub mod rates;
pub mod reseal;
pub mod reset_password;
pub mod restored;
pub mod revoke_key;
pub mod rotate_session_key;
pub mod set_email;
pub mod set_owner_active;

use std::fmt;
use std::str::FromStr;

use domain::ids::{AuditId, ClientId, EmployeeId, IdSource, KeyId, OwnerId, PlanId};
use domain::rates::{RECORDED_DAYS_AHEAD_MAX, Rate};
use domain::text::EmailAddress;
use domain::time::{CaracasDate, Timestamp};
use store::audit;
use store::fault::{Fault, WriteError};
use store::locators::{self, Kind};
use store::tx::Tx;
use store::{Meter, Store};

pub use self::create_client::{NewClient, create_client};
pub use self::create_owner::{CreatedOwner, NewOwner, create_owner, generate_password};
pub use self::end_sessions::EndedSessions;
pub use self::grant_credits::{Granted, grant_credits};
pub use self::list_clients::{CLIENTS_AT_ONCE, list_clients};
pub use self::list_keys::list_keys;
pub use self::list_owners::{OWNERS_AT_ONCE, list_owners};
pub use self::plans::{
    OwnersPlan, PLANS_MAX, PlanChange, change_owners_plan, create_plan, list_plans,
};
pub use self::rates::{
    NewRate, RATES_IMPORTED_MAX, Recorded, Recording, list_rates, rates_standing, record_rates,
};
pub use self::reseal::{Resealed, reseal};
pub use self::reset_password::{PasswordReset, SecondFactor, Whose, reset_password};
pub use self::restored::{Keys, Settled, settle_restored};
pub use self::revoke_key::revoke_key;
pub use self::rotate_session_key::{RotatedKey, Sessions, rotate_session_key};
pub use self::set_email::{EmailSet, free_email, set_email};
pub use self::set_owner_active::{OwnerStanding, set_owner_active};
use crate::App;
use crate::error::Error;
use crate::passwords::PasswordError;
use crate::people::email_hash;
use crate::settings::PasswordCost;
use crate::vault::Vault;

/// Actor that the audit trail names for the operator.
const ACTOR: &str = "command line";

/// The operator, with what such work needs.
#[derive(Clone, Copy)]
pub struct Operator<'a> {
    /// Where it is kept.
    pub store: &'a Store,
    /// Where ids and secrets come from.
    pub ids: &'a dyn IdSource,
    /// The instant at which it happens.
    pub now: Timestamp,
    /// How much work a password hash takes.
    pub password_cost: PasswordCost,
    /// What secrets are sealed with, and wrong passwords counted by. Nothing for a command without the master key,
    /// which may be on other machines only.
    pub vault: Option<&'a Vault>,
    /// Whether the service sends mail.
    pub sends_mail: bool,
    /// The running service that does it. Nothing for a command that does it by itself.
    pub app: Option<&'a App>,
}

impl<'a> Operator<'a> {
    /// The operator of a running service.
    #[must_use]
    pub fn of(app: &'a App) -> Self {
        Self {
            store: &app.store,
            ids: &*app.ids,
            now: app.clock.now(),
            password_cost: app.settings.password_cost,
            vault: Some(&app.vault),
            sends_mail: app.mail.is_some(),
            app: Some(app),
        }
    }
}

impl fmt::Debug for Operator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator").field("now", &self.now).finish_non_exhaustive()
    }
}

/// Why the operator's wish was not done.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// An owner has that e-mail address.
    #[error("there is an owner with the e-mail address {0} already")]
    EmailTaken(EmailAddress),
    /// There is no owner with that e-mail address or id.
    #[error("there is no owner {0}")]
    NoSuchOwner(OwnerName),
    /// A client of the owner has that name, and documents do not tell the two apart.
    #[error(
        "the client {0} has that name; give another one, or have the owner make it with a document that differs"
    )]
    ClientNameTaken(ClientId),
    /// Nobody signs in with that e-mail address.
    #[error("nobody signs in with the e-mail address {0}")]
    NobodySignsIn(EmailAddress),
    /// The owner has no such person who has accepted and was not removed.
    #[error("the owner has nobody {0} who signs in")]
    NoSuchPerson(EmployeeId),
    /// Somebody signs in with that e-mail address, or is about to.
    #[error(
        "{email} leads to {} of {owner}; give that one another address first, or let the address go with owner \
         free-email if nobody signs in with it",
        employee.map_or_else(|| "the owner".to_owned(), |employee| employee.to_string())
    )]
    AddressTaken {
        /// The address.
        email: EmailAddress,
        /// Whose affairs it leads to.
        owner: OwnerId,
        /// The employee, where it does not lead to the owner.
        employee: Option<EmployeeId>,
    },
    /// The owner has invited another person by that e-mail address.
    #[error("the owner has invited somebody by {0}; remove that person first")]
    Invited(EmailAddress),
    /// The owner has and had no such key.
    #[error("the owner has no key {0}")]
    NoSuchKey(KeyId),
    /// There is no such plan.
    #[error("there is no plan {0}")]
    NoSuchPlan(PlanId),
    /// The owner has no plan that could be switched on or off.
    #[error("the owner has no plan")]
    NoPlan,
    /// There are as many plans as there may be.
    #[error("there are {0} plans already, the most")]
    PlanLimit(usize),
    /// The default key is rotated or switched off, by the owner's session.
    #[error("the default key cannot be revoked; deactivate the owner, or have it rotate the key")]
    DefaultKey,
    /// The password does not suit.
    #[error("a password has {min} to {max} bytes")]
    PasswordLength {
        /// The fewest.
        min: usize,
        /// The most.
        max: usize,
    },
    /// Nothing to grant, or more than a balance holds.
    #[error("an amount is a whole number of credits, not 0, and leaves the balance within limits")]
    Amount,
    /// Taking that many would eat into what open verifications hold.
    #[error("only {available} credits can be taken away; the rest is spent or reserved")]
    BalanceTooSmall {
        /// What can be taken.
        available: i64,
    },
    /// A rate is so far from the one before that it may be a slip.
    #[error(
        "{currency} {value_date}: {rate} is more than a tenth away from {former}, the rate of {former_date}; look at \
         the decimal point, and use --accept-jump if it is right"
    )]
    RateJump {
        /// Of which currency.
        currency: &'static str,
        /// The day.
        value_date: CaracasDate,
        /// The rate.
        rate: Rate,
        /// The one before.
        former: Rate,
        /// The day of that.
        former_date: CaracasDate,
    },
    /// The rate is of a day that is far off.
    #[error(
        "{currency} {value_date}: the day is more than {RECORDED_DAYS_AHEAD_MAX} days ahead; look at the year"
    )]
    RateFarAhead {
        /// Of which currency.
        currency: &'static str,
        /// The day.
        value_date: CaracasDate,
    },
    /// The rate was published at an instant that is yet to come.
    #[error("{currency} {value_date}: published_at is yet to come; look at the year")]
    RateYetToCome {
        /// Of which currency.
        currency: &'static str,
        /// The day.
        value_date: CaracasDate,
    },
    /// The database's last answer was lost.
    #[error("the database's answer was lost: look whether it was done before you repeat it")]
    Unknown,
    /// The store, or a part of the program, failed.
    #[error("it could not be done")]
    Failed(#[source] Error),
}

impl From<Error> for AdminError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Fault> for AdminError {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault.into())
    }
}

impl From<WriteError> for AdminError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Unknown => Self::Unknown,
            WriteError::Busy | WriteError::Fault(_) => Self::Failed(error.into()),
        }
    }
}

impl From<PasswordError> for AdminError {
    fn from(error: PasswordError) -> Self {
        Self::Failed(error.into())
    }
}

/// An owner as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerName {
    /// By its id.
    Id(OwnerId),
    /// By its e-mail address.
    Email(EmailAddress),
}

/// Text that names no owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an owner's e-mail address or id")]
pub struct InvalidOwnerName;

impl FromStr for OwnerName {
    type Err = InvalidOwnerName;

    fn from_str(text: &str) -> Result<Self, InvalidOwnerName> {
        let id = text.trim().parse().map(Self::Id);
        id.or_else(|_| EmailAddress::parse(text).map(Self::Email)).map_err(|_| InvalidOwnerName)
    }
}

impl fmt::Display for OwnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Email(email) => email.fmt(f),
        }
    }
}

/// The owner of that name. Whether there is one, its own row decides later.
async fn locate(operator: &Operator<'_>, name: &OwnerName) -> Result<OwnerId, AdminError> {
    let email = match name {
        OwnerName::Id(id) => return Ok(*id),
        OwnerName::Email(email) => email_hash(email),
    };
    let look_up = move |tx: &mut Tx<'_>| locators::find(tx, Kind::Email, &email);
    let located = operator.store.look_up(&Meter::default(), look_up).await?;
    // That of an employee names no owner.
    let of_owner = located.filter(|located| located.subject == located.owner.to_bytes());
    of_owner.map(|located| located.owner).ok_or_else(|| AdminError::NoSuchOwner(name.clone()))
}

/// A line for the audit trail.
fn audit_entry(
    operator: &Operator<'_>,
    action: &'static str,
    subject: &impl ToString,
) -> audit::Entry {
    audit::Entry {
        id: AuditId::new(operator.ids, operator.now),
        actor: ACTOR.to_owned(),
        employee: None,
        action,
        subject: subject.to_string(),
        address: None,
    }
}

#[cfg(test)]
mod tests;
