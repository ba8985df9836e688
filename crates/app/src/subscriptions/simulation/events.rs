//! What happens in a world: nodes look for work, payers and people come, processes end, clocks are set; and how all of it
//! comes to rest.

use std::sync::Arc;
use std::time::Duration;

use domain::time::Timestamp;
use domain::verification::RESERVATION;
use store::due::{Due, Kind};
use store::tx::Tx;
use store::{Meter, Mishap, owners};

use super::trouble::{Interruption, Trouble};
use super::world::World;
use crate::queue::{self, Progress, Work};
use crate::subscriptions::SubscriptionStep;
use crate::verification::janitor::{self, Which};
use crate::verification::simulation::surroundings::{Chance, Running, at_once, pick, poll};
use crate::{App, Error};

/// How often time passes in the quiet at the end until no payer is being checked.
const QUIET_ROUNDS: usize = 60;

/// How many days pass then: more than anything waits that a clock which was ahead has put off.
const REST_DAYS: usize = 9;

/// How many passes do all that is due after the longest time.
const PASSES_MAX: usize = 2_000;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The work on subscriptions, of which nothing may be broken: the queue would only log that.
#[derive(Debug)]
enum Watched {}

impl Work for Watched {
    const KIND: Kind = SubscriptionStep::KIND;
    const POLL: Duration = SubscriptionStep::POLL;
    const WAIT_MAX: Option<Duration> = SubscriptionStep::WAIT_MAX;
    const AT_ONCE: usize = SubscriptionStep::AT_ONCE;

    fn shown(subject: [u8; 16]) -> String {
        SubscriptionStep::shown(subject)
    }

    async fn attend(app: &Arc<App>, due: Due, now: Timestamp) -> Result<Progress, Error> {
        let attended = SubscriptionStep::attend(app, due, now).await;
        assert!(!matches!(attended, Err(Error::Internal(_))), "{due:?}: {attended:?}");
        attended
    }
}

/// Lets a node look for work, so often at most; answers whether nothing is left to do.
fn look_for_work(app: &Arc<App>, most: usize) -> bool {
    let mut passes = (0..most).map(|_| at_once(queue::pass::<Watched>(app, &|| false)).unwrap());
    passes.any(|progress| progress == Progress::Rested)
}

/// Lets one of the tasks of a node go on until it must wait.
fn carry_on(running: &Running, chosen: usize) {
    // Taken out while it runs, because it may spawn others.
    let mut task = {
        let mut tasks = running.0.lock().unwrap();
        if tasks.is_empty() {
            return;
        }
        let place = chosen % tasks.len();
        tasks.swap_remove(place)
    };
    if poll(task.as_mut()).is_none() {
        running.0.lock().unwrap().push(task);
    }
}

impl World {
    /// One thing happens.
    pub(super) fn happen(&mut self, chance: &mut Chance) {
        match chance.below(100) {
            0..30 => self.in_trouble(chance, Self::work),
            30..55 => self.payer_comes(chance),
            55..60 => self.in_trouble(chance, Self::accept),
            60..72 => self.in_trouble(chance, Self::act),
            72..86 => self.in_trouble(chance, Self::go_on),
            86..89 => self.hang_up(chance),
            89..91 => {
                let node = pick(chance, self.nodes.len());
                self.crash(node);
            }
            91..94 => self.look(chance),
            94..97 => self.set_clock(chance),
            _ => self.set_clocks_right(),
        }
    }

    /// Lets those in flight go on for a while: mostly they come to their end.
    pub(super) fn go_on_for_a_while(&mut self, chance: &mut Chance) {
        let in_flight = self.in_flight();
        for _ in 0..chance.below(1 + 4 * in_flight as u64) {
            self.in_trouble(chance, Self::go_on);
        }
    }

    /// Looks after verifications that nobody carries any more, at that node.
    pub(super) fn look_after(&self, node: usize) {
        at_once(janitor::pass(&self.nodes[node].app, Which::Over)).unwrap();
    }

    fn work(&mut self, chance: &mut Chance) {
        let node = pick(chance, self.nodes.len());
        look_for_work(&self.nodes[node].app, 1 + pick(chance, 12));
    }

    fn act(&mut self, chance: &mut Chance) {
        let (node, wish) = (pick(chance, self.nodes.len()), self.people.wish(chance));
        self.people.act(&self.nodes[node].app, wish);
    }

