//! What operations on payment links take and answer.

use app::links::{LinkRecord, WireLink};
use axum::response::Response;
use domain::ids::LinkId;
use domain::links::Currency;
use domain::money::Bolivars;
use domain::refusal::{Problem, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use web::{Failure, Fields, answer};

use crate::operation::{Kind, TextKind};

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
