//! Who may begin: slots for attempts, shared by what is free, and room to wait for one.

mod receivers;
mod slot;
mod state;
mod types;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::OwnerId;
use tokio::sync::Notify;

pub(crate) use self::slot::Slot;
use self::state::{Owner, Standing, State};
pub(crate) use self::types::{Candidate, Limits, Quota, Receiver};

/// Result of adding a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It waits for its turn.
    Waits,
    /// It waits or is under way already.
    Known,
    /// There is no room to wait: the next look for what is due finds it again.
    PassedOver,
}

/// The slots, and those that wait for one.
pub(crate) struct Scheduler {
    limits: Limits,
    state: Mutex<State>,
    /// Rung when somebody may be able to begin.
    moved: Notify,
    /// Rung when there are lines to backfill.
    backfill: Notify,
}

impl Scheduler {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, state: Mutex::default(), moved: Notify::new(), backfill: Notify::new() }
    }

    /// Enqueues a delivery, to wait for its turn.
    pub(crate) fn add(&self, candidate: Candidate) -> Added {
        let mut state = self.lock();
        if let Some(standing) = state.known.get_mut(&candidate.id) {
            if *standing == Standing::Claimed {
                *standing = Standing::Again;
            }
            return Added::Known;
        }
        let has_room = state.make_room(&self.limits, candidate.owner, &candidate.receiver);
        let State { known, waiting, owners, turns, .. } = &mut *state;
        // An owner that comes stands behind those that wait.
        let owner = owners.entry(candidate.owner).or_insert_with(|| {
            *turns += 1;
            Owner { turn: *turns, ..Owner::default() }
        });
        let line = owner.lines.entry(Arc::clone(&candidate.receiver)).or_default();
        if !has_room {
            line.has_more = true;
            state.forget_idle(candidate.owner, &candidate.receiver);
            return Added::PassedOver;
        }
        if line.waiting.is_empty() {
            owner.order.push_back(Arc::clone(&candidate.receiver));
        }
        known.insert(candidate.id, Standing::Waits);
        line.waiting.push_back(candidate);
        owner.waiting += 1;
        *waiting += 1;
        drop(state);
        self.moved.notify_one();
        Added::Waits
    }

    /// The next to begin, with its slot: of those that have the fewest at their receiver, the owner
    /// whose turn was longest ago. How many an owner may have in all is what is shared.
    pub(crate) fn next(self: &Arc<Self>) -> Option<(Candidate, Slot)> {
        let mut state = self.lock();
        let (owner, at) = state.choose(&self.limits)?;
        state.turns += 1;
        let turn = state.turns;
        let State { known, under_way, waiting, receivers, owners, backfill, .. } = &mut *state;
        let of_owner = owners.get_mut(&owner)?;
        let receiver = of_owner.order.remove(at)?;
        let line = of_owner.lines.get_mut(&receiver)?;
        let candidate = line.waiting.pop_front()?;
        line.sending += 1;
        if !line.waiting.is_empty() {
            of_owner.order.push_back(Arc::clone(&receiver));
        }
        if line.has_more && line.waiting.len() <= self.limits.in_a_line / 4 {
            line.has_more = false;
            backfill.ask(owner, &receiver);
            self.backfill.notify_one();
        }
        of_owner.turn = turn;
        of_owner.waiting -= 1;
        *waiting -= 1;
        let pace = receivers.begin(&receiver);
        under_way.begin(pace);
        of_owner.under_way.begin(pace);
        known.insert(candidate.id, Standing::Begins);
        drop(state);
        let scheduler = Arc::clone(self);
        let slot = Slot { scheduler, id: candidate.id, owner, receiver, pace, is_sending: true };
        Some((candidate, slot))
    }

    /// Returns once somebody may be able to begin who was not when last asked.
    pub(crate) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// Returns once there may be lines to backfill.
    pub(crate) async fn backfill_requested(&self) {
        self.backfill.notified().await;
    }

    /// A line that is nearly done and was cut short, or of which something is due again.
    pub(crate) fn next_backfill(&self) -> Option<(OwnerId, Receiver)> {
        let mut state = self.lock();
        let line = state.backfill.next()?;
        let are_more = !state.backfill.is_empty();
        drop(state);
        if are_more {
            self.backfill.notify_one();
        }
        Some(line)
    }

    /// Requests that the line be read for itself.
    pub(crate) fn request_backfill(&self, owner: OwnerId, receiver: &Receiver) {
        self.lock().backfill.ask(owner, receiver);
        self.backfill.notify_one();
    }

    /// Notes that there may be more of a line than is known here.
    pub(crate) fn has_more(&self, owner: OwnerId, receiver: &Receiver) {
        let mut state = self.lock();
        let owner = state.owners.get_mut(&owner);
        if let Some(line) = owner.and_then(|owner| owner.lines.get_mut(receiver)) {
            line.has_more = true;
        }
    }

    /// Tells whether the delivery has a slot.
    #[cfg(test)]
    pub(crate) fn is_under_way(&self, id: domain::ids::EventId) -> bool {
        self.lock().known.get(&id).is_some_and(|standing| *standing != Standing::Waits)
    }

    /// Tells whether the delivery waits, or has a slot.
    #[cfg(test)]
    pub(crate) fn is_known(&self, id: domain::ids::EventId) -> bool {
        self.lock().known.contains_key(&id)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Scheduler")
            .field("under_way", &state.under_way.in_all())
            .field("waiting", &state.waiting)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
