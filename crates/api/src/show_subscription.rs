//! `GET /subscriptions/{subscription_id}/details`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowSubscription;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{WireSubscription, say, subscription_id};

#[derive(Serialize, JsonSchema)]
struct SubscriptionShown<'a> {
    message: &'static str,
    data: Data<'a>,
}

/// La suscripción. / The subscription.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SubscriptionData")]
struct Data<'a> {
    subscription: WireSubscription<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowSubscription, _, _>(
        Method::GET,
        "/subscriptions/{subscription_id}/details",
        handle,
    )
    .does(Group::Subscriptions, "Muestra una suscripción.", "Shows a subscription.")
    .answers::<SubscriptionShown<'_>>(json!({
        "message": "suscripción",
        "data": { "subscription": WireSubscription::example() },
    }))
}

async fn handle(
    admitted: Admitted<ShowSubscription>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = subscription_id(&id)?;
    let record = app::subscriptions::show(&state.app, &admitted.0, id).await?;
    let message = say(admitted.language(), "suscripción", "subscription");
    let data = Data { subscription: WireSubscription::of(&record) };
    answer::json(&SubscriptionShown { message, data })
}
