//! What the owner's systems are notified of meanwhile: each level, limit and month once, and nothing
//! that is not so.

use std::collections::BTreeMap;

use domain::ids::EventId;
use domain::money::Credits;
use domain::time::{CaracasMonth, Timestamp};
use domain::url::UrlText;
use domain::webhooks::{EventKind, LowBalanceLevels};
use store::deliveries::{self, Event};
use store::due::{self, Kind};
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, credits, webhook_endpoints};

use super::{CLIENT_CAP, GRANTED, KEY_CAP, START, World, at_once};
use crate::credits_events::MonthTurn;
use crate::queue;

impl World {
    /// Sets the levels so that every charge comes to one, since each costs a credit.
    pub(super) fn listen(&self) {
        let (owner, now) = (self.owner, self.app.clock.now());
        let listen = move |tx: &mut Tx<'_>| {
            let levels = (0..GRANTED.min(10)).map(Credits::new).collect();
            let levels = LowBalanceLevels::parse(levels).expect("levels");
            let url = UrlText::parse("https://tienda.example/creditos").expect("an address");
            let balance = webhook_endpoints::hold_owner(tx, owner)?.balance;
            webhook_endpoints::set(tx, owner, &url, &levels, now)?;
            webhook_endpoints::watch(tx, owner, &levels, balance)?;
            let next = CaracasMonth::of(now).next().start();
            due::insert(tx, owner, Kind::MonthTurn, owner.to_bytes(), next)
        };
        at_once(self.app.store.write(&self.meter, Lane::Admission, owner, listen)).unwrap();
    }

    /// Checks that exactly what became true was reported. Forgets it then, for the world that comes after in this
    /// store.
    pub(super) fn check_events(&self) {
        // A month that turned since somebody looked.
        at_once(queue::pass::<MonthTurn>(&self.app, &|| false)).unwrap();
        let (owner, key, client) = (self.owner, self.capped_key, self.client);
        let look = move |tx: &mut Tx<'_>| take_events(tx, owner);
        let events =
            at_once(self.app.store.write(&self.meter, Lane::Admission, owner, look)).unwrap();
        let mut counts = BTreeMap::<&str, i64>::new();
        let mut bodies: Vec<_> = events.iter().map(|event| &event.body).collect();
        for event in &events {
            *counts.entry(event.kind.as_str()).or_default() += 1;
        }
        bodies.sort_unstable();
        bodies.dedup();
        assert_eq!(bodies.len(), events.len());

        let began = CaracasMonth::of(Timestamp::from_micros(START));
        let turned = months(began, self.month_by_now()).len() as i64 - 1;
        let (first, last) = self.shown;
        let months = months(CaracasMonth::of(first), CaracasMonth::of(last));
        let full = move |tx: &mut Tx<'_>| {
            let (mut keys, mut clients) = (0, 0);
            for month in &months {
                let key = credits::actor_month(tx, owner, key.into(), *month)?.posted;
                let client = credits::client_month(tx, owner, client, *month)?.usage.posted;
                keys += i64::from(key >= KEY_CAP);
                clients += i64::from(client.get() >= CLIENT_CAP);
            }
            Ok((keys, clients))
        };
        let (keys, clients) = at_once(self.app.store.look_up(&self.meter, full)).unwrap();
        let spent = GRANTED - self.owner_row().balance;
        for (kind, expected) in [
            (EventKind::LowBalance, spent),
            (EventKind::KeyLimitReached, keys),
            (EventKind::ClientQuotaReached, clients),
            (EventKind::MonthTurned, turned),
        ] {
            let count = counts.remove(kind.as_str()).unwrap_or_default();
            assert_eq!(count, expected, "{}", kind.as_str());
        }
        assert!(counts.is_empty(), "{counts:?}");
    }
}

/// The months from one to another, both included.
fn months(first: CaracasMonth, last: CaracasMonth) -> Vec<CaracasMonth> {
    let next = |month: &CaracasMonth| Some(month.next());
    std::iter::successors(Some(first), next).take_while(|month| *month <= last).collect()
}

fn take_events(tx: &mut Tx<'_>, owner: domain::ids::OwnerId) -> Result<Vec<Event>, Fault> {
    let mut events = Vec::new();
    let mut after = None;
    loop {
        let found = deliveries::scan(tx, Timestamp::from_micros(i64::MAX), after)?;
        for due in found.iter().map(|found| found.due).filter(|due| due.owner == owner) {
            let event = deliveries::find(tx, owner, EventId::from_bytes(due.subject))?;
            events.extend(event.map(|delivery| delivery.event));
        }
        after = found.last().map(|found| found.due);
        if after.is_none() {
            break;
        }
    }
    for event in &events {
        due::forget(tx, owner, Kind::Delivery, event.id.to_bytes())?;
    }
    due::forget(tx, owner, Kind::MonthTurn, owner.to_bytes())?;
    Ok(events)
}
