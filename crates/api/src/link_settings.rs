//! `GET` and `PUT /v1/payment-link-settings`

use app::Precondition;
use app::links::{set_settings, show_settings};
use axum::extract::State;
use axum::response::Response;
use domain::access::{SetLinkSettings, ShowLinkSettings};
use domain::links::{ATTEMPTS_ALLOWED_MAX, LinkSettings};
use domain::refusal::Refusal;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Int, NullOr, Request, Required, beside, request, shown};
use crate::wire::say;

const PATH: &str = "/v1/payment-link-settings";

request! {
    /// Both must be there, so that a slip in a name takes nothing back.
    struct LinkChoices {
        /// Cuántas referencias puede probar un pagador en un enlace; `null` es sin límite. / How many references a
        /// payer may try on a link; `null` is no limit.
        max_attempts: NullOr<Int<1, { ATTEMPTS_ALLOWED_MAX as i64 }>>,
        /// Si un webhook avisa de los enlaces que vencen. / Whether a webhook tells of links that expire.
        announce_expiry: Required<bool>,
    }
}

#[derive(Serialize, JsonSchema)]
struct LinkSettingsAnswer {
    message: &'static str,
    /// Cuántas referencias puede probar un pagador en un enlace; `null` es sin límite. / How many references a payer
    /// may try on a link; `null` is no limit.
    max_attempts: Option<u32>,
    /// Si un webhook avisa de los enlaces que vencen o se anulan. / Whether a webhook tells of links that expire or are
    /// canceled.
    announce_expiry: bool,
}

pub(crate) fn show_endpoint() -> Endpoint {
    Endpoint::strict::<ShowLinkSettings, _, _>(Method::GET, PATH, show)
        .does(
            Group::Links,
            "Muestra lo que el titular eligió para sus enlaces de pago.",
            "Shows what the owner has chosen for its payment links.",
        )
        .answers::<LinkSettingsAnswer>(example("ajustes de los enlaces"))
}

pub(crate) fn set_endpoint() -> Endpoint {
    Endpoint::strict::<SetLinkSettings, _, _>(Method::PUT, PATH, set)
        .does(
            Group::Links,
            "Cambia lo que el titular elige para sus enlaces de pago.",
            "Sets what the owner chooses for its payment links.",
        )
        .takes::<LinkChoices>(json!({ "max_attempts": 5, "announce_expiry": true }))
        .answers::<LinkSettingsAnswer>(example("ajustes guardados"))
}

fn example(message: &str) -> Value {
    json!({ "message": message, "max_attempts": 5, "announce_expiry": true })
}

async fn show(
    admitted: Admitted<ShowLinkSettings>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let settings = show_settings(&state.app, &admitted.0).await?;
    answer_of(say(admitted.language(), "ajustes de los enlaces", "settings of links"), settings)
}

async fn set(
    admitted: Admitted<SetLinkSettings>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let shows = async { shown(show(Admitted(admitted.also()?), State(state.clone())), "").await };
    let body = beside::<LinkChoices>(body, shows).await?;
    let settings =
        set_settings(&state.app, &admitted.0, parse(&body)?.into(), Precondition::none()).await?;
    answer_of(say(admitted.language(), "ajustes guardados", "settings kept"), settings)
}

fn answer_of(message: &'static str, settings: LinkSettings) -> Result<Response, Failure> {
    let LinkSettings { max_attempts, announce_expiry } = settings;
    answer::json(&LinkSettingsAnswer { message, max_attempts, announce_expiry })
}

fn parse(body: &JsonBody) -> Result<LinkSettings, Refusal> {
    let LinkChoices { max_attempts, announce_expiry } = LinkChoices::read(body)?;
    let max_attempts = max_attempts.and_then(|attempts| u32::try_from(attempts).ok());
    Ok(LinkSettings { max_attempts, announce_expiry })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_needed_and_bounded() {
        let settings = |max_attempts| LinkSettings { max_attempts, announce_expiry: true };
        let parsed = |json: &'static str| parse(&JsonBody::from(json));
        let twenty = parsed(r#"{"max_attempts": 20, "announce_expiry": true}"#);
        assert_eq!(twenty.unwrap(), settings(Some(20)));
        let endless = parsed(r#"{"max_attempts": null, "announce_expiry": true}"#);
        assert_eq!(endless.unwrap(), settings(None));
        for (json, count) in [
            ("{}", 2),
            (r#"{"announce_expiry": true}"#, 1),
            (r#"{"max_attempts": 3}"#, 1),
            (r#"{"max_attempts": 0, "announce_expiry": false}"#, 1),
            (r#"{"max_attempts": 21, "announce_expiry": "no"}"#, 2),
            (r#"{"max_attempts": 1.5, "announce_expiry": false}"#, 1),
        ] {
            let Err(Refusal::Validation(details)) = parsed(json) else { panic!("{json}") };
            assert_eq!(details.len(), count, "{json}");
        }
    }
}
