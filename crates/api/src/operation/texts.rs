//! What is said of operations by what they have in common.

use domain::access::{ProofDemand, Rule, client_permissions};
use domain::ids::{
    BankId, ClientId, EmployeeId, EventId, KeyId, LinkId, MovementId, NoticeId, ReceiptId,
    RedeliveryId, SessionId, SubscriptionId, VerificationId,
};
use domain::permissions::Permission;
use domain::refusal::Code;
use domain::rights::Right;
use serde_json::{Value, json};

use super::WireForm;

/// Group of operations that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Sessions,
    Keys,
    Clients,
    Employees,
    Limits,
    Accounts,
    Payments,
    Links,
    Subscriptions,
    Webhooks,
    Owner,
    Service,
}

impl Group {
    pub(crate) const ALL: [Self; 12] = [
        Self::Sessions,
        Self::Keys,
        Self::Clients,
        Self::Employees,
        Self::Limits,
        Self::Accounts,
        Self::Payments,
        Self::Links,
        Self::Subscriptions,
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
            Self::Employees => "employees",
            Self::Limits => "limits",
            Self::Accounts => "bank-accounts",
            Self::Payments => "payments",
            Self::Links => "payment-links",
            Self::Subscriptions => "subscriptions",
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
            Self::Employees => ("Empleados", "Employees"),
            Self::Limits => ("Límites de créditos y actividad", "Credit limits and activity"),
            Self::Accounts => ("Cuentas bancarias", "Bank accounts"),
            Self::Payments => ("Verificar pagos", "Verifying payments"),
            Self::Links => ("Enlaces de pago", "Payment links"),
            Self::Subscriptions => ("Suscripciones", "Subscriptions"),
            Self::Webhooks => ("Webhooks", "Webhooks"),
            Self::Owner => ("El titular", "The owner"),
            Self::Service => ("El servicio", "The service"),
        }
    }
}

/// Describes the proof that callers are asked for, behind [`callers_of`], in Spanish and in English. Over the API only a
/// person with a second factor is asked.
pub(crate) fn proof_of(demand: ProofDemand) -> (String, String) {
    const AFTER: (&str, &str) = (
        "quien tiene segundo factor, tras `POST /auth/step-up`",
        "who has a second factor, after `POST /auth/step-up`",
    );
    match demand {
        ProofDemand::Reads | ProofDemand::Unasked(_) => (String::new(), String::new()),
        ProofDemand::Reveals | ProofDemand::Asks | ProofDemand::AsksForCode => {
            (format!("; {}", AFTER.0), format!("; {}", AFTER.1))
        }
        ProofDemand::AsksWhere { es, en } => {
            (format!("; para {es}, {}", AFTER.0), format!("; for {en}, {}", AFTER.1))
        }
    }
}

/// Describes the permitted callers of an operation with this rule, in Spanish and in English.
pub(crate) fn callers_of(rule: Rule) -> (String, String) {
    let texts = |es: &str, en: &str| (es.to_owned(), en.to_owned());
    match rule {
        Rule::Public => texts("cualquiera, sin credencial", "anybody, without a credential"),
        Rule::Hook => texts(
            "el banco, con el secreto de la cuenta en su cabecera",
            "the bank, with the account's secret in its header",
        ),
        Rule::Anyone => texts("cualquier sesión o llave activa", "any session or active key"),
        Rule::OwnerSession => texts("solo la sesión del titular", "the owner's session alone"),
        Rule::Session => texts("cualquier sesión", "any session"),
        Rule::OwnerOrClient => texts(
            "la sesión del titular, o la de un cliente para lo suyo",
            "the owner's session, or a client's for what is its own",
        ),
        Rule::OwnerEmployeeOrClient(right) => (
            format!(
                "la sesión del titular, la de un empleado con `{right}`, o la de un cliente para lo suyo"
            ),
            format!(
                "the owner's session, an employee's with `{right}`, or a client's for what is its own"
            ),
        ),
        Rule::OwnerOrEmployee(right) => (
            format!("la sesión del titular, o la de un empleado con `{right}`"),
            format!("the owner's session, or an employee's with `{right}`"),
        ),
        Rule::Permission(permission, right) => with_permission(permission, right, "", ""),
        Rule::Unlimited(permission, right) => with_permission(
            permission,
            Some(right),
            " sin cuentas elegidas",
            " without a selection of accounts",
        ),
        Rule::Deliveries(right) => (
            format!(
                "la sesión del titular, la de un empleado con `{right}`, la de un cliente con `payment_links` para sus \
                 enlaces, o una llave con `integrations` sin cuentas elegidas"
            ),
            format!(
                "the owner's session, an employee's with `{right}`, that of a client with `payment_links` for its \
                 links, or a key with `integrations` without a selection of accounts"
            ),
        ),
        Rule::Issuing => texts(
            "la sesión del titular, la de un cliente para el suyo, o una llave con `api_keys` sin cuentas elegidas ni \
             límite mensual",
            "the owner's session, a client's for its client, or a key with `api_keys` without a selection of accounts \
             or a monthly limit",
        ),
        Rule::OwnersKeys(right) => (
            format!(
                "la sesión del titular, la de un empleado con `{right}`, o cualquier llave que no sea de un cliente"
            ),
            format!(
                "the owner's session, an employee's with `{right}`, or any key that is not a client's"
            ),
        ),
        Rule::UnlimitedOrClient(permission, right) => to_clients_as_well(permission, right),
        Rule::Listing(right) => to_keys_that_see_keys(right),
    }
}

