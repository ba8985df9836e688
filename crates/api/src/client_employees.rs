//! `GET /v1/clients/{client_id}/employees`, `POST /v1/clients/{client_id}/invitation`, and what is below
//! `/v1/clients/{client_id}/employees/{employee_id}`: the people of a client.

use app::employees::{EmployeeName, of_client};
use app::lineage::WithIssued;
use app::paging::PageNumber;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    ChangeClientEmployee, InviteClientEmployee, ListClientEmployees, RemoveClientEmployee,
    RenewClientInvitation,
};
use domain::ids::{ClientId, EmployeeId};
use domain::refusal::{Code, Refusal};
use domain::text::EmailAddress;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{
    Empty, EmptyBody, Endpoint, Group, Optional, Query, Request, Required, beside, record_of,
    request,
};
use crate::wire::{
    ClientEmployeeAnswer, ClientEmployeeInvited, MessageAnswer, WireClientEmployee, client_in_path,
    employee_in_path, said_only, say,
};

/// Path of one employee of a client.
const PATH: &str = "/v1/clients/{client_id}/employees/{employee_id}";

const INVITED: (&str, &str) = (
    "invitación creada: entregue la dirección a la persona, no se vuelve a mostrar",
    "invitation created: hand the address to the person, it is not shown again",
);

const INVITED_AGAIN: (&str, &str) = (
    "invitación nueva: la anterior ya no sirve; entregue esta dirección, no se vuelve a mostrar",
    "new invitation: the former one is over; hand this address over, it is not shown again",
);

request! {
    struct NewClientEmployee {
        /// Con qué entrará la persona. / What the person will sign in with.
        email: Required<EmailAddress>,
        name: Required<EmployeeName>,
    }
}

request! {
    struct ClientEmployeeChanges {
        name: Optional<EmployeeName>,
        /// Sin él terminan las sesiones de la persona, y no abre otra. Solo el titular la activa otra vez. / Without
        /// it the person's sessions are over, and it opens no other. Only the owner switches it on again.
        is_active: Optional<bool>,
    }
}

#[derive(Serialize, JsonSchema)]
struct ClientEmployeesListed<'a> {
    message: &'static str,
    /// Las personas del cliente en esta página. / The people of the client on this page.
    employees: Vec<WireClientEmployee<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

pub(crate) fn invite_endpoint() -> Endpoint {
    let path = "/v1/clients/{client_id}/invitation";
    Endpoint::strict::<InviteClientEmployee, _, _>(Method::POST, path, invite)
        .does(
            Group::Clients,
            "Invita a una persona de un cliente: verá y hará lo del cliente. La dirección para aceptar sirve una vez y \
             se muestra esta única vez.",
            "Invites a person of a client, who will see and do what is the client's. The address to accept by is good \
             once and shown this once.",
        )
        .takes::<NewClientEmployee>(json!({ "email": "marta@sucursal.example", "name": "Marta" }))
        .set_elsewhere(&[("permissions", &[])])
        .idempotent()
        .answers::<ClientEmployeeInvited<'_>>(ClientEmployeeInvited::example(INVITED.0))
        .refuses(&[Code::Conflict])
}

async fn invite(
    admitted: Admitted<InviteClientEmployee>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (client, NewClientEmployee { email, name }) =
        (client_in_path(&id)?, NewClientEmployee::read(&body)?);
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let invited = of_client::invite(&state.app, &admitted.0, client, (email, name), slot).await?;
    let message = say(admitted.language(), INVITED.0, INVITED.1);
    answer::json(&ClientEmployeeInvited::of(message, &invited, &state.app.settings.base_url))
}

pub(crate) fn renew_endpoint() -> Endpoint {
    let path = "/v1/clients/{client_id}/employees/{employee_id}/invitation";
    Endpoint::strict::<RenewClientInvitation, _, _>(Method::POST, path, renew)
        .does(
            Group::Clients,
            "Da otra invitación a la persona de un cliente que no ha aceptado; la anterior ya no sirve.",
            "Gives a client's person who has not accepted another invitation; the former one is over.",
        )
        .takes::<Empty>(json!({}))
        .idempotent()
        .answers::<ClientEmployeeInvited<'_>>(ClientEmployeeInvited::example(INVITED_AGAIN.0))
        .refuses(&[Code::Conflict])
}

