//! What a transaction hands to whoever carries it on in this process, once it has committed: so that
//! nobody has to look for it first.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::ids::OwnerId;
use tokio::sync::mpsc;

use crate::deliveries::Delivery;

/// A delivery that was written.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// Whose it is.
    pub owner: OwnerId,
    /// What was written, to be sent from the instant on at which it was.
    pub delivery: Delivery,
}

/// The way from the transactions that write events to the one who takes them, if anybody does.
#[derive(Default)]
pub(crate) struct Handover(Mutex<Option<mpsc::Sender<Fresh>>>);

impl Handover {
    /// What is written from now on; so much of it waits to be received, and no more.
    pub(crate) fn receive(&self, max: usize) -> mpsc::Receiver<Fresh> {
        let (sender, receiver) = mpsc::channel(max);
        *self.lock() = Some(sender);
        receiver
    }

    /// Hands over what was committed. What has no room is found by those who look for what is due.
    pub(crate) fn give(&self, fresh: Vec<Fresh>) {
        if fresh.is_empty() {
            return;
        }
        if let Some(sender) = &*self.lock() {
            for one in fresh {
                drop(sender.try_send(one));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<mpsc::Sender<Fresh>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Handover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handover")
    }
}
