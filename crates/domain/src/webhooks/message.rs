//! The body of a webhook about a payment link, byte for byte as it is signed, kept and sent again.
//!
//! It is written here and not by a general serialiser: its bytes never change once they are kept,
//! and amounts go from whole hundredths to decimal text without a binary fraction in between.

use std::fmt::Display;

use super::EventKind;
use crate::ids::EventId;
use crate::money::{Bolivars, Credits};
use crate::rates::PaidPrice;
use crate::time::Timestamp;

/// Report about a payment link.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// The event's id, the same at every repeat.
    pub event: EventId,
    /// The link.
    pub link: Link<'a>,
    /// Its outcome.
    pub outcome: LinkOutcome<'a>,
    /// The owner's credits after it.
    pub credit_balance: Option<Credits>,
    /// False where nothing of it is real: the sandbox.
    pub livemode: bool,
}

/// The link, as it is when this is reported.
#[derive(Clone, Debug)]
pub struct Link<'a> {
    /// Its id as text, the same in the API and on its page.
    pub id: &'a str,
    /// Its label.
    pub name: Option<&'a str>,
    /// In hundredths of the currency.
    pub amount_hundredths: i64,
    /// The code of its currency.
    pub currency: &'a str,
    /// Free text.
    pub description: &'a str,
    /// Where this goes.
    pub webhook_url: &'a str,
    /// Its public page.
    pub url: &'a str,
    /// Where the payer goes afterwards.
    pub redirect_url: Option<&'a str>,
    /// The subscription that it belongs to, as text.
    pub with_subscription_id: Option<&'a str>,
    /// Its kind on the wire, such as `api`.
    pub kind: &'a str,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Keys and values that its maker gave it, in order.
    pub metadata: &'a [(String, String)],
}

/// The outcome of a link.
#[derive(Clone, Debug)]
pub enum LinkOutcome<'a> {
    /// It was paid by this.
    Paid(Payment<'a>),
    /// It will not be paid.
    Failed {
        /// Why, in the owner's language.
        detail: &'a str,
    },
    /// Its time is over without a payment.
    Expired,
    /// It was called off.
    Canceled,
}

/// The bank payment that was claimed.
#[derive(Clone, Debug)]
pub struct Payment<'a> {
    /// Its id as text.
    pub id: &'a str,
    /// The bank's whole reference.
    pub bank_reference_id: &'a str,
    /// What the bank credited.
    pub amount: Bolivars,
    /// What it cost the owner.
    pub credit_cost: Credits,
    /// When it was claimed.
    pub created_at: Timestamp,
    /// What was asked for, where that was in another currency.
    pub price: Option<&'a PaidPrice>,
    /// The address of its receipt's page.
    pub receipt_url: &'a str,
}

impl LinkOutcome<'_> {
    /// Returns the kind of event that a webhook about it reports.
    #[must_use]
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::Paid(_) => EventKind::LinkPaid,
            Self::Failed { .. } => EventKind::LinkFailed,
            Self::Expired => EventKind::LinkExpired,
            Self::Canceled => EventKind::LinkCanceled,
        }
    }

    const fn status(&self) -> &'static str {
        match self {
            Self::Paid(_) => "paid",
            Self::Failed { .. } => "failed",
            Self::Expired => "expired",
            Self::Canceled => "canceled",
        }
    }
}

impl Message<'_> {
    /// The body.
    #[must_use]
    pub fn to_body(&self) -> Vec<u8> {
        let Self { link, outcome, .. } = self;
        let mut body = Object::begin();
        body.shown("id", &self.event);
        body.text("payment_link_id", link.id);
        body.text("status", outcome.status());
        if let Some(balance) = &self.credit_balance {
            body.bare("credit_balance", balance);
        }
        body.bare("livemode", &self.livemode);
        body.shown("created_at", &link.created_at);
        body.shown("updated_at", &link.updated_at);
        body.bare("metadata", &pairs(link.metadata));
        body.bare("payment_link", &self.link());
        match outcome {
            LinkOutcome::Paid(payment) => body.bare("user_bank_payment", &payment.to_json()),
            LinkOutcome::Failed { .. } | LinkOutcome::Expired | LinkOutcome::Canceled => {
                body.bare("user_bank_payment", &"null");
            }
        }
        body.end().into_bytes()
    }

    fn link(&self) -> String {
        let Self { link, outcome, .. } = self;
        let mut json = Object::begin();
        json.text("id", link.id);
        json.optional("name", link.name);
        json.bare("amount", &decimal(link.amount_hundredths));
        json.text("currency", link.currency);
        json.text("description", link.description);
        json.text("webhook_url", link.webhook_url);
        json.text("status", outcome.status());
        if let LinkOutcome::Failed { detail } = outcome {
            json.text("status_detail", detail);
        }
        json.text("url", link.url);
        json.optional("redirect_url", link.redirect_url);
        json.optional("with_subscription_id", link.with_subscription_id);
        json.text("type", link.kind);
        json.end()
    }
}

