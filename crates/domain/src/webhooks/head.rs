//! What the head of a webhook says: whose it is, which it is, when it was sent, and by which secret
//! all that is to be believed.

use super::{HeaderWord, Secrets, WebhookSecret, sign, standard};
use crate::ids::EventId;
use crate::time::Timestamp;

/// Secrets that sign one attempt.
///
/// Receivers compare the whole of the described header, so that there is one signature in it: the
/// present secret's, or at a repeat the former one's. Libraries of Standard Webhooks look for one that
/// fits, so that there are both as long as both are good. A client's signature has a header of its own,
/// in which there is one as well.
#[derive(Debug)]
pub struct Signers<'a> {
    described: &'a WebhookSecret,
    standard: Vec<&'a WebhookSecret>,
    client: Option<&'a WebhookSecret>,
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
        let standard = standard.into_iter().flatten().collect();
        Self { described: &secrets.current, standard, client: None }
    }

    /// The same, and besides for a client's receivers by that secret, if there is one.
    #[must_use]
    pub fn beside(self, client: Option<&'a WebhookSecret>) -> Self {
        Self { client, ..self }
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
    pub fn headers(&self, word: &HeaderWord, head: Head, body: &[u8]) -> Vec<(String, String)> {
        let (id, time) = (head.event.to_string(), head.seconds.to_string());
        let may_repeat = if head.try_number > 1 { "true" } else { "false" };
        let of_client = self.client.map(|secret| sign(secret, head.seconds, body));
        let mut headers = vec![
            (word.timestamp(), time.clone()),
            (word.signature(), sign(self.described, head.seconds, body)),
            (word.event_id(), id.clone()),
            (word.attempt(), head.try_number.to_string()),
            (word.may_repeat(), may_repeat.to_owned()),
            (standard::ID.to_owned(), id),
            (standard::TIMESTAMP.to_owned(), time),
            (standard::SIGNATURE.to_owned(), self.standard(head, body)),
        ];
        headers.extend(of_client.map(|signature| (word.client_signature(), signature)));
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_signature_stands_beside_the_described_one_over_the_same_bytes() {
        let secret = |text: &str| WebhookSecret::kept(text.into());
        let (secrets, client) = (Secrets::one(secret("owner")), secret("client"));
        let now = Timestamp::from_micros(1_795_176_000_000_000);
        let head =
            Head { event: EventId::from_bytes([7; 16]), seconds: now.as_seconds(), try_number: 1 };
        let word = HeaderWord::parse("Tienda").unwrap();
        let alone = Signers::at(now, &secrets).headers(&word, head, b"{}");
        let beside = Signers::at(now, &secrets).beside(Some(&client)).headers(&word, head, b"{}");
        let added = ("X-Tienda-Client-Signature".to_owned(), sign(&client, head.seconds, b"{}"));
        assert_eq!(beside, [alone.clone(), vec![added]].concat());
        assert_eq!(Signers::at(now, &secrets).beside(None).headers(&word, head, b"{}"), alone);
    }
}
