//! Plans as the operator says and is shown them.

use anyhow::Context;
use app::admin::{Operator, OwnersPlan, PlanChange, change_owners_plan, create_plan, list_plans};
use domain::ids::PlanId;
use domain::plans::{Benefit, Period, Plan, PlanType};
use domain::text::Text;
use serde::{Deserialize, Serialize};

use super::{CommandOutcome, failed};

/// A plan in words. Without its id it is one that is to be made.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanRow {
    pub(crate) plan_id: Option<String>,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) plan_type: String,
    pub(crate) period: String,
    /// In hundredths.
    pub(crate) price: i64,
    pub(crate) request_limit: Option<i64>,
    pub(crate) bank_account_limit: Option<i64>,
    pub(crate) initial_credits: i64,
    pub(crate) max_accumulated_credits: Option<i64>,
    pub(crate) benefits: Vec<String>,
    pub(crate) salient: bool,
    pub(crate) hidden: bool,
}

/// Request of the operator about plans.
#[derive(Clone, Deserialize, Serialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum PlanRequest {
    /// Make one.
    Create {
        /// The plan, without its id.
        plan: PlanRow,
    },
    /// List them.
    List,
    /// Give an owner one.
    Set {
        /// E-mail address or id.
        owner: String,
        /// The plan's id.
        plan: String,
    },
    /// Take an owner's away.
    Remove {
        /// E-mail address or id.
        owner: String,
    },
    /// Have an owner's go on, or refuse new charges.
    SetActive {
        /// E-mail address or id.
        owner: String,
        /// Which of the two.
        is_active: bool,
    },
}

/// Does what is asked for.
pub(super) async fn perform(
    operator: &Operator<'_>,
    request: PlanRequest,
) -> anyhow::Result<CommandOutcome> {
    let (owner, change) = match request {
        PlanRequest::Create { plan } => {
            let plan = plan.read(PlanId::new(operator.ids, operator.now))?;
            let made = PlanRow::from(&plan);
            create_plan(operator, plan).await.map_err(failed)?;
            return Ok(CommandOutcome::Plan(made));
        }
        PlanRequest::List => {
            let plans = list_plans(operator).await.map_err(failed)?;
            return Ok(CommandOutcome::Plans(plans.iter().map(Into::into).collect()));
        }
        PlanRequest::Set { owner, plan } => (owner, PlanChange::Set(plan.parse()?)),
        PlanRequest::Remove { owner } => (owner, PlanChange::Remove),
        PlanRequest::SetActive { owner, is_active: true } => (owner, PlanChange::Activate),
        PlanRequest::SetActive { owner, is_active: false } => (owner, PlanChange::Deactivate),
    };
    let changed = change_owners_plan(operator, &owner.parse()?, change).await.map_err(failed)?;
    Ok(CommandOutcome::OwnersPlan(changed.into()))
}

/// Plan of an owner.
#[derive(Deserialize, Serialize)]
pub(crate) struct OwnersPlanRow {
    pub(crate) user_id: String,
    pub(crate) plan_id: Option<String>,
    pub(crate) plan: Option<String>,
    pub(crate) is_active: bool,
}

impl PlanRow {
    /// The plan of that id that the words say.
    ///
    /// # Errors
    /// Which of them says none, and why.
    pub(crate) fn read(&self, id: PlanId) -> anyhow::Result<Plan> {
        let benefits = self.benefits.iter().map(|text| Benefit::parse(text));
        Ok(Plan {
            id,
            name: Text::parse(&self.name).context("name")?,
            description: Text::parse(&self.description).context("description")?,
            kind: PlanType::parse(&self.plan_type).context("plan_type")?,
            period: Period::parse(&self.period).context("period")?,
            price: self.price,
            request_limit: self.request_limit,
            bank_account_limit: self.bank_account_limit,
            initial_credits: self.initial_credits,
            max_accumulated_credits: self.max_accumulated_credits,
            benefits: benefits.collect::<Result<_, _>>().context("benefit")?,
            is_salient: self.salient,
            is_hidden: self.hidden,
        })
    }
}

impl From<&Plan> for PlanRow {
    fn from(plan: &Plan) -> Self {
        Self {
            plan_id: Some(plan.id.to_string()),
            name: plan.name.as_str().to_owned(),
            description: plan.description.as_str().to_owned(),
            plan_type: plan.kind.as_str().to_owned(),
            period: plan.period.as_str().to_owned(),
            price: plan.price,
            request_limit: plan.request_limit,
            bank_account_limit: plan.bank_account_limit,
            initial_credits: plan.initial_credits,
            max_accumulated_credits: plan.max_accumulated_credits,
            benefits: plan.benefits.iter().map(|text| text.as_str().to_owned()).collect(),
            salient: plan.is_salient,
            hidden: plan.is_hidden,
        }
    }
}

impl From<OwnersPlan> for OwnersPlanRow {
    fn from(of: OwnersPlan) -> Self {
        Self {
            user_id: of.owner.to_string(),
            plan_id: of.plan.as_ref().map(|plan| plan.id.to_string()),
            plan: of.plan.map(|plan| plan.name.into_string()),
            is_active: of.is_active,
        }
    }
}
