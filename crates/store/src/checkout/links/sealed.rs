//! The seal of a payment link.

use domain::ids::{ClientId, OwnerId};
use domain::links::State;
use domain::seals::{Seal, SealedLink};
use domain::time::Timestamp;
use domain::url::UrlText;

use super::link::Link;

/// The seal over what a link was made with, or changed to, and how it ended without a payment.
pub(super) fn seal(owner: OwnerId, link: &Link) -> Seal {
    let cycle = link.cycle.map(|of| (of.subscription.to_bytes(), i64::from(of.number)));
    let client = link.client.map(ClientId::to_bytes);
    let has_failed = link.standing.state == State::Failed;
    SealedLink {
        ids: [
            &owner.to_bytes(),
            &link.id.to_bytes(),
            &link.bank.to_bytes(),
            &link.actor.to_bytes(),
        ],
        client: client.as_ref().map(<[u8; 16]>::as_slice),
        texts: [
            &link.name,
            &link.description,
            link.price.currency.as_str(),
            &link.metadata,
            link.origin.as_str(),
        ],
        urls: [&link.webhook_url, &link.redirect_url].map(|url| url.as_ref().map(UrlText::as_str)),
        amount: link.price.hundredths,
        livemode: link.livemode,
        expiry: [link.expiration_minutes, link.standing.expires_at.map(Timestamp::as_micros)],
        rate_minutes: link.rate_minutes,
        created_at: link.created_at.as_micros(),
        failed: (link.status_detail.as_deref(), has_failed.then(|| link.updated_at.as_micros())),
        canceled_at: link.canceled_at().map(Timestamp::as_micros),
        cycle: cycle.as_ref().map(|(subscription, number)| (subscription.as_slice(), *number)),
    }
    .seal()
}
