//! `POST /v1/subscriptions/{subscription_id}/cancelbyowner`, `undo-cancel`, `pause`, `resume`, `price` and `unpaid-policy`

use app::Precondition;
use app::subscriptions::{
    PauseEnd, RESUMES_ON, Status, When, cancel, pause, resume, set_price, set_unpaid_policy,
    undo_cancel,
};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    CancelSubscription, PauseSubscription, ResumeSubscription, SetSubscriptionPrice,
    SetUnpaidPolicy, UndoCancellation,
};
use domain::refusal::{Code, Problem, Refusal};
use domain::subscriptions::{Calendar, Resumption};
use domain::time::CaracasDate;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Change, EmptyBody, Endpoint, Group, Optional, Request, Required, request};
use crate::wire::{
    LinkAmount, SubscriptionAnswer, UnpaidPolicyWord, said_of_subscription, say, subscription_id,
};

request! {
    struct Cancellation {
        /// `true` la termina con el período en curso, y se puede deshacer hasta entonces; sin él, de inmediato. / `true`
        /// ends it with the period that runs, and can be undone until then; at once, without it.
        at_period_end as "atPeriodEnd": Optional<bool>,
    }
}

request! {
    struct Pausing {
        /// El día, en Caracas, en cuyo comienzo se reanuda por sí sola; sin él, cuando usted la reanude. En una que ya está en
        /// pausa fija el día, y `null` lo quita. / The day, in Caracas, at whose beginning it resumes by itself; without it,
        /// when you resume it. Of one that is paused it sets the day, and `null` takes it away.
        resumes_on as "resumesOn": Change<CaracasDate>,
        /// Con `resumesOn`: `true` comienza otro calendario, con un período desde ese día. / With `resumesOn`: `true` begins
        /// another calendar, with a period from that day.
        new_calendar as "newCalendar": Optional<bool>,
    }
}

request! {
    struct Resuming {
        /// `true` comienza otro calendario, con un período desde hoy; sin él sigue el mismo. / `true` begins another
        /// calendar, with a period from today; the same one goes on without it.
        new_calendar as "newCalendar": Optional<bool>,
    }
}

request! {
    struct NextPrice {
        /// Lo que piden los períodos que se abran desde ahora. / What the periods ask for that open from now on.
        product_price as "productPrice": Required<LinkAmount>,
    }
}

request! {
    struct NextUnpaid {
        /// Qué pasa cuando vence un período desde ahora: `stay` sigue, `pause` se pausa, `end` termina. / What happens when a
        /// period lapses from now on: `stay` it goes on, `pause` it is paused, `end` it ends.
        unpaid_policy as "unpaidPolicy": Required<UnpaidPolicyWord>,
    }
}