    /// One of the payers and of the tasks in flight goes on until it must wait.
    fn go_on(&mut self, chance: &mut Chance) {
        let in_flight = self.in_flight();
        if in_flight == 0 {
            return;
        }
        let mut chosen = pick(chance, in_flight);
        for node in &self.nodes {
            let tasks = node.running.0.lock().unwrap().len();
            if chosen < tasks {
                return carry_on(&node.running, chosen);
            }
            chosen -= tasks;
        }
        if let Some(begun) = poll(self.calls[chosen].1.as_mut()) {
            drop(self.calls.swap_remove(chosen));
            self.checks.extend(begun);
        }
    }

    fn hang_up(&mut self, chance: &mut Chance) {
        if !self.calls.is_empty() {
            let chosen = pick(chance, self.calls.len());
            drop(self.calls.swap_remove(chosen));
        }
    }

    /// The process of a node dies where it stands, and another starts.
    fn crash(&mut self, node: usize) {
        self.calls.retain(|(at, _)| *at != node);
        let tasks = std::mem::take(&mut *self.nodes[node].running.0.lock().unwrap());
        drop(tasks);
        self.look_after(node);
    }

    /// Does something whose writes may meet troubles.
    fn in_trouble(&mut self, chance: &mut Chance, something: fn(&mut Self, &mut Chance)) {
        for _ in 0..chance.below(4) {
            let trouble = self.trouble(chance);
            self.people.troubles.add(chance.below(5), trouble);
        }
        something(self, chance);
        if self.people.troubles.disarm() {
            // Both were on one machine.
            (0..self.nodes.len()).for_each(|node| self.crash(node));
        }
    }

    fn trouble(&self, chance: &mut Chance) -> Trouble {
        match chance.below(16) {
            0 => Trouble::Mishap(Mishap::Fails),
            1 => Trouble::Mishap(Mishap::IsLost),
            2 => Trouble::Mishap(Mishap::IsAppliedAndLost),
            3 => Trouble::End,
            _ => Trouble::Interruption(self.interruption(chance)),
        }
    }

    /// Somebody who comes between two writes of somebody else: a person, a payer's check, or mostly a node.
    fn interruption(&self, chance: &mut Chance) -> Interruption {
        let node = &self.nodes[pick(chance, self.nodes.len())];
        let app = Arc::clone(&node.app);
        match chance.below(5) {
            0 => {
                let (people, wish) = (self.people.clone(), self.people.wish(chance));
                Box::new(move || people.act(&app, wish))
            }
            1 => {
                let (running, chosen) = (Arc::clone(&node.running), pick(chance, 8));
                Box::new(move || carry_on(&running, chosen))
            }
            _ => {
                let most = 1 + pick(chance, 3);
                Box::new(move || {
                    look_for_work(&app, most);
                })
            }
        }
    }

    fn in_flight(&self) -> usize {
        let tasks = self.nodes.iter().map(|node| node.running.0.lock().unwrap().len());
        self.calls.len() + tasks.sum::<usize>()
    }

    /// Lets every payer in flight come to its end, with time passing; then lets days go by until whatever a clock that
    /// was ahead has put off is due, and does all of it.
    pub(super) fn come_to_rest(&mut self) {
        self.set_clocks_right();
        let mut chance = Chance::new(0);
        let is_quiet = (0..QUIET_ROUNDS).any(|_| {
            for _ in 0..4 * self.in_flight() {
                self.go_on(&mut chance);
            }
            self.advance(RESERVATION / 8);
            (0..self.nodes.len()).for_each(|node| self.look_after(node));
            self.in_flight() == 0 && self.owner_row().reserved == 0
        });
        assert!(is_quiet, "a check of a payer never ends");
        for _ in 0..REST_DAYS {
            self.advance(DAY);
            for node in &self.nodes {
                at_once(queue::bring_forward::<Watched>(&node.app, &|| false)).unwrap();
                assert!(look_for_work(&node.app, PASSES_MAX), "there is always something to do");
            }
        }
    }

    pub(super) fn owner_row(&self) -> owners::Owner {
        let owner = self.owner;
        let look = move |tx: &mut Tx<'_>| owners::find(tx, owner);
        at_once(self.store().look_up(&Meter::default(), look)).unwrap().unwrap()
    }
}
