//! What the head of a webhook says: whose it is, which it is, when it was sent, and by which secret
//! all that is to be believed.

use super::{HeaderWord, Secrets, WebhookSecret, sign, standard};
use crate::ids::EventId;
use crate::time::Timestamp;

/// Secrets that sign one attempt.
///
/// Receivers compare the whole of the described header, so that there is one signature in it: the
/// present secret's, or at a repeat the former one's. Libraries of Standard Webhooks look for one that
/// fits, so that there are both as long as both are good.
#[derive(Debug)]
pub struct Signers<'a> {
    described: &'a WebhookSecret,
    standard: Vec<&'a WebhookSecret>,
}

/// Which event it is, when it is sent, and how often it may have been sent before.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// The event's id.
    pub event: EventId,
    /// The time that is signed, in seconds.
    pub seconds: i64,
    /// The number of the try, from 1.
    pub try_number: i64,
}

impl<'a> Signers<'a> {
    /// Returns the secrets that sign at `now`.
    #[must_use]
    pub fn at(now: Timestamp, secrets: &'a Secrets) -> Self {
        let standard = [Some(&secrets.current), secrets.previous_at(now)];
        Self { described: &secrets.current, standard: standard.into_iter().flatten().collect() }
    }

    /// The same, with the former secret in the described header.
    #[must_use]
    pub fn led_by(self, former: &'a WebhookSecret) -> Self {
        Self { described: former, ..self }
    }

    /// The value of the header of Standard Webhooks, the newest secret's signature first.
    fn standard(&self, head: Head, body: &[u8]) -> String {
        let signed = self.standard.iter();
        let signed = signed.map(|secret| standard::sign(secret, head.event, head.seconds, body));
        signed.collect::<Vec<_>>().join(" ")
    }

    /// All that is said of these bytes: names and values.
    #[must_use]
    pub fn headers(&self, word: &HeaderWord, head: Head, body: &[u8]) -> [(String, String); 8] {
        let (id, time) = (head.event.to_string(), head.seconds.to_string());
        let may_repeat = if head.try_number > 1 { "true" } else { "false" };
        [
            (word.timestamp(), time.clone()),
            (word.signature(), sign(self.described, head.seconds, body)),
            (word.event_id(), id.clone()),
            (word.attempt(), head.try_number.to_string()),
            (word.may_repeat(), may_repeat.to_owned()),
            (standard::ID.to_owned(), id),
            (standard::TIMESTAMP.to_owned(), time),
            (standard::SIGNATURE.to_owned(), self.standard(head, body)),
        ]
    }
}
