//! What is said of operations by what they have in common.

use domain::access::Rule;
use domain::ids::{
    BankId, ClientId, EventId, KeyId, LinkId, RedeliveryId, SessionId, VerificationId,
};
use domain::permissions::Permission;
use domain::refusal::Code;
use serde_json::{Value, json};

use super::WireForm;

/// What is listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Sessions,
    Keys,
    Clients,
    Limits,
    Accounts,
    Payments,
    Links,
    Webhooks,
    Owner,
    Service,
}

impl Group {
    pub(crate) const ALL: [Self; 10] = [
        Self::Sessions,
        Self::Keys,
        Self::Clients,
        Self::Limits,
        Self::Accounts,
        Self::Payments,
        Self::Links,
        Self::Webhooks,
        Self::Owner,
        Self::Service,
    ];

    /// Its name in the document.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Keys => "keys",
            Self::Clients => "clients",
            Self::Limits => "limits",
            Self::Accounts => "bank-accounts",
            Self::Payments => "payments",
            Self::Links => "payment-links",
            Self::Webhooks => "webhooks",
            Self::Owner => "owner",
            Self::Service => "service",
        }
    }

    /// Its title, in Spanish and in English.
    pub(crate) const fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Sessions => ("Sesiones", "Sessions"),
            Self::Keys => ("Llaves de API", "API keys"),
            Self::Clients => ("Clientes", "Clients"),
            Self::Limits => ("Límites de créditos y actividad", "Credit limits and activity"),
            Self::Accounts => ("Cuentas bancarias", "Bank accounts"),
            Self::Payments => ("Verificar pagos", "Verifying payments"),
            Self::Links => ("Enlaces de pago", "Payment links"),
            Self::Webhooks => ("Webhooks", "Webhooks"),
            Self::Owner => ("El titular", "The owner"),
            Self::Service => ("El servicio", "The service"),
        }
    }
}

/// Who may call an operation of this rule, in Spanish and in English.
pub(crate) fn callers_of(rule: Rule) -> (String, String) {
    let texts = |es: &str, en: &str| (es.to_owned(), en.to_owned());
    let with = |permission: Permission, es: &str, en: &str| {
        (
            format!("la sesión del titular, o una llave con `{permission}`{es}"),
            format!("the owner's session, or a key with `{permission}`{en}"),
        )
    };
    match rule {
        Rule::Public => texts("cualquiera, sin credencial", "anybody, without a credential"),
        Rule::Hook => texts(
            "el banco, con el secreto de la cuenta en su cabecera",
            "the bank, with the account's secret in its header",
        ),
        Rule::Anyone => texts(
            "la sesión del titular o cualquier llave activa",
            "the owner's session or any active key",
        ),
        Rule::OwnerSession => texts("solo la sesión del titular", "the owner's session alone"),
        Rule::Permission(permission) => with(permission, "", ""),
        Rule::Unlimited(permission) => {
            with(permission, " sin cuentas elegidas", " without a selection of accounts")
        }
        Rule::Issuing => with(
            Permission::ApiKeys,
            " sin cuentas elegidas ni límite mensual",
            " without a selection of accounts or a monthly limit",
        ),
        Rule::Listing => with(
            Permission::Integrations,
            ", de cliente o con cuentas elegidas",
            ", of a client or with a selection of accounts",
        ),
    }
}

/// How whoever calls is refused for who it is.
pub(super) const fn refusals_of(rule: Rule) -> &'static [Code] {
    use Code::{
        ApiKeyIsNotActive, BadRequest, ClientIsNotActive, Forbidden, KeyScopeRestricted,
        OwnerSessionRequired, PermissionsNotConfigured, Unauthorized, UserIsNotActive,
    };
    match rule {
        Rule::Public | Rule::Hook => &[],
        Rule::Anyone => {
            &[BadRequest, Unauthorized, UserIsNotActive, ClientIsNotActive, ApiKeyIsNotActive]
        }
        Rule::OwnerSession => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            OwnerSessionRequired,
        ],
        Rule::Permission(_) | Rule::Listing => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            PermissionsNotConfigured,
            Forbidden,
        ],
        Rule::Unlimited(_) | Rule::Issuing => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            PermissionsNotConfigured,
            Forbidden,
            KeyScopeRestricted,
        ],
    }
}

/// What a placeholder of a path stands for: in Spanish, in English, and its JSON Schema. Nothing where nobody knows it.
pub(super) fn placeholder(name: &str) -> Option<(&'static str, &'static str, Value)> {
    Some(match name {
        "api_key_id" => ("La llave.", "The key.", KeyId::schema()),
        "bank_id" => ("La cuenta bancaria.", "The bank account.", BankId::schema()),
        "client_id" => ("El cliente.", "The client.", ClientId::schema()),
        "session_id" => ("La sesión.", "The session.", SessionId::schema()),
        "delivery_id" => ("El aviso.", "The webhook.", EventId::schema()),
        "payment_link_id" => ("El enlace de pago.", "The payment link.", LinkId::schema()),
        "provider" => (
            "El banco, por su nombre en la dirección que le dio el servicio.",
            "The bank, by its name in the address that the service gave it.",
            json!({ "type": "string" }),
        ),
        "redelivery_id" => ("El reenvío.", "The redelivery.", RedeliveryId::schema()),
        "verification_id" => ("La verificación.", "The verification.", VerificationId::schema()),
        _ => return None,
    })
}
