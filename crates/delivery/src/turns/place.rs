//! A place for an attempt, which whoever has it gives up step by step.

use std::fmt;
use std::sync::Arc;

use domain::ids::{EventId, OwnerId};

use super::state::Standing;
use super::{Receiver, Turns};

/// A place, until it is dropped.
pub(crate) struct Place {
    pub(super) turns: Arc<Turns>,
    pub(super) id: EventId,
    pub(super) owner: OwnerId,
    pub(super) receiver: Receiver,
    pub(super) is_sending: bool,
}

impl Place {
    /// The delivery has been taken, and is due to nobody from now on.
    pub(crate) fn taken(&self) {
        self.turns.lock().known.insert(self.id, Standing::Taken);
    }

    /// The receiver has answered, or will not: another may begin to it, while what came of this one
    /// is being kept.
    pub(crate) fn heard(&mut self) {
        if std::mem::take(&mut self.is_sending) {
            self.turns.lock().end_sending(self.owner, &self.receiver);
            self.turns.moved.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        if self.is_sending {
            state.end_sending(self.owner, &self.receiver);
        }
        state.under_way -= 1;
        if let Some(owner) = state.owners.get_mut(&self.owner) {
            owner.under_way -= 1;
        }
        state.forget_idle(self.owner, &self.receiver);
        let is_due_again = state.known.remove(&self.id) == Some(Standing::Again);
        drop(state);
        self.turns.moved.notify_one();
        if is_due_again {
            self.turns.is_hungry(self.owner, Arc::clone(&self.receiver));
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.id).finish()
    }
}
