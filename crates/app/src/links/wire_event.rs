//! The body of a webhook about a payment link, which is signed, kept and sent again as it was written: the link and its
//! payment, as every answer shows them, and how it stands with them then.

use std::fmt;

use domain::ids::{EventId, LinkId};
use domain::links::Status;
use domain::money::Credits;
use domain::time::Timestamp;
use domain::webhooks::EventKind;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::LinkRecord;
use super::wire_link::WireLink;
use crate::verification::{Whole, WirePayment};
use crate::wire::Shown;

/// The outcome of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LinkOutcome<'a> {
    /// It was paid by this.
    Paid(&'a Whole),
    /// It will not be paid, for the reason that the link has.
    Failed,
    /// Its time is over without a payment.
    Expired,
    /// It was called off.
    Canceled,
}

impl LinkOutcome<'_> {
    /// Returns the kind of event that a webhook about it reports.
    pub(crate) const fn kind(self) -> EventKind {
        match self {
            Self::Paid(_) => EventKind::LinkPaid,
            Self::Failed => EventKind::LinkFailed,
            Self::Expired => EventKind::LinkExpired,
            Self::Canceled => EventKind::LinkCanceled,
        }
    }

    /// Returns what the link is by it.
    pub(crate) const fn status(self) -> Status {
        match self {
            Self::Paid(_) => Status::Paid,
            Self::Failed => Status::Failed,
            Self::Expired => Status::Expired,
            Self::Canceled => Status::Canceled,
        }
    }
}

/// Event about a link, as it is when this is reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkEvent<'a> {
    /// The event's id, the same at every repeat.
    pub(crate) id: EventId,
    /// The link, with the status that the outcome gives it.
    pub(crate) record: &'a LinkRecord,
    /// Its outcome.
    pub(crate) outcome: LinkOutcome<'a>,
    /// The owner's credits after it, where the receiver may know them.
    pub(crate) credit_balance: Option<Credits>,
    /// When it became true.
    pub(crate) at: Timestamp,
}

impl LinkEvent<'_> {
    /// The body.
    pub(crate) fn to_body(self) -> Vec<u8> {
        // Text and finite numbers: writing them as JSON cannot fail.
        serde_json::to_vec(&WireLinkEvent::of(&self)).unwrap_or_default()
    }
}

/// Lo que recibe la `webhook_url` de un enlace. / What the `webhook_url` of a link receives.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentLinkEvent")]
pub struct WireLinkEvent<'a> {
    /// El id del evento, el mismo en cada repetición. / The id of the event, the same at every repeat.
    id: Shown<EventId>,
    /// Qué pasó. / What happened.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = KINDS.map(EventKind::as_str)))]
    kind: &'static str,
    payment_link_id: Shown<LinkId>,
    /// En qué terminó el enlace. / What the link ended in.
    #[schemars(extend("enum" = ["paid", "failed", "expired", "canceled"]))]
    status: &'static str,
    /// Los créditos del titular; no está en los de un cliente. / The owner's credits; not in those of a client.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_balance: Option<i64>,
    livemode: bool,
    /// Cuándo se hizo el enlace. / When the link was made.
    created_at: Shown<Timestamp>,
    /// Cuándo ocurrió esto. / When this happened.
    updated_at: Shown<Timestamp>,
    /// Lo que el comercio guardó con el enlace, como texto. / What the shop keeps with the link, as text.
    metadata: Vec<WirePair>,
    /// El enlace, como quedó. / The link, as it was left.
    payment_link: WireLink<'a>,
    /// El pago; `null` donde no se pagó. / The payment; `null` where it was not paid.
    user_bank_payment: Option<WirePayment<'a>>,
}

/// Kinds of events whose body it is.
const KINDS: [EventKind; 4] =
    [EventKind::LinkPaid, EventKind::LinkFailed, EventKind::LinkExpired, EventKind::LinkCanceled];

/// Una pareja. / A pair.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MetadataPair")]
struct WirePair {
    /// El nombre del dato. / The name of the fact.
    key: String,
    /// El dato. / The fact.
    value: String,
}

/// Shows nothing of the link and the payer.
impl fmt::Debug for WireLinkEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireLinkEvent").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<'a> WireLinkEvent<'a> {
    fn of(event: &LinkEvent<'a>) -> Self {
        let LinkEvent { record, outcome, .. } = *event;
        let link = &record.link;
        let pair = |(key, value)| WirePair { key, value };
        Self {
            id: Shown(event.id),
            kind: outcome.kind().as_str(),
            payment_link_id: Shown(link.id),
            status: outcome.status().as_str(),
            credit_balance: event.credit_balance.map(Credits::get),
            livemode: link.livemode,
            created_at: Shown(link.created_at),
            updated_at: Shown(event.at),
            metadata: pairs(&link.metadata).into_iter().map(pair).collect(),
            payment_link: WireLink::of(record),
            user_bank_payment: match outcome {
                LinkOutcome::Paid(whole) => Some(WirePayment::of(whole)),
                LinkOutcome::Failed | LinkOutcome::Expired | LinkOutcome::Canceled => None,
            },
        }
    }
}

/// Returns the metadata that the maker of a link keeps with it, as pairs of text. A value that is no text is its JSON.
pub(crate) fn pairs(metadata: &str) -> Vec<(String, String)> {
    let Ok(Value::Object(object)) = serde_json::from_str(metadata) else { return Vec::new() };
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    object.into_iter().map(|(key, value)| (key, text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_becomes_pairs_of_text() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            pairs(r#"{"order":"A-7","lines":[1,2],"paid":false}"#),
            [pair("lines", "[1,2]"), pair("order", "A-7"), pair("paid", "false")]
        );
        assert_eq!(pairs("{}"), []);
        assert_eq!(pairs("no object"), []);
    }
}
