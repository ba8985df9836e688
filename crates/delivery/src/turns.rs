//! Who may begin: places for attempts, shared by what is free, and room to wait for one.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::{EventId, OwnerId};
use store::Fresh;
use tokio::sync::Notify;

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
    /// Attempts, among owners.
    pub(crate) places: Share,
    /// Attempts to one receiver, among owners.
    pub(crate) at_a_receiver: Share,
    /// Deliveries that wait for a place. Where there is no room, the longest makes it: whatever loses
    /// its room is found again.
    pub(crate) room: Share,
    /// How many of these go from one owner to one receiver, its line.
    pub(crate) in_a_line: usize,
}

/// The host and port that deliveries go to.
type Receiver = Arc<str>;

/// A delivery that is due.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) owner: OwnerId,
    pub(crate) id: EventId,
    pub(crate) receiver: Receiver,
    /// What it is, where that is known from whoever wrote it.
    pub(crate) written: Option<Fresh>,
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
    /// Rung when there is room again for what was passed over.
    hungry: Notify,
}

#[derive(Default)]
struct State {
    known: HashMap<EventId, Standing>,
    under_way: usize,
    waiting: usize,
    receivers: HashMap<Receiver, usize>,
    owners: HashMap<OwnerId, Owner>,
    /// How many turns were taken.
    turns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Waits,
    /// It has a place, and is due until it is taken.
    Begins,
    /// Its lease is held here.
    Taken,
    /// Found due all the same: what came of it is being kept, and says so.
    Again,
}

#[derive(Default)]
struct Owner {
    under_way: usize,
    waiting: usize,
    /// The number of its latest turn.
    turn: u64,
    lines: HashMap<Receiver, Line>,
    /// The lines in which anybody waits, in the order in which their turns come.
    order: VecDeque<Receiver>,
}

#[derive(Default)]
struct Line {
    sending: usize,
    waiting: VecDeque<Candidate>,
    /// Whether some of it was passed over since it was last looked for.
    has_more: bool,
}

/// A place, until it is dropped.
pub(crate) struct Place {
    turns: Arc<Turns>,
    id: EventId,
    owner: OwnerId,
    receiver: Receiver,
    is_sending: bool,
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
        let has_room = state.make_room(self.limits, candidate.owner, &candidate.receiver);
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
        let (owner, at) = state.choose(self.limits)?;
        state.turns += 1;
        let turn = state.turns;
        let State { known, under_way, waiting, receivers, owners, .. } = &mut *state;
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
            self.hungry.notify_one();
        }
        of_owner.turn = turn;
        of_owner.waiting -= 1;
        of_owner.under_way += 1;
        *waiting -= 1;
        *under_way += 1;
        *receivers.entry(Arc::clone(&receiver)).or_default() += 1;
        known.insert(candidate.id, Standing::Begins);
        drop(state);
        let turns = Arc::clone(self);
        let place = Place { turns, id: candidate.id, owner, receiver, is_sending: true };
        Some((candidate, place))
    }

    /// Returns once somebody may be able to begin who was not when last asked.
    pub(crate) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// Returns once it is worth looking again for what was passed over.
    pub(crate) async fn hungry(&self) {
        self.hungry.notified().await;
    }

    /// Whether it has a place.
    #[cfg(test)]
    pub(crate) fn is_under_way(&self, id: EventId) -> bool {
        self.lock().known.get(&id).is_some_and(|standing| *standing != Standing::Waits)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Makes sure that one more has room in this line; answers whether it has. Where all room is taken,
    /// the last one of whoever takes the most of it goes, if that is not this one itself.
    fn make_room(&mut self, limits: Limits, id: OwnerId, receiver: &Receiver) -> bool {
        let owner = self.owners.get(&id);
        let own = owner.map_or(0, |owner| owner.waiting);
        let line = owner.and_then(|owner| owner.lines.get(receiver));
        let in_line = line.map_or(0, |line| line.waiting.len());
        if in_line >= limits.in_a_line {
            return false;
        }
        let longest = if own >= limits.room.of_one {
            id
        } else if self.waiting >= limits.room.in_all {
            let most = self.owners.iter().max_by_key(|(_, owner)| owner.waiting);
            most.filter(|(_, owner)| owner.waiting > own + 1).map_or(id, |(most, _)| *most)
        } else {
            return true;
        };
        let Some(owner) = self.owners.get_mut(&longest) else { return false };
        let lines = owner.lines.iter_mut();
        let Some((to, line)) = lines.max_by_key(|(_, line)| line.waiting.len()) else {
            return false;
        };
        if longest == id && line.waiting.len() <= in_line + 1 {
            return false;
        }
        let Some(last) = line.waiting.pop_back() else { return false };
        line.has_more = true;
        owner.waiting -= 1;
        self.waiting -= 1;
        self.known.remove(&last.id);
        let to = Arc::clone(to);
        if line.waiting.is_empty() {
            owner.order.retain(|other| *other != to);
            self.forget_idle(longest, &to);
        }
        true
    }

    /// Whose turn it is, and which of its lines has it.
    fn choose(&self, limits: Limits) -> Option<(OwnerId, usize)> {
        let may = |(id, owner): (&OwnerId, &Owner)| {
            if owner.waiting == 0 || !limits.places.admits(self.under_way, owner.under_way) {
                return None;
            }
            let lines = owner.order.iter().enumerate().filter_map(|(at, receiver)| {
                let taken = self.receivers.get(receiver).copied().unwrap_or_default();
                let own = owner.lines.get(receiver).map_or(0, |line| line.sending);
                limits.at_a_receiver.admits(taken, own).then_some((own, at))
            });
            let (own, at) = lines.min()?;
            Some(((own, owner.turn), *id, at))
        };
        let next = self.owners.iter().filter_map(may).min_by_key(|(key, ..)| *key);
        next.map(|(_, owner, at)| (owner, at))
    }

    /// Frees the receiver's place.
    fn end_sending(&mut self, owner: OwnerId, receiver: &Receiver) {
        if let Some(taken) = self.receivers.get_mut(receiver) {
            *taken -= 1;
            if *taken == 0 {
                self.receivers.remove(receiver);
            }
        }
        let lines = self.owners.get_mut(&owner).map(|owner| &mut owner.lines);
        if let Some(line) = lines.and_then(|lines| lines.get_mut(receiver)) {
            line.sending -= 1;
        }
        self.forget_idle(owner, receiver);
    }

    /// Forgets a line, and an owner, of whom nothing waits and nothing is under way.
    fn forget_idle(&mut self, id: OwnerId, receiver: &Receiver) {
        let Some(owner) = self.owners.get_mut(&id) else { return };
        let line = owner.lines.get(receiver);
        if line.is_some_and(|line| line.sending == 0 && line.waiting.is_empty()) {
            owner.lines.remove(receiver);
        }
        if owner.under_way == 0 && owner.lines.is_empty() {
            self.owners.remove(&id);
        }
    }
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
            self.turns.hungry.notify_one();
        }
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Turns")
            .field("under_way", &state.under_way)
            .field("waiting", &state.waiting)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests;
