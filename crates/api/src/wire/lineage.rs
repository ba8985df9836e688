//! Who issued keys and people, what lives of what somebody has issued, and the choice of what becomes of it.

use app::lineage::{IssuedList, IssuedRecord, ShownIssuer, WithIssued};
use domain::ids::{ClientId, SessionId};
use domain::refusal::{Problem, Refusal};
use domain::time::Timestamp;
use http::Uri;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{invalid, parameter};
use crate::operation::{Parameter, Query, Shown};

/// Quien emitió una llave o invitó a una persona. / Whoever issued a key or invited a person.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Issuer")]
pub(crate) struct WireIssuer {
    /// `owner`: el titular; `person`: un empleado o alguien de un cliente; `key`: una llave; `operator`: la línea de
    /// comandos. Quien llama por un cliente lee `merchant` en lugar de todo lo que es del titular. / `owner`: the owner;
    /// `person`: an employee or somebody of a client; `key`: a key; `operator`: the command line. Callers of a client read
    /// `merchant` in the place of all that is the owner's.
    kind: &'static str,
    /// El id del empleado o de la llave, también si ya no está; `null` en los demás, y para quien llama por un cliente. / The
    /// id of the employee or the key, also of one that is no more; `null` for the others, and to callers of a client.
    id: Option<String>,
}

/// Una llave o una persona que se emitió y sigue viva. / A key or a person that was issued and lives.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssuedThing")]
pub(crate) struct WireIssued<'a> {
    /// `api_key`: una llave; `employee`: un empleado o alguien de un cliente. / `api_key`: a key; `employee`: an employee
    /// or somebody of a client.
    kind: &'static str,
    id: &'a str,
    name: &'a str,
    /// El cliente al que está atada o de quien es; `null` en lo del titular. / The client that it is bound to or whose it is;
    /// `null` for the owner's.
    client_id: Option<Shown<ClientId>>,
    issued_by: WireIssuer,
    /// Cuándo se emitió o invitó por última vez. / When it was last issued or invited.
    issued_at: Shown<Timestamp>,
    /// La sesión en que se hizo; `null` donde lo hizo una llave. / The session that it was done in; `null` where a key did it.
    session_id: Option<Shown<SessionId>>,
    /// La dirección IP desde donde se hizo; `null` donde no se sabe. / The IP address that it was done from; `null` where it
    /// is not known.
    address: Option<&'a str>,
}

impl WireIssuer {
    /// One with made-up data: the owner.
    pub(crate) fn example() -> Value {
        json!({ "kind": "owner", "id": null })
    }

    pub(crate) fn of(issuer: &ShownIssuer) -> Self {
        Self { kind: issuer.kind.as_str(), id: issuer.known_as.clone() }
    }
}

impl<'a> WireIssued<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "kind": "api_key",
            "id": "key_00000000000000000000000002",
            "name": "caja 2",
            "client_id": null,
            "issued_by": { "kind": "key", "id": "key_00000000000000000000000001" },
            "issued_at": "2026-11-20T12:00:00.000Z",
            "session_id": null,
            "address": "203.0.113.7",
        })
    }

    /// All of a list.
    pub(crate) fn all(list: &'a IssuedList) -> Vec<Self> {
        list.entries.iter().map(Self::of).collect()
    }

    fn of(record: &'a IssuedRecord) -> Self {
        Self {
            kind: record.kind.as_str(),
            id: &record.id,
            name: &record.name,
            client_id: record.client.map(Shown),
            issued_by: WireIssuer::of(&record.issuer),
            issued_at: Shown(record.issued_at),
            session_id: record.session.map(Shown),
            address: record.address.as_deref(),
        }
    }
}

/// Una contraseña que cambió, y lo que su persona emitió en los últimos 90 días y sigue vivo: quien supo la contraseña de
/// antes pudo dejarlo. Nada de eso termina por sí solo. / A password that has changed, and what its person has issued in
/// the last 90 days and lives: whoever knew the former password may have left it. None of it ends by itself.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PasswordAnswer<'a> {
    message: &'static str,
    /// Lo más nuevo primero; también lo que emitió, a su vez, lo emitido. / The newest first; what was issued by what was
    /// issued is among it.
    issued: Vec<WireIssued<'a>>,
    /// Si hay más de 1.000. / Whether there are more than 1,000.
    more_issued: bool,
}

impl<'a> PasswordAnswer<'a> {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        json!({ "message": message, "issued": [WireIssued::example()], "more_issued": false })
    }

    pub(crate) fn of(message: &'static str, list: &'a IssuedList) -> Self {
        Self { message, issued: WireIssued::all(list), more_issued: list.is_cut }
    }
}

impl Query for WithIssued {
    fn parameters() -> Vec<Parameter> {
        vec![parameter(
            "with_issued",
            "Qué pasa con las llaves que emitió y las personas que invitó y que siguen vivas, también por medio de otras: \
             `true` las termina también, `false` las deja. Sin él, donde las hay no termina nada: 409 con la lista.",
            "What becomes of the keys that it issued and the people that it invited and that live, also by way of others: \
             `true` ends them as well, `false` leaves them. Without it, where there are some nothing ends: 409 with the list.",
            json!({ "type": "boolean" }),
        )]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        match web::query::find(uri, "with_issued").as_deref() {
            None => Ok(Self::Unsaid),
            Some("true") => Ok(Self::Ends),
            Some("false") => Ok(Self::Stays),
            Some(_) => Err(invalid("with_issued", Problem::one_of(&["true", "false"]))),
        }
    }
}
