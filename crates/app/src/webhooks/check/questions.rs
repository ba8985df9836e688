//! What a receiver is asked, made up and signed.

use domain::ids::{EventId, LinkId, OwnerId};
use domain::money::Credits;
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::conformance::{Probe, STALE};
use domain::webhooks::{Head, Secrets, Signers, WebhookSecret, standard};
use store::Meter;

use crate::webhook_secrets;
use crate::webhooks::synthetic_event::{AMOUNT, End, SyntheticEvent};
use crate::{App, Error};

/// Amount in an altered body, in place of the one that was signed, in hundredths.
const ALTERED_AMOUNT: i64 = 10 * AMOUNT;

/// A request.
pub(super) struct Question {
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Facts that all requests of one check have in common.
pub(super) struct Questions {
    owner: OwnerId,
    url: UrlText,
    /// The event that is sent twice.
    genuine: (EventId, LinkId),
    balance: Credits,
    /// When all of it is made up, and that event is sent first.
    now: Timestamp,
}

impl Questions {
    pub(super) fn new(
        app: &App,
        (owner, id): (OwnerId, EventId),
        url: UrlText,
        balance: Credits,
    ) -> Self {
        let genuine = (id, LinkId::new(&*app.ids));
        Self { owner, url, genuine, balance, now: app.clock.now() }
    }

    pub(super) fn url(&self) -> &UrlText {
        &self.url
    }

    /// The request of that probe, to be sent at `now`.
    pub(super) async fn of(
        &self,
        app: &App,
        meter: &Meter,
        probe: Probe,
        now: Timestamp,
    ) -> Result<Question, Error> {
        // Looked up for each: what a rotation has ended signs nothing from then on.
        let secrets = match probe {
            Probe::WrongSignature => Secrets::one(WebhookSecret::generate(&*app.ids)),
            _ => webhook_secrets::of(app, meter, self.owner).await?,
        };
        let is_of_genuine = matches!(probe, Probe::Genuine | Probe::Duplicate);
        // A receiver that remembers what it has received is to refuse the rest for what is wrong with it.
        let (id, link) = match is_of_genuine {
            true => self.genuine,
            false => (EventId::new(&*app.ids, now), LinkId::new(&*app.ids)),
        };
        let synthetic_event = SyntheticEvent {
            id,
            owner: self.owner,
            link,
            url: &self.url,
            base_url: &app.settings.base_url,
            balance: self.balance,
            now: self.now,
        };
        let end = match probe {
            Probe::Failed => End::Failed,
            Probe::Expired => End::Expired,
            _ => End::Paid,
        };
        let body = synthetic_event.body(end, AMOUNT);
        let (seconds, try_number) = self.said(probe, now);
        let word = &app.webhooks.word;
        let head = Head { event: id, seconds, try_number };
        let mut headers = Signers::at(now, &secrets).headers(word, head, &body);
        if probe == Probe::NoSignature {
            headers.retain(|(name, _)| *name != word.signature() && name != standard::SIGNATURE);
        }
        let body = match probe {
            Probe::Altered => synthetic_event.body(end, ALTERED_AMOUNT),
            _ => body,
        };
        Ok(Question { headers, body })
    }

    /// The time that a probe says, in seconds, and the number of its try.
    fn said(&self, probe: Probe, now: Timestamp) -> (i64, i64) {
        let seconds = now.as_seconds();
        match probe {
            Probe::Genuine => (self.now.as_seconds(), 1),
            // A repeat is sent later, and says so even where it is the same second.
            Probe::Duplicate => (seconds.max(self.now.as_seconds() + 1), 2),
            Probe::Stale => (now.minus(STALE).as_seconds(), 1),
            _ => (seconds, 1),
        }
    }
}
