//! What a receiver is asked, made up and signed.

use domain::ids::{ClientId, EventId, LinkId, OwnerId};
use domain::money::Credits;
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::conformance::{Probe, STALE};
use domain::webhooks::{Head, Secrets, Signers, WebhookSecret, standard};
use store::Meter;

use crate::webhooks::synthetic_event::{AMOUNT, End, SyntheticEvent};
use crate::{App, Error, client_webhook_secrets, webhook_secrets};

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
    /// The client whose receiver it is.
    client: Option<ClientId>,
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
        (owner, client, id): (OwnerId, Option<ClientId>, EventId),
        url: UrlText,
        balance: Credits,
    ) -> Self {
        let genuine = (id, LinkId::new(&*app.ids));
        Self { owner, client, url, genuine, balance, now: app.clock.now() }
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
        let of_client = self.secrets_of_client(app, meter, probe).await?;
        let is_of_genuine = matches!(probe, Probe::Genuine | Probe::Duplicate);
        // A receiver that remembers what it has received is to refuse the rest for what is wrong with it.
        let (id, link) = match is_of_genuine {
            true => self.genuine,
            false => (EventId::new(&*app.ids, now), LinkId::new(&*app.ids)),
        };
        let synthetic_event = SyntheticEvent {
            id,
            owner: self.owner,
            client: self.client,
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
        let signers =
            Signers::at(now, &secrets).beside(of_client.as_ref().map(|secrets| &secrets.current));
        let mut headers = signers.headers(word, head, &body);
        if probe == Probe::NoSignature {
            let signatures =
                [word.signature(), word.client_signature(), standard::SIGNATURE.to_owned()];
            headers.retain(|(name, _)| !signatures.contains(name));
        }
        let body = match probe {
            Probe::Altered => synthetic_event.body(end, ALTERED_AMOUNT),
            _ => body,
        };
        Ok(Question { headers, body })
    }

    /// The secrets of the client whose receiver it is, if it has any; others in their place where it is signed wrongly.
    async fn secrets_of_client(
        &self,
        app: &App,
        meter: &Meter,
        probe: Probe,
    ) -> Result<Option<Secrets>, Error> {
        let Some(client) = self.client else { return Ok(None) };
        let kept = client_webhook_secrets::of(app, meter, self.owner, client).await?;
        Ok(match probe {
            Probe::WrongSignature => kept.map(|_| Secrets::one(WebhookSecret::generate(&*app.ids))),
            _ => kept,
        })
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
