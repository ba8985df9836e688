//! An employee's record.

use app::employees::{Employee, Invitee};
use app::lineage::ShownIssuer;
use domain::ids::{ClientId, EmployeeId};
use domain::refusal::{Problem, Refusal};
use domain::rights::{Right, Rights};
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Shown, WireIssuer};
use crate::operation::{TextKind, one_of};

/// How many permissions may be named; more than there are.
pub(crate) const RIGHTS_MAX: usize = 100;

/// Los datos de un empleado. / An employee's record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Employee")]
pub(crate) struct WireEmployee<'a> {
    id: Shown<EmployeeId>,
    /// Con qué entra una vez que aceptó su invitación. / What it signs in with once it has accepted its invitation.
    email: &'a str,
    name: &'a str,
    /// Lo que puede hacer, como `payments:write`. / What it may do, such as `payments:write`.
    permissions: Vec<&'static str>,
    is_active: bool,
    /// Cuándo aceptó; hasta entonces solo está invitado. / When it accepted; until then it is only invited.
    accepted_at: Option<Shown<Timestamp>>,
    /// Hasta cuándo se puede aceptar su invitación. / Until when its invitation can be accepted.
    invitation_expires_at: Option<Shown<Timestamp>>,
    /// Quien la invitó por última vez: el titular o un empleado. / Whoever invited it last: the owner or an employee.
    issued_by: WireIssuer,
    /// Cuándo. / When.
    issued_at: Shown<Timestamp>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

/// The name of a permission of employees.
pub(crate) struct RightName;

impl TextKind for RightName {
    type Value = String;

    fn parse(text: &str) -> Result<String, Problem> {
        Ok(text.to_owned())
    }

    fn schema() -> Value {
        one_of(&Right::all().map(Right::as_str).collect::<Vec<_>>())
    }
}

impl<'a> WireEmployee<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "emp_00000000000000000000000001",
            "email": "luis@tienda.example",
            "name": "Luis",
            "permissions": ["payments:read", "payments:write"],
            "is_active": true,
            "accepted_at": "2026-11-20T12:30:00.000Z",
            "invitation_expires_at": null,
            "issued_by": WireIssuer::example(),
            "issued_at": "2026-11-20T12:00:00.000Z",
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:30:00.000Z",
        })
    }

    pub(crate) fn of(employee: &'a Employee) -> Self {
        Self {
            id: Shown(employee.id),
            email: employee.email.as_str(),
            name: &employee.name,
            permissions: names(employee.rights),
            is_active: employee.is_active,
            accepted_at: employee.accepted_at.map(Shown),
            invitation_expires_at: employee.invitation.map(|it| Shown(it.expires_at)),
            issued_by: WireIssuer::of(&ShownIssuer::of_inviter(&employee.inviter)),
            issued_at: Shown(employee.invited_at),
            created_at: Shown(employee.created_at),
            updated_at: Shown(employee.updated_at),
        }
    }
}

/// Una respuesta sobre un empleado. / An answer about one employee.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EmployeeAnswer<'a> {
    pub(crate) message: &'static str,
    pub(crate) employee: WireEmployee<'a>,
}

/// Un empleado que se invitó, y la dirección de un solo uso para aceptar: va por correo, o se muestra esta única
/// vez. / An employee who was invited, and the one-time address by which to accept: it goes by mail, or is shown this
/// once.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EmployeeInvited<'a> {
    pub(crate) message: &'static str,
    pub(crate) employee: WireEmployee<'a>,
    /// No está donde la persona la recibe por correo. / Absent where the person gets it by mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invitation_url: Option<String>,
}

impl<'a> EmployeeInvited<'a> {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        let mut employee = WireEmployee::example();
        employee["accepted_at"] = Value::Null;
        employee["invitation_expires_at"] = json!("2026-11-27T12:00:00.000Z");
        let url =
            "https://pagos.tienda.example/invitation/iv_live_0123456789abcdefghijklmnopqrstuv";
        json!({ "message": message, "employee": employee, "invitation_url": url })
    }

    pub(crate) fn of(message: &'static str, invitee: &'a Invitee, base_url: &str) -> Self {
        let employee = WireEmployee::of(&invitee.employee);
        Self { message, employee, invitation_url: invitee.url(base_url) }
    }
}

