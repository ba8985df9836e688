//! Making plans, and saying which owner has which.

use domain::ids::{OwnerId, PlanId};
use domain::plans::Plan;
use store::tx::Tx;
use store::{Lane, Meter, audit, owners, plans};

use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::changes::changed;

/// How many plans there may be.
pub const PLANS_MAX: usize = 500;

/// Plan of an owner, and its state.
#[derive(Clone, Debug)]
pub struct OwnersPlan {
    /// The owner.
    pub owner: OwnerId,
    /// Its plan, if it has one.
    pub plan: Option<Plan>,
    /// Whether it is active; having none is.
    pub is_active: bool,
}

/// Change of an owner's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanChange {
    /// The owner gets this one, which is active.
    Set(PlanId),
    /// The owner has none any more.
    Remove,
    /// The one that it has is active again.
    Activate,
    /// The one that it has refuses new charges.
    Deactivate,
}

/// Makes a plan.
///
/// # Errors
/// [`AdminError::PlanLimit`], and what the store fails with.
pub async fn create_plan(operator: &Operator<'_>, plan: Plan) -> Result<(), AdminError> {
    let now = operator.now;
    let meter = Meter::default();
    let write = operator.store.write_shared(&meter, move |tx| {
        if plans::list(tx, limit())?.len() > PLANS_MAX - 1 {
            return Ok(Err(AdminError::PlanLimit(PLANS_MAX)));
        }
        plans::insert(tx, &plan, now).map(Ok)
    });
    write.await?
}

/// Every plan, the oldest first.
///
/// # Errors
/// A failure of the store.
pub async fn list_plans(operator: &Operator<'_>) -> Result<Vec<Plan>, AdminError> {
    let list = move |tx: &mut Tx<'_>| plans::list(tx, limit());
    Ok(operator.store.look_up(&Meter::default(), list).await?)
}

/// Changes what plan an owner has. What is under way ends as it was reserved.
///
/// # Errors
/// [`AdminError`] says what stands against it.
pub async fn change_owners_plan(
    operator: &Operator<'_>,
    name: &OwnerName,
    change: PlanChange,
) -> Result<OwnersPlan, AdminError> {
    let (owner, now) = (locate(operator, name).await?, operator.now);
    let name = name.clone();
    let action = match change {
        PlanChange::Set(_) => "SetPlan",
        PlanChange::Remove => "RemovePlan",
        PlanChange::Activate => "ActivatePlan",
        PlanChange::Deactivate => "DeactivatePlan",
    };
    let entry = audit_entry(operator, action, &owner);
    let meter = Meter::default();
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        if owners::find(tx, owner)?.is_none() {
            return Ok(Err(AdminError::NoSuchOwner(name.clone())));
        }
        let before = plans::of_owner(tx, owner)?;
        match change {
            PlanChange::Set(id) => {
                if plans::find(tx, id)?.is_none() {
                    return Ok(Err(AdminError::NoSuchPlan(id)));
                }
                plans::set(tx, owner, id, now)?;
            }
            PlanChange::Remove => plans::remove(tx, owner)?,
            PlanChange::Activate | PlanChange::Deactivate => {
                let is_active = change == PlanChange::Activate;
                if !plans::set_active(tx, owner, is_active, now)? {
                    return Ok(Err(AdminError::NoPlan));
                }
            }
        }
        let after = plans::of_owner(tx, owner)?;
        audit::insert_change(tx, owner, &entry, &changed(&before, &after), now)?;
        let (plan, is_active) =
            after.map_or((None, true), |(plan, is_active)| (Some(plan), is_active));
        Ok(Ok(OwnersPlan { owner, plan, is_active }))
    });
    write.await?
}

fn limit() -> i64 {
    i64::try_from(PLANS_MAX).unwrap_or(i64::MAX)
}
