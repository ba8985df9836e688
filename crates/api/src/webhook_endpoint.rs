//! `GET` and `PUT /v1/webhooks/endpoint`

use app::credits_events::{Choice, set_endpoint, show_endpoint};
use axum::extract::State;
use axum::response::Response;
use domain::access::{SetWebhookEndpoint, ShowWebhookEndpoint};
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::{Endpoint, InvalidLevels, LowBalanceLevels};
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::{Shown, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(default, borrow, deserialize_with = "web::fields::even_null")]
    url: Field<'a>,
    #[serde(borrow)]
    low_balance_levels: Field<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    endpoint: Option<WireEndpoint<'a>>,
}

#[derive(Serialize)]
struct WireEndpoint<'a> {
    url: &'a str,
    low_balance_levels: Vec<i64>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

pub(crate) async fn show(
    admitted: Admitted<ShowWebhookEndpoint>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let endpoint = show_endpoint(&state.app, &admitted.0).await?;
    let message = say(admitted.language(), "destino de los avisos", "where webhooks go");
    told(message, endpoint.as_ref())
}

pub(crate) async fn set(
    admitted: Admitted<SetWebhookEndpoint>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let endpoint = set_endpoint(&state.app, &admitted.0, parse(&body)?).await?;
    told(say(admitted.language(), "destino guardado", "endpoint kept"), endpoint.as_ref())
}

fn told(message: &'static str, endpoint: Option<&Endpoint>) -> Result<Response, Failure> {
    let endpoint = endpoint.map(|endpoint| WireEndpoint {
        url: endpoint.url.as_str(),
        low_balance_levels: endpoint.levels.as_slice().iter().map(|level| level.get()).collect(),
        created_at: Shown(endpoint.created_at),
        updated_at: Shown(endpoint.updated_at),
    });
    answer::json(&Answer { message, endpoint })
}

/// The address must be there, so that a slip in its name takes nothing back.
fn parse(body: &JsonBody) -> Result<Choice, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let url = match wire.url {
        None => fields.problem(
            "url",
            (
                "es obligatorio: una dirección, o null para ninguna",
                "is required: an address, or null for none",
            ),
        ),
        Some(raw) if raw.get() == "null" => None,
        given => fields.text("url", given, UrlText::parse),
    };
    let levels = levels(&mut fields, "low_balance_levels", wire.low_balance_levels);
    if fields.are_right() { Ok(Choice { url, levels }) } else { Err(fields.refusal()) }
}

fn levels(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<LowBalanceLevels> {
    let Ok(numbers) = serde_json::from_str::<Vec<f64>>(field?.get()) else {
        return fields
            .problem(name, ("debe ser una lista de números", "must be a list of numbers"));
    };
    let whole = |number| Credits::from_number(number).map_err(|_| InvalidLevels::OutOfRange);
    let levels = numbers.into_iter().map(whole).collect::<Result<Vec<_>, _>>();
    let levels = levels.and_then(LowBalanceLevels::parse);
    levels.map_or_else(|error| fields.problem(name, error), Some)
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
        assert_eq!(alone, Choice { url: url.clone(), levels: None });
        let json = r#"{"url": "https://tienda.example/avisos", "low_balance_levels": [5, 50.0]}"#;
        let levels = LowBalanceLevels::parse([50, 5].map(Credits::new).into()).unwrap();
        assert_eq!(parsed(json).unwrap(), Choice { url, levels: Some(levels) });
        let none = parsed(r#"{"url": null, "low_balance_levels": null}"#).unwrap();
        assert_eq!(none, Choice { url: None, levels: None });
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
