//! `POST /app/rates/rule`: by which rule rates serve for the owner's links.

use axum::extract::State;
use axum::response::Response;
use domain::access::SetRateRule;
use domain::rates::RateRule;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::RatesTexts;
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;

pub(super) const PATH: &str = "/app/rates/rule";

/// The rules as people choose among them.
pub(super) fn choices(t: &RatesTexts) -> Vec<Choice> {
    vec![
        Choice::new(RateRule::ByValueDate.as_str(), t.choose_value_date),
        Choice::new(RateRule::ByPublication.as_str(), t.choose_publication),
    ]
}

/// The form with the rule that is in force.
pub(super) fn kept(rule: RateRule) -> FormState {
    FormState::changing(&[("rate_rule", rule.as_str())])
}

pub(super) async fn set(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<SetRateRule>,
) -> Result<Response, NotTaken> {
    let set = match read(&form) {
        Ok(None) => Ok(()),
        Ok(Some(rule)) => {
            let precondition = unless_overtaken(&form, |rule: &RateRule| kept(*rule));
            app::own_rates::set_rule(&state.app, &signed.act, rule, precondition).await.map(drop)
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(()) => Ok(see(&format!("{}?saved", super::PATH))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            let again = again.or(super::nothing_said(signed.act.now));
            Ok(super::page(&state, &signed, &uri, (again, false)).await?)
        }
    }
}

/// The rule, if it is changed.
fn read(form: &FormBody) -> Result<Option<RateRule>, Refusal> {
    let mut fields = FormFields::of(form);
    let known = |word: &str| {
        RateRule::parse(word).ok_or(("no es una de las reglas", "is not one of the rules"))
    };
    if !form.has("rate_rule") {
        fields.problem::<()>("rate_rule", ("falta", "is missing"));
    }
    let rule = fields.edited("rate_rule", |fields, name| fields.required(name, known)).flatten();
    fields.made(Some(rule))
}
