//! What all answers of the bank have in common, and what there is instead of one.

use domain::verification::Failure;
use serde::Deserialize;
use serde_json::Value;

use super::written::Loose;
use crate::listing::Unread;

/// The frame around every answer. The result is in its code, whatever the status.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope {
    /// The result.
    pub(super) code: Loose,
    /// The same in words.
    #[serde(default, alias = "message")]
    mensaje: Loose,
    /// The part of the bank's system that answers; nothing in the answers of a server in front of it.
    #[serde(default, rename = "mod")]
    module: Loose,
    /// How many rows the list has.
    #[serde(default)]
    num: Loose,
    /// The rows. There is none of an empty list.
    #[serde(default)]
    lista: Option<Vec<Value>>,
}

/// Why a question was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// The token is over, or was never one.
    Token,
    /// Something else.
    Unread(Unread),
}

impl From<Failure> for Missed {
    fn from(failure: Failure) -> Self {
        Self::Unread(Unread::Failed(failure))
    }
}

/// The code of an answer that has what was asked for.
pub(super) const DONE: &str = "200";

/// The codes of a token that is over, invalid or not authorised.
const NO_TOKEN: [&str; 2] = ["503", "512"];

impl Envelope {
    /// Reads a body.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(body);
        serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
    }

    /// Names what stands behind a code other than [`DONE`].
    pub(super) fn missed(&self, status: u16) -> Missed {
        let is_of_bank = status < 500 || !self.module.as_str().is_empty();
        if is_maintenance(self.mensaje.as_str()) {
            return Failure::Maintenance.into();
        }
        match self.code.as_str() {
            // A server in front of the bank that is down says 503, too.
            code if NO_TOKEN.contains(&code) && is_of_bank => Missed::Token,
            // A password that is over or wrong.
            "201" | "550" => Failure::RejectedCredentials.into(),
            // The form of the question, the payer's bank, its phone, the day.
            "511" | "551" | "552" | "553" => Failure::InvalidInput.into(),
            "429" => Failure::RateLimited.into(),
            _ => failure_of_status(status),
        }
    }

    /// The rows of a list. One that says to be longer than it is was not shown whole.
    fn rows(self) -> Result<Vec<Value>, Missed> {
        let rows = self.lista.unwrap_or_default();
        let said: Option<usize> = self.num.as_str().parse().ok();
        match said {
            Some(said) if said > rows.len() => Err(Failure::BadResponse.into()),
            _ => Ok(rows),
        }
    }
}

/// Reads the answer to a question for a list, the body first.
///
/// # Errors
///
/// What failed, for every answer that is not a list. Only a list that the bank says to be empty is empty.
pub(super) fn read_list(status: u16, body: &[u8]) -> Result<Vec<Value>, Missed> {
    match Envelope::read(body) {
        Some(envelope) if envelope.code.as_str() == DONE => envelope.rows(),
        Some(envelope) => Err(envelope.missed(status)),
        None => Err(missed_of_page(status, body)),
    }
}

/// Names what stands behind a body that is not the bank's: an error page of a server in front of it.
pub(super) fn missed_of_page(status: u16, body: &[u8]) -> Missed {
    if is_maintenance(&String::from_utf8_lossy(body)) {
        return Failure::Maintenance.into();
    }
    match status {
        401 => Missed::Token,
        // A wall that does not know our address says so too, and knows nothing of tokens.
        403 => Failure::Unavailable.into(),
        _ => failure_of_status(status),
    }
}

fn failure_of_status(status: u16) -> Missed {
    let failure = match status {
        400 => Failure::InvalidInput,
        429 => Failure::RateLimited,
        408 | 500..=599 => Failure::Unavailable,
        _ => Failure::BadResponse,
    };
    failure.into()
}

fn is_maintenance(text: &str) -> bool {
    text.to_lowercase().contains("mantenimiento")
}

/// Names the failure behind a request that got no answer.
pub(super) fn missed_of_line(error: egress::Error) -> Missed {
    let failure = match error {
        egress::Error::Busy => return Missed::Unread(Unread::Busy),
        egress::Error::Connect(_) | egress::Error::Reset => Failure::Unavailable,
        egress::Error::Timeout => Failure::TimedOut,
        egress::Error::Malformed | egress::Error::TooLarge => Failure::BadResponse,
        // No bank gives out a token that cannot be sent.
        egress::Error::Header => Failure::RejectedCredentials,
    };
    failure.into()
}
