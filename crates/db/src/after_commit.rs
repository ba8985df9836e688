//! The after-commit hook: what a transaction leaves to be published in this process once it has committed.
//!
//! A subscriber saves itself a poll. Nothing may depend on it: an event is dropped where the queue is full, where the
//! commit's answer was lost, or where another process wrote it.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

/// An event that can be published after a commit, to the subscriber to its type.
pub trait CommittedEvent: Any + Send {}

/// Sends an event to the subscriber to its type.
type Publish = Box<dyn Fn(Box<dyn Any + Send>) + Send>;

/// The subscribers of a store, one for each type of event.
#[derive(Default)]
pub(crate) struct Subscribers(Mutex<HashMap<TypeId, Publish>>);

impl Subscribers {
    /// The events of this type from now on, at most `max` of them queued. Takes the place of the subscriber before.
    pub(crate) fn subscribe<E: CommittedEvent>(&self, max: usize) -> mpsc::Receiver<E> {
        let (sender, receiver) = mpsc::channel(max);
        let publish = move |event: Box<dyn Any + Send>| {
            if let Ok(event) = event.downcast::<E>() {
                drop(sender.try_send(*event));
            }
        };
        self.lock().insert(TypeId::of::<E>(), Box::new(publish));
        receiver
    }

    /// Publishes the events of a transaction that has committed.
    pub(crate) fn publish(&self, events: Vec<Box<dyn Any + Send>>) {
        if events.is_empty() {
            return;
        }
        let subscribers = self.lock();
        for event in events {
            let event_type = event.as_ref().type_id();
            if let Some(publish) = subscribers.get(&event_type) {
                publish(event);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TypeId, Publish>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Subscribers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscribers")
    }
}
