//! `GET /v1/api-keys/{api_key_id}/activity` and `GET /me/activity`

use app::accounts::wire_name;
use app::activity::{Activity, Charged, CreditLine};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ShowActivity, ShowMyActivity};
use domain::ids::BankId;
use domain::language::Language::{self, En, Es};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use http::Uri;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{Shown, month, page, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    credits: Vec<Credit<'a>>,
    requests: Vec<Attempt<'a>>,
    credit_total: i64,
    request_total: i64,
}

#[derive(Serialize)]
struct Credit<'a> {
    date: Shown<Timestamp>,
    amount: i64,
    balance_after: i64,
    origin: &'a str,
    description: String,
    movement_type: &'a str,
}

#[derive(Serialize)]
struct Attempt<'a> {
    date: Shown<Timestamp>,
    request_type: &'a str,
    provider: &'a str,
    bank_account_id: Shown<BankId>,
    error_code: Option<&'a str>,
    status: &'a str,
    latency_ms: i64,
}

/// What a key did.
pub(crate) async fn of_key(
    admitted: Admitted<ShowActivity>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("api_key"))?;
    let (month, page) = (month(&uri)?, page(&uri)?);
    let activity = app::activity::show(&state.app, &admitted.0, id, month, page).await?;
    let message = say(admitted.language(), "actividad de la llave", "activity of the key");
    answer::json(&wire(&activity, message, admitted.language()))
}

/// What the owner's sessions did.
pub(crate) async fn of_session(
    admitted: Admitted<ShowMyActivity>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (month, page) = (month(&uri)?, page(&uri)?);
    let activity = app::activity::show_own(&state.app, &admitted.0, month, page).await?;
    let message = say(admitted.language(), "actividad de la sesión", "activity of the session");
    answer::json(&wire(&activity, message, admitted.language()))
}

fn wire<'a>(activity: &'a Activity, message: &'static str, language: Language) -> Answer<'a> {
    let credits = activity.credits.iter().map(|line| Credit {
        date: Shown(line.created_at),
        amount: line.amount,
        balance_after: line.balance_after,
        origin: &line.origin,
        description: describe(line, language),
        movement_type: &line.movement_type,
    });
    let requests = activity.requests.iter().map(|attempt| Attempt {
        date: Shown(attempt.created_at),
        request_type: &attempt.request_type,
        provider: wire_name(&attempt.provider),
        bank_account_id: Shown(attempt.bank),
        error_code: attempt.error_code.as_deref(),
        status: &attempt.status,
        latency_ms: attempt.latency_us / 1_000,
    });
    Answer {
        message,
        credits: credits.collect(),
        requests: requests.collect(),
        credit_total: activity.credit_total,
        request_total: activity.request_total,
    }
}

/// What a line is of, for people: the payment, the link that it paid, and the account.
fn describe(line: &CreditLine, language: Language) -> String {
    let Some(Charged { payment, link, bank, bank_description }) = &line.charged else {
        return say(language, "Créditos del operador", "Credits from the operator").to_owned();
    };
    let account = match bank_description.as_str() {
        "" => bank.to_string(),
        name => format!("{name} ({bank})"),
    };
    match (link, language) {
        (Some(link), Es) => format!("Enlace {link} pagado con {payment} en la cuenta {account}"),
        (Some(link), En) => format!("Link {link} paid with {payment} on the account {account}"),
        (None, Es) => format!("Pago {payment} verificado en la cuenta {account}"),
        (None, En) => format!("Payment {payment} verified on the account {account}"),
    }
}
