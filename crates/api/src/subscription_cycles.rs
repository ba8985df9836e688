//! `GET /v1/subscriptions/{subscription_id}/cycles`, `POST …/cycles/{cycle}/link` and `POST …/cycles/{cycle}/waive`

use app::paging::PageNumber;
use app::subscriptions::{CycleRecord, CycleState, WaiveReason, cycles, renew, waive};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ListCycles, RenewCycleLink, WaiveCycle};
use domain::refusal::{Code, Refusal};
use domain::time::CaracasDate;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{EmptyBody, Endpoint, Group, Optional, Query, Request, request};
use crate::wire::{
    LinkAnswer, Shown, SubscriptionAnswer, WireLink, said, said_of_subscription, say,
    subscription_id,
};

request! {
    struct Waiving {
        /// Por qué se perdona; queda en la auditoría. / Why it is waived; kept in the audit trail.
        reason: Optional<WaiveReason>,
    }
}

#[derive(Serialize, JsonSchema)]
struct CyclesListed<'a> {
    message: &'static str,
    /// Los períodos de esta página. / The periods of this page.
    cycles: Vec<WireCycle<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// Un período de una suscripción, con el enlace que pide su pago. / A period of a subscription, with the link that asks for
/// its payment.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionCycle")]
struct WireCycle<'a> {
    /// Su número, desde 1. / Its number, from 1 on.
    cycle: u32,
    /// `lapsed`: nadie pagó a tiempo, y todavía se puede pagar con otro enlace; `waived`: usted lo perdonó. / `lapsed`:
    /// nobody paid in time, and it can still be paid by another link; `waived`: you waived it.
    #[schemars(extend("enum" = CycleState::ALL.map(CycleState::as_str)))]
    status: &'static str,
    /// Su primer día, en Caracas. / Its first day, in Caracas.
    first_day: Shown<CaracasDate>,
    /// Su último día, en Caracas. / Its last day, in Caracas.
    last_day: Shown<CaracasDate>,
    /// El día en que toca pagarlo. / The day on which it is to be paid.
    due_date: Shown<CaracasDate>,
    #[serde(rename = "payment_link")]
    payment_link: WireLink<'a>,
}

impl<'a> WireCycle<'a> {
    fn of(record: &'a CycleRecord) -> Self {
        Self {
            cycle: record.number.saturating_add(1),
            status: record.state.as_str(),
            first_day: Shown(record.period.begins),
            last_day: Shown(record.period.ends.plus_days(-1)),
            due_date: Shown(record.due),
            payment_link: WireLink::of(&record.link),
        }
    }
}

pub(crate) fn list_endpoint() -> Endpoint {
    Endpoint::strict::<ListCycles, _, _>(
        Method::GET,
        "/v1/subscriptions/{subscription_id}/cycles",
        list,
    )
    .does(
        Group::Subscriptions,
        "Lista los períodos que se abrieron de una suscripción, primero el último.",
        "Lists the periods that were asked for of a subscription, the latest first.",
    )
    .query::<PageNumber>()
    .answers::<CyclesListed<'_>>(json!({
        "message": "períodos",
        "cycles": [{
            "cycle": 1,
            "status": "open",
            "firstDay": "2026-12-01",
            "lastDay": "2026-12-31",
            "dueDate": "2026-12-01",
            "payment_link": WireLink::example(),
        }],
        "total": 1,
        "page": 1,
        "limit": 25,
    }))
}

async fn list(
    admitted: Admitted<ListCycles>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (id, number) = (subscription_id(&id)?, PageNumber::read(&uri)?);
    let found = cycles(&state.app, &admitted.0, id, number).await?;
    answer::json(&CyclesListed {
        message: say(admitted.language(), "períodos", "periods"),
        cycles: found.entries.iter().map(WireCycle::of).collect(),
        total: found.total,
        page: number.page,
        limit: number.limit,
    })
}

pub(crate) fn renew_endpoint() -> Endpoint {
    Endpoint::strict::<RenewCycleLink, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/cycles/{cycle}/link",
        make_link,
    )
    .does(
        Group::Subscriptions,
        "Da otro enlace a un período que se debe y cuyo enlace terminó; si el suyo todavía se puede pagar, lo repite.",
        "Gives a period that is owed and whose link has ended another one; repeats its own where that can still be paid.",
    )
    .takes_nothing()
    .answers::<LinkAnswer<'_>>(LinkAnswer::example("enlace del período"))
    .refuses(&[Code::Conflict, Code::RequestInProgress, Code::RenovationIsAlreadyPaid])
}

async fn make_link(
    admitted: Admitted<RenewCycleLink>,
    State(state): State<AppState>,
    Path((id, cycle)): Path<(String, String)>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let number = cycle_number(&cycle)?;
    let record = renew(&state.app, &admitted.0, subscription_id(&id)?, number).await?;
    said(say(admitted.language(), "enlace del período", "link of the period"), &record)
}

pub(crate) fn waive_endpoint() -> Endpoint {
    Endpoint::strict::<WaiveCycle, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/cycles/{cycle}/waive",
        waive_cycle,
    )
    .does(
        Group::Subscriptions,
        "Perdona un período que se pidió y no se pagó: ya no se debe, y su enlace abierto se anula.",
        "Waives a period that was asked for and not paid: it is not owed any more, and its open link is canceled.",
    )
    .takes::<Waiving>(json!({ "reason": "Un mes de cortesía" }))
    .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("período perdonado"))
    .refuses(&[Code::Conflict, Code::RequestInProgress, Code::RenovationIsAlreadyPaid])
}

async fn waive_cycle(
    admitted: Admitted<WaiveCycle>,
    State(state): State<AppState>,
    Path((id, cycle)): Path<(String, String)>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let Waiving { reason } = Waiving::read(&body)?;
    let (id, number) = (subscription_id(&id)?, cycle_number(&cycle)?);
    let record = waive(&state.app, &admitted.0, id, number, reason).await?;
    said_of_subscription(say(admitted.language(), "período perdonado", "period waived"), &record)
}

/// The number of a cycle in a path, which is counted from one. Another text names none.
fn cycle_number(text: &str) -> Result<u32, Refusal> {
    let number = text.parse::<u32>().ok().and_then(|cycle| cycle.checked_sub(1));
    number.ok_or(Refusal::NotFound("cycle"))
}
