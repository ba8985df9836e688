//! `POST /app/webhooks/endpoint`

use app::Error;
use app::credits_events::{Choice, set_endpoint};
use axum::extract::State;
use axum::response::Response;
use domain::access::SetWebhookEndpoint;
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::url::UrlText;
use domain::webhooks::{Endpoint, InvalidLevels, LowBalanceLevels};
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::setup::SetupTexts;
use super::{beside_url, setup};
use crate::checkout::see;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<SetWebhookEndpoint, _, _>("/app/webhooks/endpoint", set)
            .takes(&["url", "low_balance_levels"])
            .labelled(|language| {
                let t = SetupTexts::of(language);
                vec![("url", t.url), ("low_balance_levels", t.levels)]
            }),
    ]
}

async fn set(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<SetWebhookEndpoint>,
) -> Result<Response, NotTaken> {
    let set = match read(&form) {
        Ok(choice) => {
            let kept = |endpoint: &Option<Endpoint>| setup::kept(endpoint.as_ref());
            let precondition = unless_overtaken(&form, kept);
            set_endpoint(&state.app, &signed.act, choice, precondition).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{}?saved", setup::PATH))),
        Err(error) => {
            let error = match error {
                Error::Refused(refusal) => Error::from(beside_url(refusal)),
                error => error,
            };
            let again = FormState::again(&form, error, signed.language())?;
            Ok(setup::page(&state, &signed, &uri, Some(again)).await?)
        }
    }
}

/// An empty address is none; the field must be there, so that no other form takes it back.
fn read(form: &FormBody) -> Result<Choice, Refusal> {
    let mut fields = FormFields::of(form);
    if !form.has("url") {
        fields.problem::<()>("url", ("falta", "is missing"));
    }
    let url = fields.edited("url", |fields, name| fields.optional(name, UrlText::parse));
    let levels = fields.edited("low_balance_levels", |fields, name| {
        let levels = levels(&form.field(name));
        levels.map_or_else(|error| fields.problem(name, error), Some)
    });
    fields.made(Some(Choice { url, levels: levels.flatten() }))
}

/// Numbers with anything between them that is no digit.
fn levels(text: &str) -> Result<LowBalanceLevels, InvalidLevels> {
    let is_number = |word: &&str| !word.is_empty();
    let words = text.split([' ', ',', ';', '\t']).filter(is_number);
    let level = |word: &str| word.parse().map(Credits::new).map_err(|_| InvalidLevels::OutOfRange);
    LowBalanceLevels::parse(words.map(level).collect::<Result<_, _>>()?)
}
