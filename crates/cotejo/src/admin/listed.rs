//! What the operator is shown of owners, clients and keys, as values.

use domain::keys::masked;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::clients::Client;
use store::keys::Key;
use store::owners::Listed;

/// An owner in a list.
#[derive(Deserialize, Serialize)]
pub(crate) struct OwnerListed {
    pub(crate) user_id: String,
    pub(crate) email: String,
    pub(crate) name: String,
    pub(crate) is_active: bool,
    pub(crate) balance: i64,
    pub(crate) created_at: String,
}

/// A client in a list.
#[derive(Deserialize, Serialize)]
pub(crate) struct ClientListed {
    pub(crate) client_id: String,
    pub(crate) name: String,
    pub(crate) is_active: bool,
    pub(crate) payments_enabled: bool,
    pub(crate) monthly_credit_limit: Option<i64>,
    pub(crate) created_at: String,
}

/// A key in a list; its text is stored nowhere.
#[derive(Deserialize, Serialize)]
pub(crate) struct KeyListed {
    pub(crate) api_key_id: String,
    pub(crate) name: String,
    pub(crate) api_key: String,
    pub(crate) default: bool,
    pub(crate) is_active: bool,
    pub(crate) client_id: Option<String>,
    pub(crate) monthly_credit_limit: Option<i64>,
    pub(crate) expires_at: Option<String>,
    pub(crate) last_used_at: Option<String>,
    pub(crate) created_at: String,
}

impl From<Listed> for OwnerListed {
    fn from(listed: Listed) -> Self {
        Self {
            user_id: listed.owner.to_string(),
            email: listed.email,
            name: listed.name,
            is_active: listed.is_active,
            balance: listed.balance,
            created_at: listed.created_at.to_string(),
        }
    }
}

impl From<Client> for ClientListed {
    fn from(client: Client) -> Self {
        Self {
            client_id: client.id.to_string(),
            name: client.name,
            is_active: client.is_active,
            payments_enabled: client.payments_enabled,
            monthly_credit_limit: client.monthly_credit_limit,
            created_at: client.created_at.to_string(),
        }
    }
}

impl From<Key> for KeyListed {
    fn from(key: Key) -> Self {
        let text = |at: Timestamp| at.to_string();
        Self {
            api_key_id: key.id.to_string(),
            api_key: masked(&key.hint),
            name: key.name,
            default: key.is_default,
            is_active: key.is_active,
            client_id: key.client.map(|client| client.to_string()),
            monthly_credit_limit: key.monthly_credit_limit.filter(|_| key.client.is_none()),
            expires_at: key.expires_at.map(text),
            last_used_at: key.last_use.map(|last| text(last.at)),
            created_at: key.created_at.to_string(),
        }
    }
}