async fn renew(
    admitted: Admitted<RenewClientInvitation>,
    State(state): State<AppState>,
    Path(ids): Path<(String, String)>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let ids = in_path(&ids)?;
    Empty::read(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let invited = of_client::renew(&state.app, &admitted.0, ids, slot).await?;
    let message = say(admitted.language(), INVITED_AGAIN.0, INVITED_AGAIN.1);
    answer::json(&ClientEmployeeInvited::of(message, &invited, &state.app.settings.base_url))
}

pub(crate) fn list_endpoint() -> Endpoint {
    let path = "/v1/clients/{client_id}/employees";
    Endpoint::strict::<ListClientEmployees, _, _>(Method::GET, path, list)
        .does(Group::Clients, "Lista las personas de un cliente.", "Lists a client's people.")
        .query::<PageNumber>()
        .answers::<ClientEmployeesListed<'_>>(json!({
            "message": "personas del cliente",
            "employees": [WireClientEmployee::example()],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn list(
    admitted: Admitted<ListClientEmployees>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (client, number) = (client_in_path(&id)?, PageNumber::read(&uri)?);
    let found = of_client::list(&state.app, &admitted.0, client, number).await?;
    answer::json(&ClientEmployeesListed {
        message: say(admitted.language(), "personas del cliente", "the client's people"),
        employees: found.entries.iter().map(WireClientEmployee::of).collect(),
        total: found.total,
        page: number.page,
        limit: number.limit,
    })
}

pub(crate) fn change_endpoint() -> Endpoint {
    Endpoint::strict::<ChangeClientEmployee, _, _>(Method::PATCH, PATH, change)
        .does(
            Group::Clients,
            "Cambia a la persona de un cliente; lo que no se nombra queda.",
            "Changes a client's person; what is not named stays.",
        )
        .takes::<ClientEmployeeChanges>(json!({ "is_active": false }))
        .set_elsewhere(&[("email", &["PUT /auth/email"]), ("permissions", &[])])
        .answers::<ClientEmployeeAnswer<'_>>(
            json!({ "message": "persona cambiada", "employee": WireClientEmployee::example() }),
        )
}

async fn change(
    admitted: Admitted<ChangeClientEmployee>,
    State(state): State<AppState>,
    Path(ids): Path<(String, String)>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let ids = in_path(&ids)?;
    let show = async {
        let found = of_client::find(&state.app, &admitted.also()?, ids).await?;
        record_of(&found.as_ref().map(WireClientEmployee::of))
    };
    let body = beside::<ClientEmployeeChanges>(body, show).await?;
    let ClientEmployeeChanges { name, is_active } = ClientEmployeeChanges::read(&body)?;
    let employee = of_client::change(&state.app, &admitted.0, ids, (name, is_active)).await?;
    let message = say(admitted.language(), "persona cambiada", "person changed");
    answer::json(&ClientEmployeeAnswer { message, employee: WireClientEmployee::of(&employee) })
}

pub(crate) fn remove_endpoint() -> Endpoint {
    Endpoint::strict::<RemoveClientEmployee, _, _>(Method::DELETE, PATH, remove)
        .does(
            Group::Clients,
            "Quita para siempre el acceso de la persona de un cliente: sus sesiones y su invitación ya no sirven.",
            "Takes the access of a client's person away for good: its sessions and its invitation are over.",
        )
        .query::<WithIssued>()
        .takes_nothing()
        .answers::<MessageAnswer>(json!({ "message": "persona eliminada" }))
        .refuses(&[Code::Conflict])
}

async fn remove(
    admitted: Admitted<RemoveClientEmployee>,
    State(state): State<AppState>,
    Path(ids): Path<(String, String)>,
    uri: Uri,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let (ids, with) = (in_path(&ids)?, WithIssued::read(&uri)?);
    of_client::remove(&state.app, &admitted.0, ids, with).await?;
    said_only(say(admitted.language(), "persona eliminada", "person removed"))
}

fn in_path((client, employee): &(String, String)) -> Result<(ClientId, EmployeeId), Refusal> {
    // A person of no client is not found as one of its people.
    let client = client.parse().map_err(|_| Refusal::NotFound("employee"))?;
    Ok((client, employee_in_path(employee)?))
}
