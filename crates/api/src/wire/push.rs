//! What an owner gives its bank so that the bank sends notices of payments.

use app::accounts::PushAccess;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Adónde van los avisos y qué muestran. Entero en las respuestas que crean el secreto, y en ninguna otra. / Where
/// notices go and what they show. Whole in the answers that make the secret, and nowhere else.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BankPushAccess")]
pub(crate) struct WirePush<'a> {
    /// La ruta de este servicio a la que avisa el banco. / The path of this service that the bank tells at.
    path: String,
    /// En qué cabeceras puede ir el secreto. / The headers that the secret may be in.
    headers: Vec<String>,
    /// El secreto que muestra el banco. / The secret that the bank shows.
    secret: &'a str,
}

impl<'a> WirePush<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "path": "/hooks/bank/bdv/bank_00000000000000000000000001",
            "headers": ["X-API-KEY"],
            "secret": "made-up",
        })
    }

    pub(crate) fn of(push: &'a PushAccess) -> Self {
        Self {
            path: push.path(),
            headers: push.headers.iter().map(|name| name.to_ascii_uppercase()).collect(),
            secret: push.secret.expose(),
        }
    }
}
