//! `POST /app/rates/rule`: by which rule rates serve for the owner's links.

use axum::extract::State;
use axum::response::Response;
use domain::access::SetRateRule;
use domain::rates::RateRule;
use domain::refusal::Refusal;
use web::{AppState, NotTaken, Posted};

use super::RatesTexts;
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::fields::FormFields;

pub(super) const PATH: &str = "/app/rates/rule";

/// The rules as people choose among them.
pub(super) fn choices(t: &RatesTexts) -> Vec<Choice> {
    vec![
        Choice::new(RateRule::ByValueDate.as_str(), t.choose_value_date),
        Choice::new(RateRule::ByPublication.as_str(), t.choose_publication),
    ]
}

pub(super) async fn set(
    State(state): State<AppState>,
    Posted { signed, form }: Posted<SetRateRule>,
) -> Result<Response, NotTaken> {
    let mut fields = FormFields::of(&form);
    let unknown = ("no es una de las reglas", "is none of the rules");
    let rule = fields.required("rate_rule", |word| RateRule::parse(word).ok_or(unknown));
    let rule: Result<RateRule, Refusal> = fields.made(rule);
    app::own_rates::set_rule(&state.app, &signed.act, rule?).await?;
    Ok(see(&format!("{}?saved", super::PATH)))
}
