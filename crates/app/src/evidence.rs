//! The operation `GET /v1/webhooks/deliveries/{delivery_id}/evidence`, and the same on the command
//! line: everything that proves how one event was delivered, so that a person who gets it can
//! verify it without asking anybody.

mod climb;
mod document;

use domain::access::ShowEvidence;
use domain::ids::{EventId, OwnerId};
use domain::refusal::Refusal;
use domain::time::CaracasDate;
use domain::webhooks::evidence::{Digest, Step};
use store::evidence::{KeptDelivery, kept};
use store::sealed_days::{self, SealedDay};
use store::tx::Tx;
use store::{Meter, Store, owners};

use self::climb::climb;
pub use self::document::Document;
use crate::{Act, App, Error};

/// How many owners are looked at at once for an event that may be anybody's.
const OWNERS: i64 = 500;

/// Proof of how an event was delivered.
#[derive(Debug)]
pub struct Evidence {
    owner: OwnerId,
    delivery: KeptDelivery,
    days: Vec<CoveringDay>,
}

/// A sealed day that covers attempts.
#[derive(Debug)]
struct CoveringDay {
    sealed: SealedDay,
    /// The digest of the sealed day before it.
    before: Option<Digest>,
    /// The numbers of attempts that ended in it, with the way of each to the root.
    paths: Vec<(i64, Vec<Step>)>,
}

/// Shows what proves how an event of the owner was delivered.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowEvidence>, id: EventId) -> Result<Evidence, Error> {
    let found = collect(&app.store, act.meter(), act.owner(), id).await?;
    Ok(found.ok_or(Refusal::NotFound("webhook_delivery"))?)
}

/// The same, for an event of any owner: for the operator.
///
/// # Errors
/// A failure of the store.
pub async fn find(store: &Store, id: EventId) -> Result<Option<Evidence>, Error> {
    let meter = Meter::default();
    let mut after = OwnerId::from_bytes([0; 16]);
    loop {
        let page = store.look_up(&meter, move |tx| owners::page(tx, after, OWNERS)).await?;
        let Some(last) = page.last() else { return Ok(None) };
        after = *last;
        for owner in page {
            if let Some(found) = collect(store, &meter, owner, id).await? {
                return Ok(Some(found));
            }
        }
    }
}

async fn collect(
    store: &Store,
    meter: &Meter,
    owner: OwnerId,
    id: EventId,
) -> Result<Option<Evidence>, Error> {
    let read = move |tx: &mut Tx<'_>| Ok(kept(tx, owner, id, id, 1)?.pop());
    let Some(delivery) = store.read(meter, read).await? else { return Ok(None) };
    let mut of_days: Vec<(CaracasDate, Vec<(i64, Digest)>)> = Vec::new();
    for attempt in &delivery.attempts {
        let day = attempt.digests.day.and_then(CaracasDate::from_days);
        let (Some(day), Some(digest)) = (day, attempt.digests.digest) else { continue };
        match of_days.last_mut().filter(|(latest, _)| *latest == day) {
            Some((_, attempts)) => attempts.push((attempt.number, digest)),
            None => of_days.push((day, vec![(attempt.number, digest)])),
        }
    }
    let mut days = Vec::new();
    for (day, attempts) in of_days {
        days.extend(covering(store, meter, (owner, id), day, attempts).await?);
    }
    Ok(Some(Evidence { owner, delivery, days }))
}

/// The day, if it is sealed, with the ways of these attempts to its root.
async fn covering(
    store: &Store,
    meter: &Meter,
    (owner, id): (OwnerId, EventId),
    day: CaracasDate,
    attempts: Vec<(i64, Digest)>,
) -> Result<Option<CoveringDay>, Error> {
    let read = move |tx: &mut Tx<'_>| {
        let sealed = sealed_days::latest(tx, owner, day)?.filter(|sealed| sealed.day == day);
        Ok((sealed, sealed_days::latest(tx, owner, day.plus_days(-1))?))
    };
    let (sealed, before) = store.read(meter, read).await?;
    let Some(sealed) = sealed else { return Ok(None) };
    let followed: Vec<_> =
        attempts.iter().map(|(number, digest)| ((id, *number), *digest)).collect();
    let paths = climb(store, meter, owner, &sealed, &followed).await?;
    let numbers = attempts.into_iter().map(|(number, _)| number);
    let before = before.map(|before| before.digest);
    Ok(Some(CoveringDay { sealed, before, paths: numbers.zip(paths).collect() }))
}
