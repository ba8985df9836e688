//! A payment link.

use app::links::{LinkRecord, Origin};
use axum::response::Response;
use domain::ids::{BankId, LinkId, OwnerId};
use domain::links::Currency;
use domain::money::Bolivars;
use domain::refusal::{Problem, Refusal};
use domain::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use web::{Failure, Field, Fields, answer};

use super::Shown;

/// A payment link.
#[derive(Serialize)]
pub(crate) struct WireLink<'a> {
    id: Shown<LinkId>,
    name: &'a str,
    amount: f64,
    currency: &'static str,
    description: &'a str,
    webhook_url: Option<&'a str>,
    webhook_method: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_detail: Option<&'a str>,
    url: &'a str,
    redirect_url: Option<&'a str>,
    with_subscription_id: Option<&'static str>,
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
            with_subscription_id: None,
            kind: link.origin.as_str(),
            payment_link_origin: if from_dashboard { "dashboard" } else { "api" },
            user_id: Shown(record.owner),
            user_bank_id: Shown(link.bank),
            // Bolívares are owed as they are; no other rate is known.
            rate_exchange: (link.price.currency == Currency::Vef).then_some(1.0),
            rate_expiration_time: link.rate_minutes,
            rate_updated_at: None,
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

/// What most operations on one link answer.
#[derive(Serialize)]
pub(crate) struct LinkAnswer<'a> {
    pub(crate) message: &'static str,
    pub(crate) paymentlink: WireLink<'a>,
}

/// The link as it is now.
pub(crate) fn said(message: &'static str, record: &LinkRecord) -> Result<Response, Failure> {
    answer::json(&LinkAnswer { message, paymentlink: WireLink::of(record) })
}

/// The id of a link in a path. One of another form is an id of nothing.
pub(crate) fn link_id(text: &str) -> Result<LinkId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("payment_link"))
}

/// Amount and currency, as far as they are there.
pub(crate) struct Price {
    pub(crate) hundredths: Option<i64>,
    pub(crate) currency: Option<Currency>,
    /// The amount is there and not above zero, which has a refusal of its own.
    pub(crate) is_not_positive: bool,
}

pub(crate) fn price(fields: &mut Fields, amount: Field<'_>, currency: Field<'_>) -> Price {
    let number = amount.and_then(|raw| serde_json::from_str::<f64>(raw.get()).ok());
    let is_not_positive = number.is_some_and(|number| number < 0.005);
    let amount = match is_not_positive {
        true => None,
        false => fields.number("amount", amount, Bolivars::from_number),
    };
    let currency = fields.text("currency", currency, |code| match code.trim() {
        "" => Ok(None),
        code => Currency::parse(code)
            .map(Some)
            .ok_or_else(|| Problem::one_of(&["VEF", "VES", "USD", "EUR", "USDT"])),
    });
    Price {
        hundredths: amount.map(Bolivars::hundredths),
        currency: currency.flatten(),
        is_not_positive,
    }
}
