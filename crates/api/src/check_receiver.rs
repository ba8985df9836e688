//! `POST /v1/webhooks/check`

use std::time::Duration;

use app::webhooks::{Checked, Step};
use axum::extract::State;
use axum::response::Response;
use domain::access::CheckReceiver;
use domain::ids::ClientId;
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use domain::url::UrlText;
use domain::webhooks::conformance::{
    Finding, Grade, grade_of_clock, grade_of_time, text_of_no_clock, text_of_time,
};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Optional, Request, Required, TextOf, request};
use crate::wire::{WireClock, WireTrouble, client_id, say};

request! {
    struct Receiver {
        url: Required<UrlText>,
        /// El cliente de quien es el receptor: todo lleva también su firma, si tiene un secreto. / The client whose receiver it
        /// is: everything bears its signature too, if it has a secret.
        client_owner_id: Optional<TextOf<ClientId>>,
    }
}

#[derive(Serialize, JsonSchema)]
struct ReceiverChecked {
    message: String,
    /// De todo: `passed`, `warning` o `failed`. / Of all of it: `passed`, `warning` or `failed`.
    grade: &'static str,
    /// Lo que se miró, en su orden. / What was looked at, in its order.
    checks: Vec<WireCheck>,
    clock: Option<WireClock>,
}

/// Qué se miró, qué tan bien está, y qué hacer. / What was looked at, how good it is, and what to do about it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReceiverCheck")]
struct WireCheck {
    /// Qué se miró, en una palabra que no cambia. / What was looked at, by a word that never changes.
    check: &'static str,
    /// `passed`; `skipped`: no se pudo ver; `warning`: mírelo; `failed`: corríjalo antes de que dependa dinero de
    /// ello. / `passed`; `skipped`: it could not be seen; `warning`: look at it; `failed`: correct it before money
    /// depends on it.
    grade: &'static str,
    /// Qué resultó y qué hacer, para personas. / What came of it and what to do, for people.
    text: String,
    /// El estado de HTTP que respondió el receptor; `null` donde no respondió o no se le preguntó. / The HTTP status
    /// that the receiver answered; `null` where it did not answer or was not asked.
    status: Option<u16>,
    /// Cuántos milisegundos tardó; `null` donde no se midió. / How many milliseconds it took; `null` where that was not
    /// measured.
    #[schemars(with = "Option<u64>")]
    duration_ms: Option<u128>,
    /// Por qué no se le oyó; `null` donde respondió o no se le preguntó. / Why it was not heard; `null` where it
    /// answered or was not asked.
    trouble: Option<WireTrouble>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<CheckReceiver, _, _>(Method::POST, "/v1/webhooks/check", handle)
        .does(
            Group::Webhooks,
            "Califica cómo un receptor cumple las reglas que se dan a los receptores.",
            "Grades how a receiver keeps the rules that receivers are told.",
        )
        .takes::<Receiver>(json!({ "url": "https://tienda.example/webhooks" }))
        .answers::<ReceiverChecked>(json!({
            "message": "su receptor pasa",
            "grade": "passed",
            "checks": [{
                "check": "clock",
                "grade": "passed",
                "text": "en hora",
                "status": null,
                "duration_ms": null,
                "trouble": null,
            }],
            "clock": WireClock::example(),
        }))
        .refuses(&[Code::WebhookUrlNotAllowed, Code::NotFound, Code::RequestInProgress])
}

async fn handle(
    admitted: Admitted<CheckReceiver>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (url, client) = parse(&body)?;
    let (act, language) = (&admitted.0, admitted.language());
    let checked = app::webhooks::check(&state.app, act, url, client).await?;
    answer::json(&ReceiverChecked::of(&checked, language))
}

fn parse(body: &JsonBody) -> Result<(UrlText, Option<ClientId>), Refusal> {
    let Receiver { url, client_owner_id } = Receiver::read(body)?;
    Ok((url, client_id(client_owner_id)?))
}

impl ReceiverChecked {
    fn of(checked: &Checked, language: Language) -> Self {
        let clock = checked.clock.map(|clock| WireClock::of(clock, language));
        let no_clock = || text_of_no_clock(language).to_owned();
        let clock_text = clock.as_ref().map_or_else(no_clock, |clock| clock.text.clone());
        let time_text = text_of_time(checked.slowest, language);
        let mut checks: Vec<_> =
            checked.steps.iter().map(|step| WireCheck::of(step, language)).collect();
        checks.push(WireCheck::besides("clock", grade_of_clock(checked.clock), clock_text, None));
        let time = grade_of_time(checked.slowest);
        checks.push(WireCheck::besides("answer_time", time, time_text, checked.slowest));
        let grade = checked.grade().as_str();
        Self { message: message(checked, language), grade, checks, clock }
    }
}

/// The result of all of it, in a sentence.
fn message(checked: &Checked, language: Language) -> String {
    if let Some(trouble) = checked.out_of_reach() {
        let said = say(language, "no se pudo comprobar", "it could not be checked");
        return format!("{said}: {}", trouble.text(language));
    }
    let (es, en) = match checked.grade() {
        Grade::Failed => (
            "su receptor no pasa: en `checks` está qué corregir",
            "your receiver does not pass: `checks` says what to correct",
        ),
        Grade::Warning | Grade::Skipped => (
            "su receptor pasa, con advertencias: en `checks` está qué mirar",
            "your receiver passes, with warnings: `checks` says what to look at",
        ),
        Grade::Passed => ("su receptor pasa", "your receiver passes"),
    };
    say(language, es, en).to_owned()
}

impl WireCheck {
    fn of(step: &Step, language: Language) -> Self {
        let trouble = match step.finding {
            Finding::Unheard(trouble) => Some(WireTrouble::of(trouble, language)),
            _ => None,
        };
        Self {
            check: step.probe.as_str(),
            grade: step.grade().as_str(),
            text: step.finding.text(step.probe, language),
            status: step.status,
            duration_ms: step.took.as_ref().map(Duration::as_millis),
            trouble,
        }
    }

    /// Builds a check about all answers together.
    fn besides(
        check: &'static str,
        grade: Grade,
        text: String,
        duration: Option<Duration>,
    ) -> Self {
        let duration_ms = duration.as_ref().map(Duration::as_millis);
        let grade = grade.as_str();
        Self { check, grade, text, status: None, duration_ms, trouble: None }
    }
}
