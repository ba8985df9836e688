//! What an owner tells its bank so that the bank tells of payments.

use app::accounts::PushAccess;
use serde::Serialize;

/// Where notices go and what they show. Whole in the answers that make the secret, and nowhere else.
#[derive(Serialize)]
pub(crate) struct WirePush<'a> {
    path: String,
    headers: Vec<String>,
    secret: &'a str,
}

impl<'a> WirePush<'a> {
    pub(crate) fn of(push: &'a PushAccess) -> Self {
        Self {
            path: push.path(),
            headers: push.headers.iter().map(|name| name.to_ascii_uppercase()).collect(),
            secret: push.secret.expose(),
        }
    }
}
