//! The payment link as JSON: one object, in every answer, webhook and event that has one.

use std::fmt;

use domain::ids::{BankId, LinkId, OwnerId, SubscriptionId};
use domain::links::{Currency, Status};
use domain::money::Bolivars;
use domain::time::Timestamp;
use domain::url::UrlText;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{LinkRecord, Origin};
use crate::wire::Shown;

/// Un enlace de pago. / A payment link.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentLink")]
pub struct WireLink<'a> {
    id: Shown<LinkId>,
    name: &'a str,
    amount: f64,
    #[schemars(extend("enum" = Currency::ALL.map(Currency::as_str)))]
    currency: &'static str,
    description: &'a str,
    webhook_url: Option<&'a str>,
    webhook_method: &'static str,
    /// `pending`: se puede pagar; `paid`; `failed`: no se pagará; `expired`; `canceled`; `stopped`: no recibe pagos por
    /// ahora. / `pending`: it can be paid; `paid`; `failed`: it will not be; `expired`; `canceled`; `stopped`: it takes
    /// no payment for now.
    #[schemars(extend("enum" = Status::ALL.map(Status::as_str)))]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_detail: Option<&'a str>,
    /// Su página, para quien paga. / Its page, for the payer.
    url: &'a str,
    redirect_url: Option<&'a str>,
    with_subscription_id: Option<Shown<SubscriptionId>>,
    /// De dónde viene: `api`, `dashboard` o `subscription`. / Where it comes from: `api`, `dashboard` or
    /// `subscription`.
    #[serde(rename = "type")]
    kind: &'static str,
    payment_link_origin: &'static str,
    user_id: Shown<OwnerId>,
    user_bank_id: Shown<BankId>,
    rate_exchange: Option<f64>,
    rate_expiration_time: i64,
    rate_updated_at: Option<Shown<Timestamp>>,
    expiration_time: i64,
    expires_at: Option<Shown<Timestamp>>,
    /// El objeto que le dio quien lo creó, como lo escribió. / The object that whoever made it gave it, as it was
    /// written.
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
const NEVER: i64 = -1;

/// Shows nothing of what it asks for, nor of addresses, which may hold a key.
impl fmt::Debug for WireLink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireLink").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<'a> WireLink<'a> {
    /// One with made-up data.
    #[must_use]
    pub fn example() -> Value {
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

    /// The link, as its record says.
    #[must_use]
    pub fn of(record: &'a LinkRecord) -> Self {
        let link = &record.link;
        let from_dashboard = link.origin == Origin::Dashboard;
        Self {
            id: Shown(link.id),
            name: &link.name,
            amount: Bolivars::from_hundredths(link.price.hundredths).to_number(),
            currency: link.price.currency.as_str(),
            description: &link.description,
            webhook_url: link.webhook_url.as_ref().map(UrlText::as_str),
            webhook_method: "POST",
            status: record.status.as_str(),
            status_detail: link.status_detail.as_deref(),
            url: &record.url,
            redirect_url: link.redirect_url.as_ref().map(UrlText::as_str),
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
