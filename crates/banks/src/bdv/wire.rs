//! What all answers of the bank have in common, and what there is instead of one.

use domain::verification::Failure;
use serde::Deserialize;
use serde_json::Value;

use super::message::{failure, plain};
use crate::listing::Unread;

/// A field that is text in one of the bank's answers and a number in another, or is not there.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Value")]
pub(super) struct Loose(Option<String>);

impl From<Value> for Loose {
    fn from(value: Value) -> Self {
        Self(match value {
            Value::String(text) => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }
}

impl Loose {
    /// The text; nothing where there is none.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// The frame around every answer.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope {
    /// The result: a number from `getMovement`, text from `movimientos`.
    pub(super) code: Loose,
    /// The same in words.
    #[serde(default)]
    pub(super) message: Loose,
    /// What was asked for.
    #[serde(default)]
    pub(super) data: Value,
}

/// The code of an answer that has what was asked for.
pub(super) const DONE: &str = "1000";

/// The code of most of what can go wrong.
pub(super) const NOT_DONE: &str = "1010";

/// The code of a key that is wrong, from some of the bank's questions.
const WRONG_KEY: &str = "1001";

impl Envelope {
    /// Reads a body. Bytes that are not UTF-8 spoil the letters that they stand for and no more; control characters
    /// that stand unescaped in a text, as a tab that a customer wrote, are spaces.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let text = text(body);
        let text = text.trim_start_matches('\u{feff}');
        let read = serde_json::from_str(text).ok();
        if read.is_some() || !text.contains(char::is_control) {
            return read;
        }
        // Between texts they are spaces anyway, and escaped ones have no control character.
        let spaced: String =
            text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
        serde_json::from_str(&spaced).ok()
    }

    /// Names the failure behind an answer that has neither the data asked for nor a word about it. The status is
    /// believed last: the bank refuses with status 200.
    pub(super) fn failure(&self, status: u16) -> Failure {
        let reason = failure(&plain(self.message.as_str()));
        reason.unwrap_or_else(|| match (self.code.as_str(), status) {
            (WRONG_KEY, _) | (_, 401 | 403) => Failure::RejectedCredentials,
            _ => failure_of_status(status),
        })
    }
}

/// Names the failure behind a body that is not the bank's: an error page of a server in front of it.
pub(super) fn failure_of_page(status: u16, body: &[u8]) -> Failure {
    if plain(&text(body)).contains("mantenimiento") {
        return Failure::Maintenance;
    }
    match status {
        401 => Failure::RejectedCredentials,
        // A wall that does not know our address says so too, and knows nothing of keys.
        403 => Failure::Unavailable,
        _ => failure_of_status(status),
    }
}

fn failure_of_status(status: u16) -> Failure {
    match status {
        400 => Failure::InvalidInput,
        429 => Failure::RateLimited,
        408 | 500..=599 => Failure::Unavailable,
        _ => Failure::BadResponse,
    }
}

/// Names the failure behind a request that got no answer.
pub(super) fn failure_of_line(error: egress::Error) -> Unread {
    let failure = match error {
        egress::Error::Busy => return Unread::Busy,
        egress::Error::Connect(_) | egress::Error::Reset => Failure::Unavailable,
        egress::Error::Timeout => Failure::TimedOut,
        egress::Error::Malformed | egress::Error::TooLarge => Failure::BadResponse,
        // No bank gives out a key that cannot be sent.
        egress::Error::Header => Failure::RejectedCredentials,
    };
    failure.into()
}

fn text(body: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(body)
}
