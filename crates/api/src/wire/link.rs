//! A payment link.

use app::links::{LinkRecord, Origin};
use axum::response::Response;
use domain::ids::{BankId, LinkId, OwnerId, SubscriptionId};
use domain::links::{Currency, Status};
use domain::money::Bolivars;
use domain::refusal::{Problem, Refusal};
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use web::{Failure, Fields, answer};

use crate::operation::{Kind, Shown, TextKind};

/// Un enlace de pago. / A payment link.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentLink")]
pub(crate) struct WireLink<'a> {
    id: Shown<LinkId>,
    name: &'a str,
    amount: f64,
    #[schemars(extend("enum" = Currency::ALL.map(Currency::as_str)))]
    currency: &'static str,
    description: &'a str,
    webhook_url: Option<&'a str>,
    webhook_method: &'static str,
    #[schemars(extend("enum" = Status::ALL.map(Status::as_str)))]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_detail: Option<&'a str>,
    url: &'a str,
    redirect_url: Option<&'a str>,
    with_subscription_id: Option<Shown<SubscriptionId>>,
    #[serde(rename = "type")]
    kind: &'static str,
    payment_link_origin: &'static str,
    user_id: Shown<OwnerId>,
    user_bank_id: Shown<BankId>,
    /// Bolívares por unidad de la moneda: la última tasa que se fijó para quien paga, la primera al crear el enlace o al
    /// cambiar su precio, y después la del pago. 1 en bolívares; `null` mientras no se ha fijado ninguna. / Bolívares for
    /// one unit of the currency: the latest rate that was held for the payer, the first when the link is created or its
    /// price changes, and afterwards the payment's. 1 in bolívares; `null` while none was held.
    rate_exchange: Option<f64>,
    /// Los minutos que vale cada tasa que se fija. / Minutes that each rate is held for.
    rate_expiration_time: i64,
    /// Desde cuándo vale `rate_exchange`; `null` en bolívares. / Since when `rate_exchange` is held; `null` in bolívares.
    rate_updated_at: Option<Shown<Timestamp>>,
    expiration_time: i64,
    expires_at: Option<Shown<Timestamp>>,
    #[schemars(with = "Map<String, Value>")]
    metadata: Metadata<'a>,
    livemode: bool,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

/// JSON as it was kept.
#[derive(Serialize)]
#[serde(untagged)]
enum Metadata<'a> {
    Kept(&'a RawValue),
    Unreadable {},
}

/// How long a link is good that is good for ever.
pub(crate) const NEVER: i64 = -1;

impl<'a> WireLink<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "link_00000000000000000000000001",
            "name": "Pedido 7",
            "amount": 150.75,
            "currency": "VEF",
            "description": "Pedido 7",
            "webhook_url": "https://tienda.example/webhooks",
            "webhook_method": "POST",
            "status": "pending",
            "url": "https://pagos.tienda.example/pay/link_00000000000000000000000001",
            "redirect_url": null,
            "with_subscription_id": null,
            "type": "api",
            "payment_link_origin": "api",
            "user_id": "own_00000000000000000000000001",
            "user_bank_id": "bank_00000000000000000000000001",
            "rate_exchange": 1.0,
            "rate_expiration_time": 60,
            "rate_updated_at": null,
            "expiration_time": 1440,
            "expires_at": "2026-11-21T12:00:00.000Z",
            "metadata": {},
            "livemode": true,
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
        })
    }

    pub(crate) fn of(record: &'a LinkRecord) -> Self {
        let link = &record.link;
        let from_dashboard = link.origin == Origin::Dashboard;
        Self {
            id: Shown(link.id),
            name: &link.name,
            amount: Bolivars::from_hundredths(link.price.hundredths).to_number(),
            currency: link.price.currency.as_str(),
            description: &link.description,
            webhook_url: link.webhook_url.as_ref().map(domain::url::UrlText::as_str),
            webhook_method: "POST",
            status: record.status.as_str(),
            status_detail: link.status_detail.as_deref(),
            url: &record.url,
            redirect_url: link.redirect_url.as_ref().map(domain::url::UrlText::as_str),
            with_subscription_id: link.cycle.map(|cycle| Shown(cycle.subscription)),
            kind: link.origin.as_str(),
            payment_link_origin: if from_dashboard { "dashboard" } else { "api" },
            user_id: Shown(record.owner),
            user_bank_id: Shown(link.bank),
            // Bolívares are owed as they are.
            rate_exchange: match link.price.currency {
                Currency::Vef => Some(1.0),
                _ => link.held_rate.as_ref().map(|held| held.rate.to_number()),
            },
            rate_expiration_time: link.rate_minutes,
            rate_updated_at: link.held_rate.as_ref().map(|held| Shown(held.locked_at)),
            expiration_time: link.expiration_minutes.unwrap_or(NEVER),
            expires_at: link.standing.expires_at.map(Shown),
            metadata: serde_json::from_str(&link.metadata)
                .map_or(Metadata::Unreadable {}, Metadata::Kept),
            livemode: link.livemode,
            created_at: Shown(link.created_at),
            updated_at: Shown(link.updated_at),
        }
    }
}

/// Lo que responden casi todas las operaciones sobre un enlace. / What most operations on one link answer.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentLinkAnswer")]
pub(crate) struct LinkAnswer<'a> {
    pub(crate) message: &'static str,
    pub(crate) paymentlink: WireLink<'a>,
}

impl LinkAnswer<'_> {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        json!({ "message": message, "paymentlink": WireLink::example() })
    }
}

/// The link as it is now.
pub(crate) fn said(message: &'static str, record: &LinkRecord) -> Result<Response, Failure> {
    answer::json(&LinkAnswer { message, paymentlink: WireLink::of(record) })
}

/// The calls that change what a link is. None makes one paid but the acceptance of a movement.
pub(crate) const STATUS_CALLS: &[&str] = &[
    "POST /v1/paymentlink/{payment_link_id}/cancel",
    "POST /v1/paymentlink/{payment_link_id}/stop",
    "POST /v1/paymentlink/{payment_link_id}/resume",
    "POST /v1/paymentlink/{payment_link_id}/reject",
    "POST /v1/paymentlink/{payment_link_id}/accept",
];

/// The id of a link in a path. One of another form is an id of nothing.
pub(crate) fn link_id(text: &str) -> Result<LinkId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("payment_link"))
}

/// An amount to ask for, in hundredths. One that is not above zero has a refusal of its own, once nothing else is wrong.
pub(crate) struct LinkAmount;

impl Kind for LinkAmount {
    type Value = Result<i64, Refusal>;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Self::Value> {
        let number = serde_json::from_str::<f64>(raw.get()).ok();
        if number.is_some_and(|number| number < 0.005) {
            return Some(Err(Refusal::NotPositiveAmount));
        }
        let amount = fields.number(name, Some(raw), Bolivars::from_number)?;
        Some(Ok(amount.hundredths()))
    }

    fn schema() -> Value {
        json!({
            "type": "number",
            "description": "Mayor que cero, con dos decimales a lo sumo. / Above zero, with at most two decimals.",
        })
    }
}

/// Code of an amount's currency.
pub(crate) struct CurrencyCode;

/// The names that callers use; VES is another of VEF.
const CURRENCIES: [&str; 5] = ["VEF", "VES", "USD", "EUR", "USDT"];

impl TextKind for CurrencyCode {
    type Value = Currency;

    fn parse(code: &str) -> Result<Currency, Problem> {
        Currency::parse(code).ok_or_else(|| Problem::one_of(&CURRENCIES))
    }

    fn schema() -> Value {
        json!({ "type": "string", "examples": CURRENCIES })
    }
}
