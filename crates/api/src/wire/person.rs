//! A person who signed in.

use app::me::PersonRecord;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// La persona que inició la sesión, para quien sea que trabaje: el titular, un empleado, o alguien de un cliente. / The
/// person who signed in, whomever it works for: the owner, an employee, or somebody of a client.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Person")]
pub(crate) struct WirePerson<'a> {
    /// El id del titular o del empleado. / The id of the owner or the employee.
    id: &'a str,
    name: &'a str,
    /// El correo con que entra. / The e-mail address that it signs in with.
    email: &'a str,
    /// `owner`, `employee` o `client`. / `owner`, `employee` or `client`.
    kind: &'static str,
}

impl<'a> WirePerson<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "own_00000000000000000000000001",
            "name": "Tienda Ejemplo",
            "email": "ana@tienda.example",
            "kind": "owner",
        })
    }

    pub(crate) fn of(person: &'a PersonRecord) -> Self {
        Self {
            id: &person.id,
            name: &person.name,
            email: person.email.as_str(),
            kind: person.kind.as_str(),
        }
    }
}
