//! How many attempts go on at once, in all and to one receiver.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::EventId;
use tokio::sync::Notify;

/// The places for attempts, each of one delivery.
pub(crate) struct Places {
    in_all: usize,
    to_one: usize,
    taken: Mutex<Taken>,
    /// Rung whenever a place becomes free.
    freed: Notify,
}

#[derive(Default)]
struct Taken {
    deliveries: HashSet<EventId>,
    receivers: HashMap<String, usize>,
}

/// Whether a delivery may begin.
#[derive(Debug)]
pub(crate) enum Entry {
    /// It may, as long as this is kept.
    In(Place),
    /// It is under way here.
    Known,
    /// Its receiver has as many as it may have; others may still begin.
    Crowded,
    /// Nobody may begin.
    Full,
}

/// A place, until it is dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    delivery: EventId,
    receiver: String,
}

impl Places {
    pub(crate) fn new(in_all: usize, to_one: usize) -> Self {
        Self { in_all, to_one, taken: Mutex::default(), freed: Notify::new() }
    }

    /// Takes a place for a delivery to that receiver.
    pub(crate) fn enter(self: &Arc<Self>, delivery: EventId, receiver: &str) -> Entry {
        let mut taken = self.lock();
        if taken.deliveries.contains(&delivery) {
            return Entry::Known;
        }
        if taken.deliveries.len() >= self.in_all {
            return Entry::Full;
        }
        let to_it = taken.receivers.get(receiver).copied().unwrap_or_default();
        if to_it >= self.to_one {
            return Entry::Crowded;
        }
        taken.receivers.insert(receiver.to_owned(), to_it + 1);
        taken.deliveries.insert(delivery);
        Entry::In(Place { places: Arc::clone(self), delivery, receiver: receiver.to_owned() })
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
        let left = taken.receivers.get(&self.receiver).copied().unwrap_or_default();
        if left > 1 {
            taken.receivers.insert(std::mem::take(&mut self.receiver), left - 1);
        } else {
            taken.receivers.remove(&self.receiver);
        }
        drop(taken);
        self.places.freed.notify_one();
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

    fn place(entry: Entry) -> Place {
        match entry {
            Entry::In(place) => place,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_receiver_has_its_places_and_all_together_have_more() {
        let places = Arc::new(Places::new(3, 2));
        let first = place(places.enter(delivery(1), "a"));
        let second = place(places.enter(delivery(2), "a"));
        assert!(matches!(places.enter(delivery(1), "a"), Entry::Known));
        assert!(matches!(places.enter(delivery(3), "a"), Entry::Crowded));
        let third = place(places.enter(delivery(4), "b"));
        assert!(matches!(places.enter(delivery(5), "c"), Entry::Full));
        assert!(places.freed().now_or_never().is_none());
        drop(second);
        assert!(places.freed().now_or_never().is_some());
        let third_of_a = place(places.enter(delivery(3), "a"));
        assert!(matches!(places.enter(delivery(5), "c"), Entry::Full));
        drop((first, third, third_of_a));
        assert!(places.lock().deliveries.is_empty() && places.lock().receivers.is_empty());
    }
}
