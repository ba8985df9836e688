//! How many attempts go on at once: in all, of one owner, and to one receiver.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::{EventId, OwnerId};
use tokio::sync::Notify;

/// How many places there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) in_all: usize,
    pub(crate) of_one_owner: usize,
    pub(crate) to_one_receiver: usize,
}

/// The places for attempts, each of one delivery.
pub(crate) struct Places {
    limits: Limits,
    taken: Mutex<Taken>,
    /// Rung whenever a place becomes free.
    freed: Notify,
}

#[derive(Default)]
struct Taken {
    deliveries: HashSet<EventId>,
    owners: HashMap<OwnerId, usize>,
    receivers: HashMap<String, usize>,
}

/// Whether a delivery may begin.
#[derive(Debug)]
pub(crate) enum Entry {
    /// It may, as long as this is kept.
    In(Place),
    /// It is under way here.
    Known,
    /// Its owner or its receiver has as many as it may have; others may still begin.
    Crowded,
    /// Nobody may begin.
    Full,
}

/// A place, until it is dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    delivery: EventId,
    owner: OwnerId,
    receiver: String,
}

impl Places {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, taken: Mutex::default(), freed: Notify::new() }
    }

    /// Takes a place for a delivery of that owner to that receiver.
    pub(crate) fn enter(
        self: &Arc<Self>,
        delivery: EventId,
        owner: OwnerId,
        receiver: &str,
    ) -> Entry {
        let mut taken = self.lock();
        if taken.deliveries.contains(&delivery) {
            return Entry::Known;
        }
        if taken.deliveries.len() >= self.limits.in_all {
            return Entry::Full;
        }
        let to_it = taken.receivers.get(receiver).copied().unwrap_or_default();
        let of_it = taken.owners.get(&owner).copied().unwrap_or_default();
        if to_it >= self.limits.to_one_receiver || of_it >= self.limits.of_one_owner {
            return Entry::Crowded;
        }
        let receiver = receiver.to_owned();
        taken.receivers.insert(receiver.clone(), to_it + 1);
        taken.owners.insert(owner, of_it + 1);
        taken.deliveries.insert(delivery);
        Entry::In(Place { places: Arc::clone(self), delivery, owner, receiver })
    }

    /// Returns once a place has become free since the last time.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.deliveries.remove(&self.delivery);
        leave(&mut taken.owners, &self.owner);
        leave(&mut taken.receivers, &self.receiver);
        drop(taken);
        self.places.freed.notify_one();
    }
}

/// Counts one less, and forgets whoever has none.
fn leave<K: Eq + Hash>(counts: &mut HashMap<K, usize>, who: &K) {
    if let Some(count) = counts.get_mut(who) {
        *count -= 1;
        if *count == 0 {
            counts.remove(who);
        }
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken = self.lock();
        f.debug_struct("Places")
            .field("taken", &taken.deliveries.len())
            .field("receivers", &taken.receivers.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.delivery).finish()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn delivery(number: u8) -> EventId {
        EventId::from_bytes([number; 16])
    }

    const ONE: OwnerId = OwnerId::from_bytes([1; 16]);
    const OTHER: OwnerId = OwnerId::from_bytes([2; 16]);

    fn places(in_all: usize, of_one_owner: usize, to_one_receiver: usize) -> Arc<Places> {
        Arc::new(Places::new(Limits { in_all, of_one_owner, to_one_receiver }))
    }

    fn place(entry: Entry) -> Place {
        match entry {
            Entry::In(place) => place,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_receiver_has_its_places_and_all_together_have_more() {
        let places = places(3, 3, 2);
        let enter = |number, receiver| places.enter(delivery(number), ONE, receiver);
        let first = place(enter(1, "a"));
        let second = place(enter(2, "a"));
        assert!(matches!(enter(1, "a"), Entry::Known));
        assert!(matches!(enter(3, "a"), Entry::Crowded));
        let third = place(enter(4, "b"));
        assert!(matches!(enter(5, "c"), Entry::Full));
        assert!(places.freed().now_or_never().is_none());
        drop(second);
        assert!(places.freed().now_or_never().is_some());
        let third_of_a = place(enter(3, "a"));
        assert!(matches!(enter(5, "c"), Entry::Full));
        drop((first, third, third_of_a));
        let left = places.lock();
        assert!(left.deliveries.is_empty() && left.receivers.is_empty() && left.owners.is_empty());
    }

    #[test]
    fn an_owner_has_its_places_however_many_receivers_it_names() {
        let places = places(3, 2, 2);
        let first = place(places.enter(delivery(1), ONE, "a"));
        let _second = place(places.enter(delivery(2), ONE, "b"));
        assert!(matches!(places.enter(delivery(3), ONE, "c"), Entry::Crowded));
        let _others = place(places.enter(delivery(4), OTHER, "a"));
        drop(first);
        place(places.enter(delivery(3), ONE, "c"));
    }
}
