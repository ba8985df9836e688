//! Values that are shown by their text.

use std::borrow::Cow;
use std::fmt::Display;

use domain::brand::Colour;
use domain::ids::{
    AuditId, BankId, ClientId, EmployeeId, EventCursor, EventId, KeyId, LinkId, MovementId,
    NoticeId, NotificationId, OwnerId, PaymentCursor, PaymentId, PlanId, RateId, ReceiptId,
    RedeliveryId, SessionId, SubscriptionId, VerificationId,
};
use domain::money::Bolivars;
use domain::time::{CaracasDate, CaracasMonth, Timestamp};
use domain::webhooks::evidence::Digest;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// A value whose text is its wire form: ids and instants. Written without a copy in between.
#[derive(Debug)]
pub struct Shown<T>(pub T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A type whose text on the wire has a form.
pub trait WireForm {
    /// The JSON Schema of that text.
    fn schema() -> Value;
}

impl<T: WireForm> JsonSchema for Shown<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Shown")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        match T::schema() {
            Value::Object(schema) => schema.into(),
            _ => Map::new().into(),
        }
    }
}

macro_rules! forms {
    ($($kind:ty: $schema:expr;)+) => {
        $(impl WireForm for $kind {
            fn schema() -> Value {
                $schema
            }
        })+
    };
}

forms! {
    Colour: json!({ "type": "string", "pattern": "^#[0-9a-f]{6}$" });
    BankId: id(Self::PREFIX);
    ClientId: id(Self::PREFIX);
    EmployeeId: id(Self::PREFIX);
    EventCursor: id(Self::PREFIX);
    AuditId: id(Self::PREFIX);
    SessionId: id(Self::PREFIX);
    EventId: id(Self::PREFIX);
    KeyId: id(Self::PREFIX);
    LinkId: id(Self::PREFIX);
    MovementId: id(Self::PREFIX);
    NoticeId: id(Self::PREFIX);
    NotificationId: id(Self::PREFIX);
    OwnerId: id(Self::PREFIX);
    PaymentId: id(Self::PREFIX);
    PlanId: id(Self::PREFIX);
    RateId: id(Self::PREFIX);
    PaymentCursor: id(Self::PREFIX);
    RedeliveryId: id(Self::PREFIX);
    ReceiptId: id(Self::PREFIX);
    SubscriptionId: id(Self::PREFIX);
    VerificationId: id(Self::PREFIX);
    Bolivars: json!({ "type": "string", "pattern": "^-?[0-9]+\\.[0-9]{2}$" });
    Timestamp: json!({ "type": "string", "format": "date-time" });
    CaracasDate: json!({ "type": "string", "format": "date" });
    CaracasMonth: json!({ "type": "string", "pattern": "^[2-9][0-9]{3}-(0[1-9]|1[0-2])$" });
    Digest: json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" });
}

/// An id: what it is of, an underscore, and 26 letters and digits.
fn id(prefix: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^{prefix}_[0-9a-z]{{26}}$") })
}