pub(crate) fn cancel_endpoint() -> Endpoint {
    Endpoint::tolerant::<CancelSubscription, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/cancelbyowner",
        cancel_by_owner,
    )
    .does(
        Group::Subscriptions,
        "Anula una suscripción, y los enlaces abiertos de sus períodos.",
        "Cancels a subscription, and the open links of its periods.",
    )
    .takes::<Cancellation>(json!({}))
    .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("suscripción anulada"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn cancel_by_owner(
    admitted: Admitted<CancelSubscription>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let Cancellation { at_period_end } = Cancellation::read(&body)?;
    let id = subscription_id(&id)?;
    let when = if at_period_end == Some(true) { When::AtPeriodEnd } else { When::Now };
    let record = cancel(&state.app, &admitted.0, id, when).await?;
    let language = admitted.language();
    // One that has not begun ends at once, whatever was asked for.
    let message = match record.status() {
        Status::Cancelled => say(language, "suscripción anulada", "subscription canceled"),
        _ => say(
            language,
            "la suscripción termina con su período",
            "the subscription ends with its period",
        ),
    };
    said_of_subscription(message, &record)
}

pub(crate) fn undo_endpoint() -> Endpoint {
    Endpoint::strict::<UndoCancellation, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/undo-cancel",
        undo,
    )
    .does(
        Group::Subscriptions,
        "Deshace una anulación al final del período que todavía no llega.",
        "Takes a cancellation at the period's end back that has not come yet.",
    )
    .takes_nothing()
    .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("la suscripción sigue"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn undo(
    admitted: Admitted<UndoCancellation>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let record = undo_cancel(&state.app, &admitted.0, subscription_id(&id)?).await?;
    let message = say(admitted.language(), "la suscripción sigue", "the subscription goes on");
    said_of_subscription(message, &record)
}

pub(crate) fn pause_endpoint() -> Endpoint {
    Endpoint::strict::<PauseSubscription, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/pause",
        pause_from_next,
    )
    .does(
        Group::Subscriptions,
        "Pausa una suscripción desde su próximo período: los que comiencen en pausa no se cobran.",
        "Pauses a subscription from its next period on: those that begin meanwhile are not asked for.",
    )
    .takes::<Pausing>(json!({ "resumesOn": "2027-03-01" }))
    .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("suscripción en pausa"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn pause_from_next(
    admitted: Admitted<PauseSubscription>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let end = pause_end(&Pausing::read(&body)?)?;
    let record = pause(&state.app, &admitted.0, subscription_id(&id)?, end).await?;
    let message = say(admitted.language(), "suscripción en pausa", "subscription paused");
    said_of_subscription(message, &record)
}

pub(crate) fn resume_endpoint() -> Endpoint {
    Endpoint::strict::<ResumeSubscription, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/resume",
        resume_now,
    )
    .does(
        Group::Subscriptions,
        "Reanuda una suscripción en pausa, en su mismo calendario o con otro que comienza hoy.",
        "Resumes a paused subscription, on its calendar or with another one that begins today.",
    )
    .takes::<Resuming>(json!({ "newCalendar": true }))
    .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("suscripción reanudada"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

/// Reads what is wished of the end of a pause.
fn pause_end(wanted: &Pausing) -> Result<PauseEnd, Refusal> {
    let calendar = calendar(wanted.new_calendar);
    if wanted.resumes_on.flatten().is_none() && calendar == Calendar::New {
        let problem =
            Problem::made(format!("va con {RESUMES_ON}"), format!("is sent with {RESUMES_ON}"));
        return Err(Refusal::invalid("newCalendar", problem));
    }
    Ok(match wanted.resumes_on {
        None => PauseEnd::Kept,
        Some(None) => PauseEnd::Open,
        Some(Some(on)) => PauseEnd::By(Resumption { on, calendar }),
    })
}

fn calendar(is_new: Option<bool>) -> Calendar {
    if is_new == Some(true) { Calendar::New } else { Calendar::Same }
}

async fn resume_now(
    admitted: Admitted<ResumeSubscription>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let calendar = calendar(Resuming::read(&body)?.new_calendar);
    let record = resume(&state.app, &admitted.0, subscription_id(&id)?, calendar).await?;
    let message = say(admitted.language(), "suscripción reanudada", "subscription resumed");
    said_of_subscription(message, &record)
}

pub(crate) fn price_endpoint() -> Endpoint {
    Endpoint::strict::<SetSubscriptionPrice, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/price",
        next_price,
    )
    .does(
        Group::Subscriptions,
        "Cambia el precio de los períodos que se abran desde ahora.",
        "Changes the price of the periods that open from now on.",
    )
    .takes::<NextPrice>(json!({ "productPrice": 25 }))
    .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("precio cambiado"))
    .refuses(&[Code::Conflict, Code::RequestInProgress, Code::IsNotPositiveAmount])
}

async fn next_price(
    admitted: Admitted<SetSubscriptionPrice>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let NextPrice { product_price } = NextPrice::read(&body)?;
    let (id, price) = (subscription_id(&id)?, product_price?);
    let precondition = Precondition::none();
    let record = set_price(&state.app, &admitted.0, id, price, precondition).await?;
    let message = say(admitted.language(), "precio cambiado", "price changed");
    said_of_subscription(message, &record)
}

pub(crate) fn unpaid_policy_endpoint() -> Endpoint {
    Endpoint::strict::<SetUnpaidPolicy, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/unpaid-policy",
        next_unpaid,
    )
    .does(
        Group::Subscriptions,
        "Cambia qué pasa con la suscripción cuando vence un período que nadie pagó.",
        "Changes what happens to the subscription when a period lapses that nobody paid.",
    )
    .takes::<NextUnpaid>(json!({ "unpaidPolicy": "pause" }))
    .answers::<SubscriptionAnswer<'_>>(SubscriptionAnswer::example("elección guardada"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn next_unpaid(
    admitted: Admitted<SetUnpaidPolicy>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let NextUnpaid { unpaid_policy } = NextUnpaid::read(&body)?;
    let (id, precondition) = (subscription_id(&id)?, Precondition::none());
    let act = &admitted.0;
    let record = set_unpaid_policy(&state.app, act, id, unpaid_policy, precondition).await?;
    let message = say(admitted.language(), "elección guardada", "choice saved");
    said_of_subscription(message, &record)
}
