//! Addresses that people sign in with.

use app::admin::{Operator, free_email, set_email};
use domain::text::EmailAddress;
use serde::{Deserialize, Serialize};

use super::{CommandOutcome, failed};

/// Somebody who signs in with another address.
#[derive(Deserialize, Serialize)]
pub(crate) struct EmailGiven {
    pub(crate) user_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) employee_id: Option<String>,
    pub(crate) email: String,
}

/// An address that leads to nobody, and whether it did to somebody.
#[derive(Deserialize, Serialize)]
pub(crate) struct EmailFreed {
    pub(crate) email: String,
    pub(crate) freed: bool,
}

/// Gives an owner, or that person of it, another address.
pub(super) async fn set(
    operator: &Operator<'_>,
    (owner, person): (&str, Option<String>),
    email: &str,
) -> anyhow::Result<CommandOutcome> {
    let person = person.map(|id| id.parse()).transpose()?;
    let email = EmailAddress::parse(email)?;
    let set = set_email(operator, (&owner.parse()?, person), email).await.map_err(failed)?;
    Ok(CommandOutcome::Email(EmailGiven {
        user_id: set.owner.to_string(),
        employee_id: set.employee.map(|id| id.to_string()),
        email: set.email.to_string(),
    }))
}

/// Frees an address that nobody signs in with.
pub(super) async fn free(operator: &Operator<'_>, email: &str) -> anyhow::Result<CommandOutcome> {
    let email = EmailAddress::parse(email)?;
    let freed = free_email(operator, &email).await.map_err(failed)?;
    Ok(CommandOutcome::EmailFreed(EmailFreed { email: email.to_string(), freed }))
}
