//! Who may begin: places for attempts, shared by what is free, and room to wait for one.

mod place;
mod receivers;
mod state;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::{EventId, OwnerId};
use store::deliveries::NewDelivery;
use tokio::sync::Notify;

pub(crate) use self::place::Place;
use self::state::{Owner, Standing, State};

/// How much there is of something, and how much of it one may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(crate) in_all: usize,
    pub(crate) of_one: usize,
}

impl Share {
    /// Whether somebody who has `own` of the `taken` may have one more: only where that is less than
    /// what is still free. So however many take all that they can, as much is left for whoever comes
    /// next as each of them has.
    fn admits(self, taken: usize, own: usize) -> bool {
        own < self.of_one.min(self.in_all.saturating_sub(taken))
    }
}

/// What is shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Attempts, among owners: all of them, of these those at receivers that are not known to be quick,
    /// and of these those at slow ones.
    pub(crate) places: [Share; 3],
    /// Attempts to one receiver, among owners.
    pub(crate) at_a_receiver: Share,
    /// Deliveries that wait for a place. Where there is no room, the longest makes it: whatever loses
    /// its room is found again.
    pub(crate) room: Share,
    /// How many of these go from one owner to one receiver, its line.
    pub(crate) in_a_line: usize,
    /// How many receivers are known by how quickly they answer.
    pub(crate) receivers: usize,
}

/// The host and port that deliveries go to.
pub(crate) type Receiver = Arc<str>;

/// A delivery that is due.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) owner: OwnerId,
    pub(crate) id: EventId,
    pub(crate) receiver: Receiver,
    /// What it is, where that is known from whoever wrote it.
    pub(crate) written: Option<NewDelivery>,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It waits for its turn.
    Waits,
    /// It waits or is under way already.
    Known,
    /// There is no room to wait: whoever looks for what is due finds it again.
    PassedOver,
}

/// The places, and whoever waits for one.
pub(crate) struct Turns {
    limits: Limits,
    state: Mutex<State>,
    /// Rung when somebody may be able to begin.
    moved: Notify,
    /// Rung when there are hungry lines.
    hungry: Notify,
}

impl Turns {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, state: Mutex::default(), moved: Notify::new(), hungry: Notify::new() }
    }

    /// Has a delivery wait for its turn.
    pub(crate) fn add(&self, candidate: Candidate) -> Added {
        let mut state = self.lock();
        if let Some(standing) = state.known.get_mut(&candidate.id) {
            if *standing == Standing::Taken {
                *standing = Standing::Again;
            }
            return Added::Known;
        }
        let has_room = state.make_room(&self.limits, candidate.owner, &candidate.receiver);
        let State { known, waiting, owners, turns, .. } = &mut *state;
        // Whoever comes stands behind those that wait.
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

    /// The next to begin, with its place: of those that have the fewest at their receiver, the owner
    /// whose turn was longest ago. How many an owner may have in all is what is shared.
    pub(crate) fn next(self: &Arc<Self>) -> Option<(Candidate, Place)> {
        let mut state = self.lock();
        let (owner, at) = state.choose(&self.limits)?;
        state.turns += 1;
        let turn = state.turns;
        let State { known, under_way, waiting, receivers, owners, hungry, .. } = &mut *state;
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
            hungry.ask(owner, &receiver);
            self.hungry.notify_one();
        }
        of_owner.turn = turn;
        of_owner.waiting -= 1;
        *waiting -= 1;
        let pace = receivers.begin(&receiver);
        under_way.begin(pace);
        of_owner.under_way.begin(pace);
        known.insert(candidate.id, Standing::Begins);
        drop(state);
        let turns = Arc::clone(self);
        let place = Place { turns, id: candidate.id, owner, receiver, pace, is_sending: true };
        Some((candidate, place))
    }

    /// Returns once somebody may be able to begin who was not when last asked.
    pub(crate) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// Returns once there may be hungry lines.
    pub(crate) async fn hungry(&self) {
        self.hungry.notified().await;
    }

    /// A line that is nearly done and was cut short, or of which something is due again.
    pub(crate) fn next_hungry(&self) -> Option<(OwnerId, Receiver)> {
        let mut state = self.lock();
        let line = state.hungry.next()?;
        let are_more = !state.hungry.is_empty();
        drop(state);
        if are_more {
            self.hungry.notify_one();
        }
        Some(line)
    }

    /// Has the line be hungry.
    pub(crate) fn is_hungry(&self, owner: OwnerId, receiver: &Receiver) {
        self.lock().hungry.ask(owner, receiver);
        self.hungry.notify_one();
    }

    /// Notes that there may be more of a line than is known here.
    pub(crate) fn has_more(&self, owner: OwnerId, receiver: &Receiver) {
        let mut state = self.lock();
        let owner = state.owners.get_mut(&owner);
        if let Some(line) = owner.and_then(|owner| owner.lines.get_mut(receiver)) {
            line.has_more = true;
        }
    }

    /// Whether it has a place.
    #[cfg(test)]
    pub(crate) fn is_under_way(&self, id: EventId) -> bool {
        self.lock().known.get(&id).is_some_and(|standing| *standing != Standing::Waits)
    }

    /// Whether it waits, or has a place.
    #[cfg(test)]
    pub(crate) fn is_known(&self, id: EventId) -> bool {
        self.lock().known.contains_key(&id)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Turns")
            .field("under_way", &state.under_way.in_all())
            .field("waiting", &state.waiting)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
