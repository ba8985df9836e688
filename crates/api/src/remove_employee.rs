//! `DELETE /v1/employees/{employee_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RemoveEmployee;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group};
use crate::wire::{MessageAnswer, employee_in_path, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RemoveEmployee, _, _>(Method::DELETE, "/v1/employees/{employee_id}", handle)
        .does(
            Group::Employees,
            "Quita para siempre el acceso de un empleado: sus sesiones y su invitación ya no sirven.",
            "Takes an employee's access away for good: its sessions and its invitation are over.",
        )
        .takes_nothing()
        .answers::<MessageAnswer>(json!({ "message": "empleado eliminado" }))
}

async fn handle(
    admitted: Admitted<RemoveEmployee>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let id = employee_in_path(&id)?;
    app::employees::remove(&state.app, &admitted.0, id).await?;
    said_only(say(admitted.language(), "empleado eliminado", "employee removed"))
}
