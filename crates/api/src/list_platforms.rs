//! `GET /v1/platforms`

use app::accounts::{Platform, wire_name};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListPlatforms;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};

/// A bank, and under how many names it is served: one here.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Platform")]
struct WirePlatform {
    id: &'static str,
    name: &'static str,
    bank_code: Option<&'static str>,
    currency: &'static str,
    providers: [&'static str; 1],
    is_bank: bool,
    have_notification_sms: bool,
    have_notification_app: bool,
}

impl WirePlatform {
    fn of(platform: Platform) -> Self {
        let Platform { provider, name, bank_code, pushes } = platform;
        Self {
            id: provider,
            name,
            bank_code,
            currency: "VEF",
            providers: [wire_name(provider)],
            is_bank: bank_code.is_some(),
            have_notification_sms: false,
            have_notification_app: pushes,
        }
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::new::<ListPlatforms, _, _>(Method::GET, "/v1/platforms", handle)
        .does(
            Group::Accounts,
            "Lista los bancos donde se pueden vincular cuentas.",
            "Lists the banks that accounts can be linked at.",
        )
        .answers::<Vec<WirePlatform>>(json!([{
            "id": "bdv",
            "name": "Banco de Venezuela",
            "bank_code": "0102",
            "currency": "VEF",
            "providers": ["VENEZUELA"],
            "is_bank": true,
            "have_notification_sms": false,
            "have_notification_app": true,
        }]))
}

/// A bare list, as callers expect it.
async fn handle(
    _: Admitted<ListPlatforms>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let platforms = app::accounts::platforms(&state.app);
    answer::json(&platforms.into_iter().map(WirePlatform::of).collect::<Vec<_>>())
}
