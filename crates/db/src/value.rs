//! What goes into a statement and what comes out: five kinds of value, the same on both engines.

use domain::ids;
use domain::time::Timestamp;
use domain::webhooks::evidence::Digest;

use crate::fault::Fault;
use crate::sql::Sql;

/// A parameter of a statement, or a column of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// No value. Its type is the column's.
    Null,
    /// A truth value; an integer 0 or 1 on SQLite.
    Bool(bool),
    /// A whole number: money in hundredths, credits, times in microseconds, small codes.
    Int(i64),
    /// Text without NUL.
    Text(String),
    /// Bytes: hashes, ciphertext.
    Bytes(Vec<u8>),
    /// The sixteen bytes of an id: bytes like any other to the engines, without an allocation.
    Id([u8; 16]),
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_owned())
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl From<&[u8; 32]> for Value {
    fn from(value: &[u8; 32]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl From<Digest> for Value {
    fn from(value: Digest) -> Self {
        Self::Bytes(value.to_bytes().to_vec())
    }
}

impl From<[u8; 16]> for Value {
    fn from(value: [u8; 16]) -> Self {
        Self::Id(value)
    }
}

impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Self {
        Self::Int(value.as_micros())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Type that a column can be read as.
pub trait Column: Sized {
    /// Reads `value`; `None` where it is of another kind.
    fn read(value: &Value) -> Option<Self>;
}

impl Column for bool {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(truth) => Some(*truth),
            // SQLite keeps truth as a number.
            Value::Int(0) => Some(false),
            Value::Int(1) => Some(true),
            _ => None,
        }
    }
}

impl Column for i64 {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }
}

impl Column for String {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl Column for Vec<u8> {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(bytes.clone()),
            Value::Id(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<const N: usize> Column for [u8; N] {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => bytes.as_slice().try_into().ok(),
            Value::Id(bytes) => bytes.as_slice().try_into().ok(),
            _ => None,
        }
    }
}

impl Column for Digest {
    fn read(value: &Value) -> Option<Self> {
        <[u8; 32]>::read(value).map(Self::from_bytes)
    }
}

impl Column for Timestamp {
    fn read(value: &Value) -> Option<Self> {
        i64::read(value).map(Timestamp::from_micros)
    }
}

impl<T: Column> Column for Option<T> {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            other => T::read(other).map(Some),
        }
    }
}

macro_rules! id_values {
    ($($name:ident),* $(,)?) => {$(
        impl From<ids::$name> for Value {
            fn from(id: ids::$name) -> Self {
                Self::Id(id.to_bytes())
            }
        }

        impl Column for ids::$name {
            fn read(value: &Value) -> Option<Self> {
                <[u8; 16]>::read(value).map(Self::from_bytes)
            }
        }
    )*};
}

id_values!(
    ActorId,
    AuditId,
    BankId,
    ClientId,
    EmployeeId,
    EventId,
    IdentityId,
    KeyId,
    LinkId,
    ReceiptId,
    MovementId,
    FirstReportId,
    MailId,
    NoticeId,
    NotificationId,
    OwnerId,
    PayerPageId,
    PaymentId,
    PlanId,
    RateId,
    RateLockId,
    RedeliveryId,
    RequestId,
    SessionId,
    StoreId,
    SubscriptionId,
    VerificationId,
);

/// A row of an answer.
#[derive(Clone, Debug)]
pub struct Row {
    sql: &'static Sql,
    values: Vec<Value>,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.sql, other.sql) && self.values == other.values
    }
}

impl Row {
    /// A row that `sql` answered, its values in the order of the columns.
    #[must_use]
    pub fn new(sql: &'static Sql, values: Vec<Value>) -> Self {
        Self { sql, values }
    }

    /// How many bytes its texts and bytes have.
    pub(crate) fn len(&self) -> usize {
        let len = |value: &Value| match value {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Id(_) => 0,
        };
        self.values.iter().map(len).sum()
    }

    /// The column of that name: what follows its `as` in the statement, or else the column's own.
    ///
    /// # Errors
    /// A fault where there is no such column or it holds another kind of value: the statement and
    /// the code that reads it disagree.
    pub fn get<T: Column>(&self, name: &str) -> Result<T, Fault> {
        let value = self.sql.column(name).and_then(|place| self.values.get(place));
        let fault =
            |is: &str| Fault::broken(format!("column {name} is {is} in: {}", self.sql.text()));
        let value = value.ok_or_else(|| fault("missing"))?;
        T::read(value).ok_or_else(|| fault(&format!("no {}", std::any::type_name::<T>())))
    }
}
