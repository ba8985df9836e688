//! Who is under way and who waits, and by what rule the next is chosen.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{EventId, OwnerId};

use super::receivers::{Pace, Receivers, UnderWay};
use super::types::{Candidate, Limits, Receiver};

#[derive(Default)]
pub(super) struct State {
    pub(super) known: HashMap<EventId, Standing>,
    pub(super) under_way: UnderWay,
    pub(super) waiting: usize,
    pub(super) receivers: Receivers,
    pub(super) owners: HashMap<OwnerId, Owner>,
    /// Lines to be read for themselves, each once.
    pub(super) backfill: BackfillQueue,
    /// How many turns were taken.
    pub(super) turns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Waits,
    /// It has a slot, and is due until it is claimed.
    Begins,
    /// Its lease is held here.
    Claimed,
    /// Found due all the same: its result is being recorded, which says so.
    Again,
}

#[derive(Default)]
pub(super) struct Owner {
    pub(super) under_way: UnderWay,
    pub(super) waiting: usize,
    /// The number of its latest turn.
    pub(super) turn: u64,
    pub(super) lines: HashMap<Receiver, Line>,
    /// The lines in which anybody waits, in the order in which their turns come.
    pub(super) order: VecDeque<Receiver>,
}

#[derive(Default)]
pub(super) struct Line {
    pub(super) sending: usize,
    pub(super) waiting: VecDeque<Candidate>,
    /// Whether some of it was passed over since it was last looked for.
    pub(super) has_more: bool,
}

/// Lines that are to be read for themselves, each once. Owners take turns, however many lines one has.
#[derive(Default)]
pub(super) struct BackfillQueue {
    turns: VecDeque<OwnerId>,
    lines: HashMap<OwnerId, VecDeque<Receiver>>,
}

impl BackfillQueue {
    /// Adds a line to those to be read, unless it is among them.
    pub(super) fn ask(&mut self, owner: OwnerId, receiver: &Receiver) {
        let lines = self.lines.entry(owner).or_default();
        if lines.is_empty() {
            self.turns.push_back(owner);
        }
        if !lines.contains(receiver) {
            lines.push_back(Arc::clone(receiver));
        }
    }

    pub(super) fn next(&mut self) -> Option<(OwnerId, Receiver)> {
        let owner = self.turns.pop_front()?;
        let lines = self.lines.get_mut(&owner)?;
        let receiver = lines.pop_front()?;
        if lines.is_empty() {
            self.lines.remove(&owner);
        } else {
            self.turns.push_back(owner);
        }
        Some((owner, receiver))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

impl State {
    /// Makes sure that one more has room in this line; answers whether it has. Where all room is taken,
    /// the last one of the owner that takes the most of it goes, if that is not this one itself.
    pub(super) fn make_room(&mut self, limits: &Limits, id: OwnerId, receiver: &Receiver) -> bool {
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

    /// Chooses the owner whose turn it is, and which of its lines has it.
    pub(super) fn choose(&self, limits: &Limits) -> Option<(OwnerId, usize)> {
        let may = |(id, owner): (&OwnerId, &Owner)| {
            let admits = |pace| self.under_way.admits(limits, owner.under_way, pace);
            if owner.waiting == 0 || !admits(Pace::Quick) {
                return None;
            }
            let lines = owner.order.iter().enumerate().filter_map(|(at, receiver)| {
                let seen = self.receivers.look(receiver);
                let own = owner.lines.get(receiver).map_or(0, |line| line.sending);
                let may = limits.at_a_receiver.admits(seen.taken, own) && admits(seen.pace);
                may.then_some((own, at))
            });
            let (own, at) = lines.min()?;
            Some(((own, owner.turn), *id, at))
        };
        let next = self.owners.iter().filter_map(may).min_by_key(|(key, ..)| *key);
        next.map(|(_, owner, at)| (owner, at))
    }

    /// Frees the receiver's slot, `took` so long after the attempt began, if it was made.
    pub(super) fn end_sending(
        &mut self,
        limits: &Limits,
        owner: OwnerId,
        receiver: &Receiver,
        took: Option<Duration>,
    ) {
        self.receivers.end(receiver, took, limits.receivers);
        let lines = self.owners.get_mut(&owner).map(|owner| &mut owner.lines);
        if let Some(line) = lines.and_then(|lines| lines.get_mut(receiver)) {
            line.sending -= 1;
        }
        self.forget_idle(owner, receiver);
    }

    /// Forgets a line, and an owner, of whom nothing waits and nothing is under way.
    pub(super) fn forget_idle(&mut self, id: OwnerId, receiver: &Receiver) {
        let Some(owner) = self.owners.get_mut(&id) else { return };
        let line = owner.lines.get(receiver);
        if line.is_some_and(|line| line.sending == 0 && line.waiting.is_empty()) {
            owner.lines.remove(receiver);
        }
        if owner.under_way.in_all() == 0 && owner.lines.is_empty() {
            self.owners.remove(&id);
        }
    }
}
