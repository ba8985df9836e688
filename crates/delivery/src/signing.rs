//! What the head of a webhook says: whose it is, which it is, when it was sent, and by which secret
//! all that is to be believed.

use domain::ids::EventId;
use domain::time::Timestamp;
use domain::webhooks::{HeaderWord, Secrets, Trouble, WebhookSecret, sign, standard};
use http::{HeaderName, HeaderValue};
use store::deliveries::Event;
use store::due::Lease;

/// What signs one attempt.
///
/// Receivers compare the whole of the described header, so that there is one signature in it: the
/// present secret's, or at a repeat the former one's. Libraries of Standard Webhooks look for one that
/// fits, so that there are both as long as both are good.
pub(crate) struct Signers<'a> {
    described: &'a WebhookSecret,
    standard: Vec<&'a WebhookSecret>,
}

impl<'a> Signers<'a> {
    /// What signs at `now`.
    pub(crate) fn at(now: Timestamp, secrets: &'a Secrets) -> Self {
        let standard = [Some(&secrets.current), secrets.previous_at(now)];
        Self { described: &secrets.current, standard: standard.into_iter().flatten().collect() }
    }

    /// The same, with the former secret in the described header.
    pub(crate) fn led_by(self, former: &'a WebhookSecret) -> Self {
        Self { described: former, ..self }
    }

    /// The value of the header of Standard Webhooks, the newest secret's signature first.
    fn standard(&self, id: EventId, seconds: i64, body: &[u8]) -> String {
        let signed = self.standard.iter().map(|secret| standard::sign(secret, id, seconds, body));
        signed.collect::<Vec<_>>().join(" ")
    }

    /// All that is said of an event, sent at `now` on that lease.
    pub(crate) fn headers(
        &self,
        word: &HeaderWord,
        event: &Event,
        lease: Lease,
        now: Timestamp,
    ) -> Result<[(HeaderName, HeaderValue); 8], Trouble> {
        let (seconds, id) = (now.as_seconds(), event.id.to_string());
        let time = seconds.to_string();
        // Every lease but the writer's own is taken for an attempt, and one that was cut short may
        // have arrived as well as one that was kept.
        let try_number = lease.tries - Lease::FIRST.tries;
        let may_repeat = if try_number > 1 { "true" } else { "false" };
        Ok([
            header(&word.timestamp(), &time)?,
            header(&word.signature(), &sign(self.described, seconds, &event.body))?,
            header(&word.event_id(), &id)?,
            header(&word.attempt(), &try_number.to_string())?,
            header(&word.may_repeat(), may_repeat)?,
            header(standard::ID, &id)?,
            header(standard::TIMESTAMP, &time)?,
            header(standard::SIGNATURE, &self.standard(event.id, seconds, &event.body))?,
        ])
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Trouble> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Trouble::InvalidUrl)?;
    let value = HeaderValue::from_str(value).map_err(|_| Trouble::InvalidUrl)?;
    Ok((name, value))
}
