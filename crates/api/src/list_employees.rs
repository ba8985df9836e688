//! `GET /v1/employees`

use app::paging::PageNumber;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListEmployees;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::wire::{WireEmployee, say};

#[derive(Serialize, JsonSchema)]
struct EmployeesListed<'a> {
    message: &'static str,
    /// Los empleados de esta página. / The employees of this page.
    employees: Vec<WireEmployee<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListEmployees, _, _>(Method::GET, "/v1/employees", handle)
        .does(Group::Employees, "Lista los empleados del titular.", "Lists the owner's employees.")
        .query::<PageNumber>()
        .answers::<EmployeesListed<'_>>(json!({
            "message": "empleados del titular",
            "employees": [WireEmployee::example()],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListEmployees>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let number = PageNumber::read(&uri)?;
    let found = app::employees::list(&state.app, &admitted.0, number).await?;
    answer::json(&EmployeesListed {
        message: say(admitted.language(), "empleados del titular", "the owner's employees"),
        employees: found.entries.iter().map(WireEmployee::of).collect(),
        total: found.total,
        page: number.page,
        limit: number.limit,
    })
}
