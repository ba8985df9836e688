//! `POST /v1/subscriptions/{subscription_id}/clock`

use app::subscriptions::{CLOCK_DAYS_MAX, ClockTarget, Happened, advance_clock, check_reach};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::AdvanceTestClock;
use domain::refusal::{Code, Problem, Refusal};
use domain::subscriptions::Step;
use domain::time::{CaracasDate, Timestamp};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Int, Optional, Request, request};
use crate::wire::{Shown, WireSubscription, WireTestClock, say, subscription_id};

request! {
    struct ClockToSet {
        /// El día, en Caracas, en cuyo comienzo queda el reloj. / The day, in Caracas, at whose beginning the clock stands.
        to: Optional<CaracasDate>,
        /// En lugar de `to`: cuántos días se adelanta; repetirlo adelanta otra vez. / Instead of `to`: by how many days it
        /// is advanced; the same again advances it once more.
        days: Optional<Int<1, CLOCK_DAYS_MAX>>,
    }
}

#[derive(Serialize, JsonSchema)]
struct ClockAdvanced<'a> {
    message: &'static str,
    subscription: WireSubscription<'a>,
    /// Si el reloj llegó. Si no, pida el resto, lo más seguro con `to`: una solicitud hace una parte, y un pago que se está
    /// consultando decide primero. / Whether the clock stands where it was to. Otherwise ask for the rest, safest by `to`:
    /// one request does a part, and a payer who is being checked decides first.
    reached: bool,
    /// Lo que pasó en el camino, en su orden. / What happened on the way, in its order.
    happened: Vec<WireHappened>,
}

/// Algo que pasó al adelantar el reloj. / Something that happened as the clock was advanced.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClockStep")]
struct WireHappened {
    /// `opened`: se abrió un período con su enlace; `reminded`: se recordó su pago; `lapsed`: venció sin pago; `skipped`:
    /// comenzó en pausa; `resumed`: terminó la pausa; `ended`: terminó la suscripción. / `opened`: a period opened with its
    /// link; `reminded`: its payment was reminded of; `lapsed`: it lapsed unpaid; `skipped`: it began during a pause;
    /// `resumed`: the pause ended; `ended`: the subscription ended.
    #[schemars(extend("enum" = ["opened", "reminded", "lapsed", "skipped", "resumed", "ended"]))]
    what: &'static str,
    /// El período, desde 1; `null` donde terminó la pausa o la suscripción. / The period, from 1 on; `null` where the pause
    /// or the subscription ended.
    cycle: Option<u32>,
    /// Cuándo, según el reloj de la suscripción. / When, by the clock of the subscription.
    at: Shown<Timestamp>,
}

impl WireHappened {
    fn of(happened: &Happened) -> Self {
        let (what, number) = match happened.step {
            Step::Open(number) => ("opened", Some(number)),
            Step::Remind { cycle, .. } => ("reminded", Some(cycle)),
            Step::Lapse(number) => ("lapsed", Some(number)),
            Step::Skip(number) => ("skipped", Some(number)),
            Step::Resume => ("resumed", None),
            Step::End(_) => ("ended", None),
        };
        let cycle = number.map(|number| number.saturating_add(1));
        Self { what, cycle, at: Shown(happened.at) }
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<AdvanceTestClock, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/clock",
        advance,
    )
    .does(
        Group::Subscriptions,
        "Adelanta el reloj de una suscripción de prueba, y hace en su orden todo lo que toca hasta entonces.",
        "Advances the clock of a test subscription, and does in order all that is due by then.",
    )
    .takes::<ClockToSet>(json!({ "days": 30 }))
    .answers::<ClockAdvanced<'_>>(json!({
        "message": "reloj adelantado",
        "subscription": tested(),
        "reached": true,
        "happened": [{ "what": "opened", "cycle": 2, "at": "2026-11-28T04:00:00.000Z" }],
    }))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

/// A subscription of the test bank, with made-up data.
fn tested() -> Value {
    let mut example = WireSubscription::example();
    example["livemode"] = json!(false);
    example["testClock"] = WireTestClock::example();
    example
}

async fn advance(
    admitted: Admitted<AdvanceTestClock>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = subscription_id(&id)?;
    // Who does not reach the subscription learns nothing else about the request.
    check_reach(&state.app, &admitted.0, id).await?;
    let to = target(&ClockToSet::read(&body)?)?;
    let advanced = advance_clock(&state.app, &admitted.0, id, to).await?;
    let message = match advanced.is_reached {
        true => ("reloj adelantado", "clock advanced"),
        false => ("el reloj se detuvo antes de llegar", "the clock stopped on the way"),
    };
    answer::json(&ClockAdvanced {
        message: say(admitted.language(), message.0, message.1),
        subscription: WireSubscription::of(&advanced.record),
        reached: advanced.is_reached,
        happened: advanced.happened.iter().map(WireHappened::of).collect(),
    })
}

/// Reads where the clock is to be set: one of the two fields says it.
fn target(wanted: &ClockToSet) -> Result<ClockTarget, Refusal> {
    let days = wanted.days.and_then(|days| u32::try_from(days).ok());
    match (wanted.to, days) {
        (Some(day), None) => Ok(ClockTarget::Day(day)),
        (None, Some(days)) => Ok(ClockTarget::Days(days)),
        (Some(_), Some(_)) => {
            let problem = Problem::of("va sin to", "is sent without to");
            Err(Refusal::invalid("days", problem))
        }
        (None, None) => {
            let problem = Problem::of("es obligatorio, o si no days", "is required, or else days");
            Err(Refusal::invalid("to", problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_field_says_where_the_clock_is_to_be() {
        let read = |body: &str| target(&ClockToSet::read(&JsonBody::from(body.to_owned()))?);
        let day = CaracasDate::parse("2026-12-20").unwrap();
        assert_eq!(read(r#"{"to": "2026-12-20"}"#), Ok(ClockTarget::Day(day)));
        assert_eq!(read(r#"{"days": 366, "to": null}"#), Ok(ClockTarget::Days(366)));
        for (body, field) in [
            ("{}", "to"),
            (r#"{"to": "2026-12-20", "days": 1}"#, "days"),
            (r#"{"to": "20/12/2026"}"#, "to"),
            (r#"{"days": 0}"#, "days"),
            (r#"{"days": 367}"#, "days"),
            (r#"{"days": 1.5}"#, "days"),
        ] {
            let Err(Refusal::Validation(details)) = read(body) else { panic!("{body}") };
            assert_eq!((details.len(), details[0].field.as_str()), (1, field), "{body}");
        }
    }
}
