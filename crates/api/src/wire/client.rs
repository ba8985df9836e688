//! A client's record.

use app::clients::ClientRecord;
use axum::response::Response;
use domain::ids::{BankId, ClientId};
use domain::refusal::Refusal;
use domain::secret::PersonalText;
use domain::time::Timestamp;
use serde::Serialize;
use web::{Failure, answer};

use super::Shown;

/// A client's record.
#[derive(Serialize)]
pub(crate) struct WireClient<'a> {
    id: Shown<ClientId>,
    name: &'a str,
    email: Option<&'a str>,
    document: Option<&'a str>,
    is_active: bool,
    payments_enabled: bool,
    monthly_credit_limit: Option<i64>,
    user_banks: Vec<Shown<BankId>>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

impl<'a> WireClient<'a> {
    pub(crate) fn of(record: &'a ClientRecord) -> Self {
        let ClientRecord { client, accounts } = record;
        Self {
            id: Shown(client.id),
            name: &client.name,
            email: client.email.as_ref().map(PersonalText::as_str),
            document: client.document.as_ref().map(PersonalText::as_str),
            is_active: client.is_active,
            payments_enabled: client.payments_enabled,
            monthly_credit_limit: client.monthly_credit_limit,
            user_banks: accounts.iter().copied().map(Shown).collect(),
            created_at: Shown(client.created_at),
            updated_at: Shown(client.updated_at),
        }
    }
}

/// An answer about one client.
#[derive(Serialize)]
pub(crate) struct ClientAnswer<'a> {
    pub(crate) message: &'static str,
    pub(crate) client: WireClient<'a>,
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