impl Payment<'_> {
    fn to_json(&self) -> String {
        let mut json = Object::begin();
        json.text("id", self.id);
        json.text("bank_reference_id", self.bank_reference_id);
        json.bare("amount", &decimal(self.amount.hundredths()));
        json.text("status", "paid");
        json.bare("credit_cost", &self.credit_cost);
        json.shown("created_at", &self.created_at);
        if let Some(paid) = self.price {
            json.bare("price", &price(paid));
        }
        json.text("receipt_url", self.receipt_url);
        json.end()
    }
}

fn price(paid: &PaidPrice) -> String {
    let mut json = Object::begin();
    json.bare("amount", &decimal(paid.price.hundredths));
    json.text("currency", paid.price.currency.as_str());
    json.bare("rate", &paid.rate);
    json.shown("value_date", &paid.value_date);
    json.text("source", paid.source.as_str());
    json.end()
}

fn pairs(pairs: &[(String, String)]) -> String {
    let pair = |(key, value): &(String, String)| {
        let mut json = Object::begin();
        json.text("key", key);
        json.text("value", value);
        json.end()
    };
    let pairs: Vec<String> = pairs.iter().map(pair).collect();
    format!("[{}]", pairs.join(","))
}

/// An amount as a JSON number, always with its hundredths, so that it is of one type to receivers.
pub(super) fn decimal(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let whole = hundredths.unsigned_abs();
    format!("{sign}{}.{:02}", whole / 100, whole % 100)
}

/// A JSON object that is being written.
pub(super) struct Object(String);

impl Object {
    pub(super) fn begin() -> Self {
        Self("{".to_owned())
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        quote(&mut self.0, name);
        self.0.push(':');
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        quote(&mut self.0, value);
    }

