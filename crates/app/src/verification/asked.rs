//! What a caller asked, in the one form that rows keep and later calls are compared by.

use std::fmt;

use domain::matching::{MovementKind, PaidWithin, Query};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::time::{CaracasDate, Timestamp};
use serde::{Deserialize, Serialize};
use store::fault::Fault;

/// Question of a caller, normalised. It is kept as JSON with the verification, so that another node can ask again, and
/// with the payment, because repeats show what the first call said.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The reference as it was typed.
    pub reference: String,
    /// The amount in hundredths, where it is to be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<i64>,
    /// The kind of movement, by its name on the wire.
    pub movement_type: String,
    /// The day in Caracas, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_on: Option<String>,
    /// The times when it was owed, each as two instants in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_within: Option<Vec<(i64, i64)>>,
    /// The payer's phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// The payer's document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The payer's bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_origin: Option<String>,
    /// The payer's account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// What the shop calls the origin of the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_name: Option<String>,
}

/// Shows nothing of the payer.
impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("movement_type", &self.movement_type).finish_non_exhaustive()
    }
}

impl Asked {
    /// Converts `query` for a shop that calls the origin of the payment `source_name`.
    #[must_use]
    pub fn of(query: &Query, source_name: Option<String>) -> Self {
        Self {
            reference: query.reference.typed().to_owned(),
            amount: query.amount.map(Bolivars::hundredths),
            movement_type: query.kind.as_str().to_owned(),
            paid_on: query.paid_on.map(|day| day.to_string()),
            paid_within: query.paid_within.as_ref().map(|within| {
                let micros =
                    |(from, until): &(Timestamp, Timestamp)| (from.as_micros(), until.as_micros());
                within.times().iter().map(micros).collect()
            }),
            phone: query.phone.as_ref().map(|phone| phone.as_str().to_owned()),
            document: query.document.as_ref().map(ToString::to_string),
            bank_origin: query.bank_origin.as_ref().map(|bank| bank.as_str().to_owned()),
            account: query.account.as_ref().map(|account| account.as_str().to_owned()),
            source_name,
        }
    }

    /// The same for a caller who is not told what the payer and the shop said of it.
    pub(crate) fn hidden(self) -> Self {
        Self {
            reference: String::new(),
            amount: None,
            movement_type: self.movement_type,
            paid_on: None,
            paid_within: None,
            phone: None,
            document: None,
            bank_origin: None,
            account: None,
            source_name: None,
        }
    }

    /// The same as JSON.
    ///
    /// # Errors
    /// None in practice: every field is text or a number.
    pub(crate) fn to_json(&self) -> Result<String, Fault> {
        serde_json::to_string(self)
            .map_err(|error| Fault::broken(format!("what was asked cannot be written: {error}")))
    }

    /// Reads what a row kept.
    ///
    /// # Errors
    /// A row that holds something else.
    pub(crate) fn from_json(text: &str) -> Result<Self, Fault> {
        serde_json::from_str(text)
            .map_err(|error| Fault::broken(format!("what was asked cannot be read: {error}")))
    }

    /// The question that was asked.
    ///
    /// # Errors
    /// A row that holds what no parser ever accepted.
    pub(crate) fn query(&self) -> Result<Query, Fault> {
        let broken = |_| Fault::broken("what was asked is not what was parsed");
        fn parsed<T, E>(
            text: Option<&str>,
            parse: impl Fn(&str) -> Result<T, E>,
        ) -> Result<Option<T>, ()> {
            text.map(|text| parse(text).map_err(|_| ())).transpose()
        }
        Ok(Query {
            reference: TypedReference::parse(&self.reference).map_err(|_| broken(()))?,
            amount: self.amount.map(Bolivars::from_hundredths),
            phone: parsed(self.phone.as_deref(), Phone::parse).map_err(broken)?,
            document: parsed(self.document.as_deref(), Document::parse).map_err(broken)?,
            bank_origin: parsed(self.bank_origin.as_deref(), BankCode::parse).map_err(broken)?,
            account: parsed(self.account.as_deref(), AccountNumber::parse).map_err(broken)?,
            paid_on: parsed(self.paid_on.as_deref(), CaracasDate::parse).map_err(broken)?,
            paid_within: self.paid_within()?,
            kind: MovementKind::parse(&self.movement_type).ok_or_else(|| broken(()))?,
        })
    }

    fn paid_within(&self) -> Result<Option<PaidWithin>, Fault> {
        let Some(times) = &self.paid_within else { return Ok(None) };
        let instants = |(from, until): &(i64, i64)| {
            (Timestamp::from_micros(*from), Timestamp::from_micros(*until))
        };
        let within = PaidWithin::any_of(times.iter().map(instants));
        within.map(Some).ok_or_else(|| Fault::broken("what was asked was owed at no time"))
    }
}
