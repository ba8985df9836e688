//! `GET /v1/bank-pay-notifications`

use axum::extract::State;
use axum::response::Response;
use domain::access::ListNotifications;
use domain::ids::{BankId, NotificationId};
use domain::money::Bolivars;
use domain::secret::PersonalText;
use domain::time::Timestamp;
use http::Uri;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{Shown, bank_id, paging, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    notifications: Vec<WireNotification<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// A notice. The amount is text: callers compare it as such.
#[derive(Serialize)]
struct WireNotification<'a> {
    id: Shown<NotificationId>,
    user_bank_id: Shown<BankId>,
    status: &'a str,
    reference: &'a str,
    amount: Shown<Bolivars>,
    from: &'a str,
    message: &'a str,
    created_at: Shown<Timestamp>,
}

pub(crate) async fn handle(
    admitted: Admitted<ListNotifications>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let bank = web::query::find(&uri, "user_bank_id").map(|text| bank_id(&text));
    let bank = bank.transpose()?;
    let paging = paging(&uri)?;
    let found = app::notifications::list(&state.app, &admitted.0, bank, paging).await?;
    let notifications = found.entries.iter().map(|notice| WireNotification {
        id: Shown(notice.id),
        user_bank_id: Shown(notice.bank),
        status: &notice.status,
        reference: &notice.reference,
        amount: Shown(notice.amount),
        from: notice.from.as_ref().map_or("", PersonalText::as_str),
        message: notice.message.as_str(),
        created_at: Shown(notice.created_at),
    });
    answer::json(&Answer {
        message: say(admitted.language(), "avisos de los bancos", "notices of the banks"),
        notifications: notifications.collect(),
        total: found.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}
