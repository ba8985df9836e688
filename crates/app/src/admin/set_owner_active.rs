//! Letting an owner use the service, or no longer.

use domain::ids::OwnerId;
use store::{Lane, Meter, audit, email_changes, employees, owners, password_resets, sessions};

use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::changes::{IsActive, changed};

/// An owner that was admitted or shut out.
#[derive(Clone, Debug)]
pub struct OwnerStanding {
    /// The owner.
    pub owner: OwnerId,
    /// What it signs in with.
    pub email: String,
    /// Whether it may use the service.
    pub is_active: bool,
}

/// Sets whether an owner may use the service. Once this has returned, no node accepts a key or a session of one that
/// may not, and its payers' pages take no payment. The sessions of it and its people are over: those who are admitted
/// again sign in again. What is under way ends as it was reserved.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], and what the store fails with.
pub async fn set_owner_active(
    operator: &Operator<'_>,
    name: &OwnerName,
    is_active: bool,
) -> Result<OwnerStanding, AdminError> {
    let (owner, now) = (locate(operator, name).await?, operator.now);
    let action = if is_active { "ActivateOwner" } else { "DeactivateOwner" };
    let entry = audit_entry(operator, action, &owner);
    let meter = Meter::default();
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        let before = owners::find(tx, owner)?.map(|owner| IsActive(owner.is_active));
        let email = owners::set_active(tx, owner, is_active, now)?;
        if let Some(before) = before.filter(|before| before.0 != is_active) {
            audit::insert_change(tx, owner, &entry, &changed(&before, &IsActive(is_active)), now)?;
        }
        if !is_active {
            employees::end_invitations(tx, owner, now)?;
            password_resets::remove_all(tx, owner)?;
            email_changes::remove_all(tx, owner)?;
            sessions::end_all(tx, owner, now)?;
        }
        Ok(email)
    });
    let email = write.await?.ok_or_else(|| AdminError::NoSuchOwner(name.clone()))?;
    Ok(OwnerStanding { owner, email, is_active })
}
