//! `GET /me/plan`

use axum::extract::State;
use axum::response::Response;
use domain::access::ShowPlan;
use domain::ids::PlanId;
use domain::language::Language;
use domain::money::Bolivars;
use domain::plans::{Period, Plan, PlanType};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{Shown, say};

/// Value answered for "no limit".
const UNLIMITED: i64 = -1;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PlanAnswer<'a> {
    message: &'static str,
    plan: WirePlan<'a>,
    /// Lo mismo que `plan.name`. / The same as `plan.name`.
    name: &'a str,
    /// Lo mismo que `plan.planType`. / The same as `plan.planType`.
    plan_type: &'static str,
}

/// Un plan. Sin ninguno nada tiene límite, y eso se dice como un plan sin id. / A plan. Without one nothing is limited,
/// and that is told as a plan without an id.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Plan")]
#[serde(rename_all = "camelCase")]
struct WirePlan<'a> {
    /// Su id; `null` sin plan. / Its id; `null` without a plan.
    id: Option<Shown<PlanId>>,
    name: &'a str,
    /// Qué es, para personas. / What it is, for people.
    description: &'a str,
    /// `credit`: por créditos que se compran; `counter`: por cobros al mes; `unlimited`: sin límite de
    /// cobros. / `credit`: by credits that are bought; `counter`: by charges in a month; `unlimited`: without a limit
    /// of charges.
    #[schemars(extend("enum" = ["credit", "unlimited", "counter"]))]
    plan_type: &'static str,
    /// Por cuánto tiempo se paga. / For how long it is paid.
    #[schemars(extend("enum" = ["month", "six_months", "year"]))]
    period: &'static str,
    /// Su precio por ese tiempo, como lo dijo el operador. / Its price for that time, as the operator said it.
    price: f64,
    /// Cobros en un mes de Caracas; -1 es cualquier cantidad. / Charges in a month of Caracas; -1 is any number.
    request_limit: i64,
    /// Cuentas bancarias vinculadas; -1 es tantas como cualquiera puede tener. / Linked bank accounts; -1 is as many as
    /// anybody may.
    bank_account_limit: i64,
    /// Los créditos con que se vende. / The credits that it is sold with.
    initial_credits: i64,
    /// -1 es cualquier cantidad. / -1 is any number.
    #[serde(rename = "maxAcumulatedCredits")]
    max_accumulated_credits: i64,
    /// Lo que trae, para personas. / What it has, for people.
    benefits: Vec<WireBenefit<'a>>,
    /// Si se muestra antes que otros. / Whether it is shown before others.
    salient: bool,
    /// Si no se le ofrece a nadie más. / Whether it is offered to nobody else.
    hidden: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlanBenefit")]
struct WireBenefit<'a> {
    /// Lo que es, para personas. / What it is, for people.
    description: &'a str,
    /// Si el plan lo tiene. / Whether the plan has it.
    contain: bool,
}

impl<'a> WirePlan<'a> {
    fn of(plan: &'a Plan) -> Self {
        let benefit = |text: &'a domain::plans::Benefit| WireBenefit {
            description: text.as_str(),
            contain: true,
        };
        Self {
            id: Some(Shown(plan.id)),
            name: plan.name.as_str(),
            description: plan.description.as_str(),
            plan_type: plan.kind.as_str(),
            period: plan.period.as_str(),
            price: Bolivars::from_hundredths(plan.price).to_number(),
            request_limit: plan.request_limit.unwrap_or(UNLIMITED),
            bank_account_limit: plan.bank_account_limit.unwrap_or(UNLIMITED),
            initial_credits: plan.initial_credits,
            max_accumulated_credits: plan.max_accumulated_credits.unwrap_or(UNLIMITED),
            benefits: plan.benefits.iter().map(benefit).collect(),
            salient: plan.is_salient,
            hidden: plan.is_hidden,
        }
    }

    /// Builds the answer for an owner without a plan.
    fn none(language: Language) -> Self {
        Self {
            id: None,
            name: say(language, "Sin plan", "No plan"),
            description: "",
            plan_type: PlanType::Unlimited.as_str(),
            period: Period::Month.as_str(),
            price: 0.0,
            request_limit: UNLIMITED,
            bank_account_limit: UNLIMITED,
            initial_credits: 0,
            max_accumulated_credits: UNLIMITED,
            benefits: Vec::new(),
            salient: false,
            hidden: false,
        }
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowPlan, _, _>(Method::GET, "/me/plan", handle)
        .does(Group::Limits, "Muestra el plan del titular.", "Shows the owner's plan.")
        .answers::<PlanAnswer<'_>>(json!({
            "message": "plan",
            "plan": {
                "id": "plan_00000000000000000000000001",
                "name": "Comercio",
                "description": "Para una tienda",
                "planType": "counter",
                "period": "month",
                "price": 25.0,
                "requestLimit": 1000,
                "bankAccountLimit": 3,
                "initialCredits": 100,
                "maxAcumulatedCredits": -1,
                "benefits": [{ "description": "Soporte por WhatsApp", "contain": true }],
                "salient": false,
                "hidden": false,
            },
            "name": "Comercio",
            "planType": "counter",
        }))
}

async fn handle(
    State(state): State<AppState>,
    Admitted(act): Admitted<ShowPlan>,
) -> Result<Response, Failure> {
    let language = act.request.language;
    let found = app::plans::show(&state.app, &act).await?;
    let plan = found.as_ref().map_or_else(|| WirePlan::none(language), WirePlan::of);
    let (name, plan_type) = (plan.name, plan.plan_type);
    answer::json(&PlanAnswer { message: say(language, "plan", "plan"), plan, name, plan_type })
}
