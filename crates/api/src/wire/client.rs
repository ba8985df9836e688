//! A client's record.

use app::clients::ClientRecord;
use axum::response::Response;
use domain::ids::{BankId, ClientId};
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::secret::PersonalText;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Failure, answer};

use super::Shown;

/// Los datos de un cliente. / A client's record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Client")]
pub(crate) struct WireClient<'a> {
    id: Shown<ClientId>,
    name: &'a str,
    /// Adónde se le escribe; `null` donde no se dijo. / Where it is written to; `null` where that was not said.
    email: Option<&'a str>,
    /// Su cédula o su RIF; `null` donde no se dijo. / Its cédula or RIF; `null` where that was not said.
    document: Option<&'a str>,
    is_active: bool,
    /// Si sus llaves y su gente pueden verificar pagos y crear enlaces. / Whether its keys and people may verify
    /// payments and make links.
    payments_enabled: bool,
    monthly_credit_limit: Option<i64>,
    usage: WireUsage,
    /// Las cuentas bancarias que son suyas. / The bank accounts that are its own.
    user_banks: Vec<Shown<BankId>>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

/// Lo que usaron del cupo este mes las llaves y la gente del cliente, con lo reservado. / What the client's keys and people
/// have used of the quota this month, with what is reserved.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClientUsage")]
struct WireUsage {
    /// Los créditos que cuentan para el cupo: los cobrados y los reservados. / The credits that count against the quota: those
    /// that were charged and those that are reserved.
    used: i64,
    /// Los créditos que quedan; `null` sin cupo. / The credits that are left; `null` without a quota.
    remaining: Option<i64>,
    /// Cuándo comienza el mes siguiente, en Caracas, y se cuenta otra vez desde 0. / When the next month begins, in Caracas,
    /// and it is counted from 0 again.
    resets_at: Shown<Timestamp>,
}

impl WireUsage {
    fn of(record: &ClientRecord) -> Self {
        let quota = record.quota();
        Self {
            used: quota.usage.used().get(),
            remaining: quota.remaining().map(Credits::get),
            resets_at: Shown(record.month.next().start()),
        }
    }
}

impl<'a> WireClient<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "cli_00000000000000000000000001",
            "name": "Sucursal",
            "email": "sucursal@tienda.example",
            "document": "J123456789",
            "is_active": true,
            "payments_enabled": true,
            "monthly_credit_limit": 500,
            "usage": { "used": 37, "remaining": 463, "resets_at": "2026-12-01T04:00:00.000Z" },
            "user_banks": ["bank_00000000000000000000000001"],
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
        })
    }

    pub(crate) fn of(record: &'a ClientRecord) -> Self {
        let ClientRecord { client, accounts, .. } = record;
        Self {
            id: Shown(client.id),
            name: &client.name,
            email: client.email.as_ref().map(PersonalText::as_str),
            document: client.document.as_ref().map(PersonalText::as_str),
            is_active: client.is_active,
            payments_enabled: client.payments_enabled,
            monthly_credit_limit: client.monthly_credit_limit,
            usage: WireUsage::of(record),
            user_banks: accounts.iter().copied().map(Shown).collect(),
            created_at: Shown(client.created_at),
            updated_at: Shown(client.updated_at),
        }
    }
}

/// Una respuesta sobre un cliente. / An answer about one client.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClientAnswer<'a> {
    pub(crate) message: &'static str,
    pub(crate) client: WireClient<'a>,
}

impl ClientAnswer<'_> {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        json!({ "message": message, "client": WireClient::example() })
    }
}

/// The answer that shows a client's record.
pub(crate) fn said_of_client(
    message: &'static str,
    record: &ClientRecord,
) -> Result<Response, Failure> {
    answer::json(&ClientAnswer { message, client: WireClient::of(record) })
}

/// The id of a client in a path. One of another form is an id of nothing.
pub(crate) fn client_in_path(text: &str) -> Result<ClientId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("client"))
}