/// Describes the callers of an operation that keys are listed by.
fn to_keys_that_see_keys(right: Right) -> (String, String) {
    (
        format!(
            "la sesión del titular, la de un empleado con `{right}`, la de un cliente, o una llave con \
                 `integrations`, de cliente o con cuentas elegidas"
        ),
        format!(
            "the owner's session, an employee's with `{right}`, a client's, or a key with `integrations`, of a \
                 client or with a selection of accounts"
        ),
    )
}

/// Describes the callers of an operation for whole owners, and for each client's sessions.
fn to_clients_as_well(permission: Permission, right: Right) -> (String, String) {
    (
        format!(
            "la sesión del titular, la de un empleado con `{right}`, la de un cliente para lo suyo, o una llave con \
             `{permission}` sin cuentas elegidas"
        ),
        format!(
            "the owner's session, an employee's with `{right}`, a client's for what is its own, or a key with \
             `{permission}` without a selection of accounts"
        ),
    )
}

/// Describes the callers whom a permission lets in. An operation that no client may call does not mention clients.
fn with_permission(
    permission: Permission,
    right: Option<Right>,
    es: &str,
    en: &str,
) -> (String, String) {
    let is_of_clients = client_permissions(true).contains(permission);
    match right {
        Some(right) if is_of_clients => (
            format!(
                "la sesión del titular, la de un empleado con `{right}`, la de un cliente con `{permission}`, o una \
                 llave con `{permission}`{es}"
            ),
            format!(
                "the owner's session, an employee's with `{right}`, that of a client with `{permission}`, or a key \
                 with `{permission}`{en}"
            ),
        ),
        Some(right) => (
            format!(
                "la sesión del titular, la de un empleado con `{right}`, o una llave con `{permission}`{es}"
            ),
            format!(
                "the owner's session, an employee's with `{right}`, or a key with `{permission}`{en}"
            ),
        ),
        None => (
            format!("la sesión del titular, o una llave con `{permission}`{es}"),
            format!("the owner's session, or a key with `{permission}`{en}"),
        ),
    }
}

/// How a caller is refused for who it is.
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
        Rule::OwnerSession | Rule::Session | Rule::OwnerOrClient => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            OwnerSessionRequired,
        ],
        Rule::OwnerOrEmployee(_) | Rule::OwnerEmployeeOrClient(_) | Rule::OwnersKeys(_) => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            OwnerSessionRequired,
            Forbidden,
        ],
        Rule::Permission(_, None) => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            PermissionsNotConfigured,
            OwnerSessionRequired,
            Forbidden,
        ],
        Rule::Permission(..) | Rule::Listing(_) => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            PermissionsNotConfigured,
            Forbidden,
        ],
        Rule::Issuing => &[
            BadRequest,
            Unauthorized,
            UserIsNotActive,
            ClientIsNotActive,
            ApiKeyIsNotActive,
            OwnerSessionRequired,
            PermissionsNotConfigured,
            Forbidden,
            KeyScopeRestricted,
        ],
        Rule::Unlimited(..) | Rule::UnlimitedOrClient(..) | Rule::Deliveries(_) => &[
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

/// Describes a path's placeholder: Spanish text, English text, and JSON Schema. `None` for an unknown name.
pub(super) fn placeholder(name: &str) -> Option<(&'static str, &'static str, Value)> {
    Some(match name {
        "api_key_id" => ("La llave.", "The key.", KeyId::schema()),
        "bank_id" => ("La cuenta bancaria.", "The bank account.", BankId::schema()),
        "client_id" => ("El cliente.", "The client.", ClientId::schema()),
        "employee_id" => ("El empleado.", "The employee.", EmployeeId::schema()),
        "session_id" => ("La sesión.", "The session.", SessionId::schema()),
        "delivery_id" => ("El aviso.", "The webhook.", EventId::schema()),
        "movement_id" => ("El movimiento.", "The movement.", MovementId::schema()),
        "notice_id" => ("El aviso al titular.", "The notice to the owner.", NoticeId::schema()),
        "payment_link_id" => ("El enlace de pago.", "The payment link.", LinkId::schema()),
        "receipt_id" => ("El comprobante.", "The receipt.", ReceiptId::schema()),
        "subscription_id" => ("La suscripción.", "The subscription.", SubscriptionId::schema()),
        "cycle" => (
            "El período, por su número desde 1.",
            "The period, by its number from 1 on.",
            json!({ "type": "integer", "minimum": 1 }),
        ),
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
