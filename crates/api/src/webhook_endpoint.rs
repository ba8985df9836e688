//! `GET` and `PUT /v1/webhooks/endpoint`

use app::Precondition;
use app::credits_events::{Choice, set_endpoint, show_endpoint};
use axum::extract::State;
use axum::response::Response;
use domain::access::{SetWebhookEndpoint, ShowWebhookEndpoint};
use domain::money::Credits;
use domain::refusal::{Code, Refusal};
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::{self, InvalidLevels, LowBalanceLevels};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, Fields, JsonBody, answer};

use crate::operation::{Endpoint, Group, Kind, NullOr, Optional, Request, beside, request, shown};
use crate::wire::{Shown, say};

const PATH: &str = "/v1/webhooks/endpoint";

request! {
    /// The address must be there, so that a slip in its name takes nothing back.
    struct EndpointChosen {
        /// `null` es ninguna. / `null` is none.
        url: NullOr<UrlText>,
        /// En qué saldos de créditos se le avisa al titular; sin él, en los del servicio. / At which balances of
        /// credits the owner is told; without it, at those of the service.
        low_balance_levels: Optional<Levels>,
    }
}

/// Balances, each a whole number of credits.
struct Levels;

impl Kind for Levels {
    type Value = LowBalanceLevels;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<LowBalanceLevels> {
        let Ok(numbers) = serde_json::from_str::<Vec<f64>>(raw.get()) else {
            let problem = ("debe ser una lista de números", "must be a list of numbers");
            return fields.problem(name, problem);
        };
        let whole = |number| Credits::from_number(number).map_err(|_| InvalidLevels::OutOfRange);
        let levels = numbers.into_iter().map(whole).collect::<Result<Vec<_>, _>>();
        let levels = levels.and_then(LowBalanceLevels::parse);
        levels.map_or_else(|error| fields.problem(name, error), Some)
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": { "type": "integer" } })
    }
}

#[derive(Serialize, JsonSchema)]
struct WebhookEndpointAnswer<'a> {
    message: &'static str,
    /// El destino; `null` donde no se eligió ninguno. / The endpoint; `null` where none was chosen.
    endpoint: Option<WireEndpoint<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpoint")]
struct WireEndpoint<'a> {
    /// Adónde van los webhooks de la cuenta. / Where webhooks of the account go.
    url: &'a str,
    /// De qué saldos se avisa cuando se baja de ellos. / The balances that it is told of when less is left.
    low_balance_levels: Vec<i64>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

pub(crate) fn show_endpoint_of_owner() -> Endpoint {
    Endpoint::strict::<ShowWebhookEndpoint, _, _>(Method::GET, PATH, show)
        .does(
            Group::Webhooks,
            "Muestra adónde se avisa al titular de sus créditos.",
            "Shows where the owner's systems are told of its credits.",
        )
        .answers::<WebhookEndpointAnswer<'_>>(example("destino de los avisos"))
}

async fn show(
    admitted: Admitted<ShowWebhookEndpoint>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let endpoint = show_endpoint(&state.app, &admitted.0).await?;
    let message = say(admitted.language(), "destino de los avisos", "where webhooks go");
    answer_of(message, endpoint.as_ref())
}

pub(crate) fn set_endpoint_of_owner() -> Endpoint {
    Endpoint::strict::<SetWebhookEndpoint, _, _>(Method::PUT, PATH, set)
        .does(
            Group::Webhooks,
            "Elige adónde se avisa al titular de sus créditos.",
            "Sets where the owner's systems are told of its credits.",
        )
        .takes::<EndpointChosen>(
            json!({ "url": "https://tienda.example/webhooks", "low_balance_levels": [100, 20] }),
        )
        .answers::<WebhookEndpointAnswer<'_>>(example("destino guardado"))
        .refuses(&[Code::WebhookUrlNotAllowed])
}

async fn set(
    admitted: Admitted<SetWebhookEndpoint>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let shows =
        async { shown(show(Admitted(admitted.also()?), State(state.clone())), "/endpoint").await };
    let body = beside::<EndpointChosen>(body, shows).await?;
    let endpoint =
        set_endpoint(&state.app, &admitted.0, parse(&body)?, Precondition::none()).await?;
    answer_of(say(admitted.language(), "destino guardado", "endpoint kept"), endpoint.as_ref())
}

fn answer_of(
    message: &'static str,
    endpoint: Option<&webhooks::Endpoint>,
) -> Result<Response, Failure> {
    let endpoint = endpoint.map(|endpoint| WireEndpoint {
        url: endpoint.url.as_str(),
        low_balance_levels: endpoint.levels.as_slice().iter().map(|level| level.get()).collect(),
        created_at: Shown(endpoint.created_at),
        updated_at: Shown(endpoint.updated_at),
    });
    answer::json(&WebhookEndpointAnswer { message, endpoint })
}

fn parse(body: &JsonBody) -> Result<Choice, Refusal> {
    let EndpointChosen { url, low_balance_levels } = EndpointChosen::read(body)?;
    Ok(Choice { url: Some(url), levels: low_balance_levels })
}

fn example(message: &str) -> Value {
    json!({
        "message": message,
        "endpoint": {
            "url": "https://tienda.example/webhooks",
            "low_balance_levels": [100, 20],
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &'static str) -> Result<Choice, Refusal> {
        parse(&JsonBody::from(json))
    }

    #[test]
    fn an_address_may_come_with_levels_or_be_none() {
        let url = Some(UrlText::parse("https://tienda.example/avisos").unwrap());
        let alone = parsed(r#"{"url": "https://tienda.example/avisos"}"#).unwrap();
        assert_eq!(alone, Choice { url: Some(url.clone()), levels: None });
        let json = r#"{"url": "https://tienda.example/avisos", "low_balance_levels": [5, 50.0]}"#;
        let levels = LowBalanceLevels::parse([50, 5].map(Credits::new).into()).unwrap();
        assert_eq!(parsed(json).unwrap(), Choice { url: Some(url), levels: Some(levels) });
        let none = parsed(r#"{"url": null, "low_balance_levels": null}"#).unwrap();
        assert_eq!(none, Choice { url: Some(None), levels: None });
    }

    #[test]
    fn what_is_missing_or_no_level_is_named() {
        for (json, named) in [
            ("{}", "url"),
            (r#"{"uri": "https://tienda.example"}"#, "url"),
            (r#"{"url": "tienda.example"}"#, "url"),
            (r#"{"url": 7}"#, "url"),
            (r#"{"url": null, "low_balance_levels": 7}"#, "low_balance_levels"),
            (r#"{"url": null, "low_balance_levels": ["7"]}"#, "low_balance_levels"),
            (r#"{"url": null, "low_balance_levels": [-1]}"#, "low_balance_levels"),
            (r#"{"url": null, "low_balance_levels": [1.5]}"#, "low_balance_levels"),
            (r#"{"url": null, "low_balance_levels": [7, 7]}"#, "low_balance_levels"),
            (
                r#"{"url": null, "low_balance_levels": [0,1,2,3,4,5,6,7,8,9,10]}"#,
                "low_balance_levels",
            ),
        ] {
            let Err(Refusal::Validation(details)) = parsed(json) else { panic!("{json}") };
            assert_eq!(details.len(), 1, "{json}");
            assert_eq!(details[0].field, named, "{json}");
        }
    }
}
