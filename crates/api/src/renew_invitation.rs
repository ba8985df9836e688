//! `POST /v1/employees/{employee_id}/invitation`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RenewInvitation;
use domain::refusal::Code;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Empty, Endpoint, Group, Request};
use crate::wire::{EmployeeInvited, employee_in_path, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RenewInvitation, _, _>(
        Method::POST,
        "/v1/employees/{employee_id}/invitation",
        handle,
    )
    .does(
        Group::Employees,
        "Da otra invitación a quien no ha aceptado; la anterior ya no sirve.",
        "Gives another invitation to who has not accepted; the former one is over.",
    )
    .takes::<Empty>(json!({}))
    .idempotent()
    .answers::<EmployeeInvited<'_>>(EmployeeInvited::example(
        "invitación nueva: la anterior ya no sirve; entregue esta dirección, no se vuelve a mostrar",
    ))
    .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<RenewInvitation>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = employee_in_path(&id)?;
    Empty::read(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let invitee = app::employees::renew(&state.app, &admitted.0, id, slot).await?;
    let (es, en) = match invitee.token {
        None => (
            "invitación nueva: la anterior ya no sirve; la persona recibe un enlace en su correo",
            "new invitation: the former one is over; the person gets a link by mail",
        ),
        Some(_) => (
            "invitación nueva: la anterior ya no sirve; entregue esta dirección, no se vuelve a mostrar",
            "new invitation: the former one is over; hand this address over, it is not shown again",
        ),
    };
    let message = say(admitted.language(), es, en);
    answer::json(&EmployeeInvited::of(message, &invitee, &state.app.settings.base_url))
}