/// Una persona de un cliente: no tiene permisos propios, y puede hacer lo que puede su cliente. / A person of a client:
/// it has no permissions of its own, and may do what its client may.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClientEmployee")]
pub(crate) struct WireClientEmployee<'a> {
    id: Shown<EmployeeId>,
    /// El cliente de quien es. / The client whose it is.
    client_id: Option<Shown<ClientId>>,
    /// Con qué entra una vez que aceptó su invitación. / What it signs in with once it has accepted its invitation.
    email: &'a str,
    name: &'a str,
    is_active: bool,
    /// Cuándo aceptó; hasta entonces solo está invitado. / When it accepted; until then it is only invited.
    accepted_at: Option<Shown<Timestamp>>,
    /// Hasta cuándo se puede aceptar su invitación. / Until when its invitation can be accepted.
    invitation_expires_at: Option<Shown<Timestamp>>,
    /// Quien la invitó por última vez: el titular o un empleado. / Whoever invited it last: the owner or an employee.
    issued_by: WireIssuer,
    /// Cuándo. / When.
    issued_at: Shown<Timestamp>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

impl<'a> WireClientEmployee<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        let mut example = WireEmployee::example();
        if let Some(fields) = example.as_object_mut() {
            fields.remove("permissions");
        }
        example["client_id"] = json!("cli_00000000000000000000000001");
        example["email"] = json!("marta@sucursal.example");
        example["name"] = json!("Marta");
        example
    }

    pub(crate) fn of(employee: &'a Employee) -> Self {
        Self {
            id: Shown(employee.id),
            client_id: employee.client.map(Shown),
            email: employee.email.as_str(),
            name: &employee.name,
            is_active: employee.is_active,
            accepted_at: employee.accepted_at.map(Shown),
            invitation_expires_at: employee.invitation.map(|it| Shown(it.expires_at)),
            issued_by: WireIssuer::of(&ShownIssuer::of_inviter(&employee.inviter)),
            issued_at: Shown(employee.invited_at),
            created_at: Shown(employee.created_at),
            updated_at: Shown(employee.updated_at),
        }
    }
}

/// Una respuesta sobre una persona de un cliente. / An answer about one person of a client.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClientEmployeeAnswer<'a> {
    pub(crate) message: &'static str,
    pub(crate) employee: WireClientEmployee<'a>,
}

/// Una persona de un cliente que se invitó, y la dirección de un solo uso para aceptar: va por correo, o se muestra
/// esta única vez. / A person of a client who was invited, and the one-time address by which to accept: it goes by
/// mail, or is shown this once.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClientEmployeeInvited<'a> {
    pub(crate) message: &'static str,
    pub(crate) employee: WireClientEmployee<'a>,
    /// No está donde la persona la recibe por correo. / Absent where the person gets it by mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invitation_url: Option<String>,
}

impl<'a> ClientEmployeeInvited<'a> {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        let mut example = EmployeeInvited::example(message);
        let mut employee = WireClientEmployee::example();
        employee["accepted_at"] = Value::Null;
        employee["invitation_expires_at"] = json!("2026-11-27T12:00:00.000Z");
        example["employee"] = employee;
        example
    }

    pub(crate) fn of(message: &'static str, invitee: &'a Invitee, base_url: &str) -> Self {
        let employee = WireClientEmployee::of(&invitee.employee);
        Self { message, employee, invitation_url: invitee.url(base_url) }
    }
}

/// The id of an employee in a path. One of another form is an id of nothing.
pub(crate) fn employee_in_path(text: &str) -> Result<EmployeeId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("employee"))
}

/// The rights of those names.
pub(crate) fn rights(names: &[String]) -> Result<Rights, Refusal> {
    Ok(names.iter().map(|name| Right::parse(name)).collect::<Result<_, _>>()?)
}

/// The names of those rights.
pub(crate) fn names(rights: Rights) -> Vec<&'static str> {
    rights.iter().map(Right::as_str).collect()
}