    pub(super) fn optional(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(name, value),
            None => self.bare(name, &"null"),
        }
    }

    /// A value whose text is to stand in quotes.
    pub(super) fn shown(&mut self, name: &str, value: &dyn Display) {
        self.text(name, &value.to_string());
    }

    /// A value whose text is JSON already.
    pub(super) fn bare(&mut self, name: &str, value: &dyn Display) {
        self.name(name);
        self.0.push_str(&value.to_string());
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quote(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            // DEL is allowed raw, yet some readers stumble over it.
            control if control.is_ascii_control() => {
                json.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => json.push(other),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::{Currency, Price};
    use crate::rates::{Rate, RateSource};
    use crate::time::CaracasDate;

    fn message<'a>(outcome: LinkOutcome<'a>, metadata: &'a [(String, String)]) -> Message<'a> {
        let made = Timestamp::from_micros(1_795_176_000_123_000);
        Message {
            event: EventId::from_bytes([1; 16]),
            link: Link {
                id: "link_00000000000000000000000001",
                name: Some("Pedido \"7\""),
                amount_hundredths: 15_050,
                currency: "VEF",
                description: "Café\ny más\\",
                webhook_url: "https://tienda.example/hook?a=b",
                url: "https://cotejo.example/pay/link_00000000000000000000000001",
                redirect_url: None,
                with_subscription_id: None,
                kind: "api",
                created_at: made,
                updated_at: made,
                metadata,
            },
            outcome,
            credit_balance: Some(Credits::new(999)),
            livemode: true,
        }
    }

    #[test]
    fn a_payment_is_reported_with_every_field() {
        let payment = Payment {
            id: "pay_00000000000000000000000002",
            bank_reference_id: "001234567890",
            amount: Bolivars::from_hundredths(15_000),
            credit_cost: Credits::new(1),
            created_at: Timestamp::from_micros(1_795_176_060_000_000),
            price: None,
            receipt_url: "https://cotejo.example/recibo/1",
        };
        let metadata = [("orden".to_owned(), "7\u{1}".to_owned()), ("b".into(), String::new())];
        let body = message(LinkOutcome::Paid(payment), &metadata).to_body();
        let expected = concat!(
            r#"{"id":"EVENT","#,
            r#""payment_link_id":"link_00000000000000000000000001","status":"paid","#,
            r#""credit_balance":999,"livemode":true,"created_at":"2026-11-20T12:00:00.123Z","#,
            r#""updated_at":"2026-11-20T12:00:00.123Z","#,
            r#""metadata":[{"key":"orden","value":"7\u0001"},{"key":"b","value":""}],"#,
            r#""payment_link":{"id":"link_00000000000000000000000001","#,
            r#""name":"Pedido \"7\"","amount":150.50,"currency":"VEF","#,
            r#""description":"Café\u000ay más\\","#,
            r#""webhook_url":"https://tienda.example/hook?a=b","status":"paid","#,
            r#""url":"https://cotejo.example/pay/link_00000000000000000000000001","#,
            r#""redirect_url":null,"with_subscription_id":null,"type":"api"},"#,
            r#""user_bank_payment":{"id":"pay_00000000000000000000000002","bank_reference_id":"001234567890","#,
            r#""amount":150.00,"status":"paid","credit_cost":1,"#,
            r#""created_at":"2026-11-20T12:01:00.000Z","receipt_url":"https://cotejo.example/recibo/1"}}"#,
        );
        let event = EventId::from_bytes([1; 16]).to_string();
        let expected = expected.replace("EVENT", &event);
        assert_eq!(String::from_utf8(body).unwrap(), expected);
    }

    #[test]
    fn a_price_in_another_currency_is_reported_with_its_rate() {
        let paid = PaidPrice {
            price: Price { hundredths: 2_500, currency: Currency::Usd },
            rate: Rate::parse("891.3927").unwrap(),
            value_date: CaracasDate::parse("2026-11-20").unwrap(),
            source: RateSource::parse("BCV").unwrap(),
        };
        let payment = Payment {
            id: "pay_00000000000000000000000002",
            bank_reference_id: "001234567890",
            amount: Bolivars::from_hundredths(2_228_482),
            credit_cost: Credits::new(1),
            created_at: Timestamp::from_micros(1_795_176_060_000_000),
            price: Some(&paid),
            receipt_url: "https://cotejo.example/recibo/1",
        };
        let body = String::from_utf8(message(LinkOutcome::Paid(payment), &[]).to_body()).unwrap();
        let price = concat!(
            r#""price":{"amount":25.00,"currency":"USD","rate":891.3927,"#,
            r#""value_date":"2026-11-20","source":"BCV"},"receipt_url":"https://cotejo.example/recibo/1"}}"#,
        );
        assert!(body.ends_with(price), "{body}");
    }

    #[test]
    fn a_failure_has_its_reason_and_no_payment() {
        let failed = LinkOutcome::Failed { detail: "rechazado por el comercio" };
        let body = message(failed, &[]).to_body();
        let body = String::from_utf8(body).unwrap();
        assert!(body.contains(r#""status":"failed","credit_balance":999"#), "{body}");
        assert!(
            body.contains(r#""status":"failed","status_detail":"rechazado por el comercio","url""#)
        );
        assert!(body.ends_with(r#""type":"api"},"user_bank_payment":null}"#), "{body}");
        assert!(body.contains(r#""metadata":[],"#));
    }

    #[test]
    fn the_other_ends_have_their_word_and_no_payment() {
        for (outcome, word) in
            [(LinkOutcome::Expired, "expired"), (LinkOutcome::Canceled, "canceled")]
        {
            let body = String::from_utf8(message(outcome, &[]).to_body()).unwrap();
            assert_eq!(body.matches(&format!(r#""status":"{word}""#)).count(), 2, "{body}");
            assert!(body.ends_with(r#""user_bank_payment":null}"#), "{body}");
        }
    }

    #[test]
    fn amounts_are_exact() {
        for (hundredths, text) in [
            (0, "0.00"),
            (7, "0.07"),
            (100, "1.00"),
            (99_999_999_999_999, "999999999999.99"),
            (-5, "-0.05"),
            (i64::MIN, "-92233720368547758.08"),
        ] {
            assert_eq!(decimal(hundredths), text);
        }
    }
}
