//! Plans: making them, and saying which owner has which.

use std::process::ExitCode;

use domain::text::Text;

use super::{lists, write};
use crate::admin::{PlanRequest, PlanRow, Request};
use crate::cli::{CreatePlan, OneOwner, PlanCommand, SetPlan};

/// Does what is said of plans.
pub(super) fn run(command: &PlanCommand) -> anyhow::Result<ExitCode> {
    match command {
        PlanCommand::Create(new) => create(new),
        PlanCommand::List(list) => lists::plans(list),
        PlanCommand::Set(given) => set(given),
        PlanCommand::Remove(of) => remove(of),
        PlanCommand::Activate(of) => set_active(of, true),
        PlanCommand::Deactivate(of) => set_active(of, false),
    }
}

/// Makes a plan.
fn create(create: &CreatePlan) -> anyhow::Result<ExitCode> {
    let plan = PlanRow {
        plan_id: None,
        name: create.name.as_str().to_owned(),
        description: create.description.as_str().to_owned(),
        plan_type: create.kind.as_str().to_owned(),
        period: create.period.as_str().to_owned(),
        price: create.price,
        request_limit: create.request_limit,
        bank_account_limit: create.bank_account_limit,
        initial_credits: create.initial_credits,
        max_accumulated_credits: create.max_accumulated_credits,
        benefits: create.benefits.iter().cloned().map(Text::into_string).collect(),
        salient: create.salient,
        hidden: create.hidden,
    };
    write(&create.place, Request::Plan(PlanRequest::Create { plan }), create.json)
}

/// Gives an owner a plan.
fn set(set: &SetPlan) -> anyhow::Result<ExitCode> {
    let (owner, plan) = (set.owner.to_string(), set.plan.to_string());
    write(&set.place, Request::Plan(PlanRequest::Set { owner, plan }), set.json)
}

/// Takes an owner's plan away.
fn remove(of: &OneOwner) -> anyhow::Result<ExitCode> {
    let request = PlanRequest::Remove { owner: of.owner.to_string() };
    write(&of.place, Request::Plan(request), of.json)
}

/// Makes an owner's plan go on, or refuse new charges.
fn set_active(of: &OneOwner, is_active: bool) -> anyhow::Result<ExitCode> {
    let request = PlanRequest::SetActive { owner: of.owner.to_string(), is_active };
    write(&of.place, Request::Plan(request), of.json)
}
