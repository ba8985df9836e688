//! What the head of an attempt says, as it goes over the line.

use domain::time::Timestamp;
use domain::webhooks::{Head, HeaderWord, Signers, Trouble};
use http::{HeaderName, HeaderValue};
use store::deliveries::Event;
use store::due::Lease;

/// All that is said of an event, sent at `now` on that lease.
pub(crate) fn headers(
    signers: &Signers<'_>,
    word: &HeaderWord,
    event: &Event,
    lease: Lease,
    now: Timestamp,
) -> Result<Vec<(HeaderName, HeaderValue)>, Trouble> {
    let head = Head {
        event: event.id,
        seconds: now.as_seconds(),
        // Every lease but the writer's own is taken for an attempt, and one that was cut short may
        // have arrived as well as one that was kept.
        try_number: lease.tries - Lease::FIRST.tries,
    };
    egress::headers(&signers.headers(word, head, &event.body))
}
