//! `DELETE /v1/employees/{employee_id}`

use app::lineage::WithIssued;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RemoveEmployee;
use domain::refusal::Code;
use http::{Method, Uri};
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group, Query};
use crate::wire::{MessageAnswer, employee_in_path, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RemoveEmployee, _, _>(Method::DELETE, "/v1/employees/{employee_id}", handle)
        .does(
            Group::Employees,
            "Quita para siempre el acceso de un empleado: sus sesiones y su invitación ya no sirven.",
            "Takes an employee's access away for good: its sessions and its invitation are over.",
        )
        .query::<WithIssued>()
        .takes_nothing()
        .answers::<MessageAnswer>(json!({ "message": "empleado eliminado" }))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<RemoveEmployee>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let (id, with) = (employee_in_path(&id)?, WithIssued::read(&uri)?);
    app::employees::remove(&state.app, &admitted.0, id, with).await?;
    said_only(say(admitted.language(), "empleado eliminado", "employee removed"))
}
