//! `PATCH /v1/employees/{employee_id}`

use app::employees::{EmployeeChange, EmployeeName};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeEmployee;
use domain::refusal::{Code, Refusal};
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, List, Optional, Request, beside, record_of, request};
use crate::wire::{
    EmployeeAnswer, RIGHTS_MAX, RightName, WireEmployee, employee_in_path, rights, say,
};

request! {
    struct EmployeeChanges {
        name: Optional<EmployeeName>,
        /// Todo lo que el empleado puede hacer desde ahora. / All that the employee may do from now on.
        permissions: Optional<List<RightName, RIGHTS_MAX>>,
        /// Sin él terminan las sesiones del empleado, y no abre otra. Solo el titular lo activa otra vez. / Without
        /// it the employee's sessions are over, and it opens no other. Only the owner switches it on again.
        is_active: Optional<bool>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ChangeEmployee, _, _>(Method::PATCH, "/v1/employees/{employee_id}", handle)
        .does(
            Group::Employees,
            "Cambia un empleado; lo que no se nombra queda.",
            "Changes an employee; what is not named stays.",
        )
        .takes::<EmployeeChanges>(json!({ "permissions": ["payments:read"], "is_active": true }))
        .set_elsewhere(&[("email", &["PUT /auth/email"])])
        .answers::<EmployeeAnswer<'_>>(
            json!({ "message": "empleado cambiado", "employee": WireEmployee::example() }),
        )
        .refuses(&[Code::UnknownPermission])
}

async fn handle(
    admitted: Admitted<ChangeEmployee>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = employee_in_path(&id)?;
    let show = async {
        let found = app::employees::find(&state.app, &admitted.also()?, id).await?;
        record_of(&found.as_ref().map(WireEmployee::of))
    };
    let change = parse(&beside::<EmployeeChanges>(body, show).await?)?;
    let employee = app::employees::change(&state.app, &admitted.0, id, change).await?;
    let message = say(admitted.language(), "empleado cambiado", "employee changed");
    answer::json(&EmployeeAnswer { message, employee: WireEmployee::of(&employee) })
}

fn parse(body: &JsonBody) -> Result<EmployeeChange, Refusal> {
    let EmployeeChanges { name, permissions, is_active } = EmployeeChanges::read(body)?;
    let rights = permissions.map(|names| rights(&names)).transpose()?;
    Ok(EmployeeChange { name, rights, is_active })
}

#[cfg(test)]
mod tests {
    use domain::rights::Rights;

    use super::*;

    fn parsed(json: &str) -> Result<EmployeeChange, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn what_is_not_named_stays_and_an_empty_list_takes_every_permission_away() {
        let nothing = parsed(r#"{"name": null, "permissions": null, "email": "x"}"#).unwrap();
        assert!(nothing.name.is_none() && nothing.rights.is_none() && nothing.is_active.is_none());
        let change = parsed(r#"{"permissions": [], "is_active": false}"#).unwrap();
        assert_eq!((change.rights, change.is_active), (Some(Rights::NONE), Some(false)));
    }

    #[test]
    fn every_wrong_field_is_reported() {
        let wrong = r#"{"name": "", "permissions": "all", "is_active": "no"}"#;
        let Err(Refusal::Validation(details)) = parsed(wrong) else { panic!("accepted") };
        assert_eq!(details.len(), 3);
    }
}
