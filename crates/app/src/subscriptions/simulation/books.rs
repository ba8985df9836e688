//! The model: the little that is known of each subscription besides what the store keeps, and the rules that it obeys
//! from one look to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use domain::ids::{OwnerId, SubscriptionId};
use domain::subscriptions::{End, Restarts, Standing, Terms, TestClock, UnpaidPolicy};
use domain::time::Timestamp;
use store::list::PageBounds;
use store::subscription_cycles::{self, Cycle, State as CycleState};
use store::subscriptions::{self, Subscription};
use store::tx::Tx;
use store::{Meter, Store};

use crate::verification::simulation::surroundings::at_once;

/// The books of a world, in the order in which its subscriptions were made. Whoever interrupts a write notes in them, too.
pub(super) type Books = Arc<Mutex<Vec<Known>>>;

/// A page that has more than there is.
pub(super) const ALL: PageBounds = PageBounds { limit: 100_000, offset: 0, count_max: 1 };

/// Knowledge of a subscription.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: SubscriptionId,
    pub(super) terms: Terms,
    /// What somebody has ever set, or tried to set, as its price.
    pub(super) prices: Vec<i64>,
    /// Whether somebody asked to cancel it, and to do that at once.
    pub(super) was_canceled: bool,
    pub(super) was_canceled_at_once: bool,
    /// The cycles that pauses which are over left out: no others are left out.
    pauses: Vec<Range<u32>>,
    /// As it stood at the latest look.
    paused_from: Option<u32>,
    pub(super) canceled_from: Option<u32>,
    pub(super) end: Option<End>,
    /// How far the payer of each cycle was reminded.
    pub(super) reminded: BTreeMap<u32, i8>,
    begun: u32,
    pub(super) opened: BTreeSet<u32>,
    pub(super) paid: BTreeSet<u32>,
    /// The cycles that were ever seen to be waived. Money that is accepted later pays one all the same.
    pub(super) waived: BTreeSet<u32>,
    /// The clock that it lives by, which is never set back.
    pub(super) clock: TestClock,
    is_canceled_by_payer: bool,
    /// Whether it is ever paused or resumed by itself, when nobody looks.
    pub(super) goes_by_itself: bool,
    /// Whether it was ever to end, or somebody tried to have it end, with a cycle that nobody pays in time.
    pub(super) may_end_unpaid: bool,
    /// Whether such a cycle has come.
    ends_unpaid: bool,
}

impl Known {
    pub(super) fn new(id: SubscriptionId, terms: Terms, price: i64, goes_by_itself: bool) -> Self {
        Self {
            id,
            terms,
            prices: vec![price],
            was_canceled: false,
            was_canceled_at_once: false,
            pauses: Vec::new(),
            paused_from: None,
            canceled_from: None,
            end: None,
            reminded: BTreeMap::new(),
            begun: 0,
            opened: BTreeSet::new(),
            paid: BTreeSet::new(),
            waived: BTreeSet::new(),
            clock: TestClock::REAL,
            is_canceled_by_payer: false,
            goes_by_itself,
            may_end_unpaid: terms.unpaid == UnpaidPolicy::End,
            ends_unpaid: false,
        }
    }

    /// The latest instant of its own that an instant of a clock may have been: of the past nobody knows how far its clock
    /// was ahead then.
    pub(super) fn own(&self, at: Timestamp) -> Timestamp {
        self.clock.virtual_now(at)
    }

    /// Looks at the subscription. Since the latest look it went on and nothing was taken back. Whoever pauses or resumes
    /// it looks at once, before anybody else can.
    pub(super) fn look(&mut self, of: &Subscription, cycles: &[Cycle]) {
        let Standing { end, begun, paused_from, canceled_from, .. } = of.standing;
        self.look_at_terms(&of.terms);
        let opened: BTreeSet<u32> = cycles.iter().map(|cycle| cycle.number).collect();
        let paid = cycles.iter().filter(|cycle| cycle.is_paid()).map(|cycle| cycle.number);
        let paid: BTreeSet<u32> = paid.collect();
        assert_eq!(opened.len(), cycles.len(), "a cycle is there twice: {self:?}");
        assert!(self.opened.is_subset(&opened), "a cycle is gone: {self:?} {opened:?}");
        assert!(self.paid.is_subset(&paid), "a payment is gone: {self:?} {paid:?}");
        // In their order: what is new comes behind everything that there was.
        let mut new = opened.difference(&self.opened);
        assert!(new.all(|number| (self.begun..begun).contains(number)), "{self:?} {opened:?}");
        assert!(self.end.is_none() || self.end == end, "its end changed to {end:?}: {self:?}");
        match (self.paused_from, paused_from) {
            _ if self.goes_by_itself => {}
            (None, Some(from)) => assert!(from >= begun, "{self:?} is paused from {from} on"),
            (Some(from), None) => self.pauses.push(from..begun.max(from)),
            (former, present) => assert_eq!(former, present, "{self:?}"),
        }
        assert!(self.clock <= of.clock, "its clock was set back: {self:?} {:?}", of.clock);
        let is_taken_back = self.is_canceled_by_payer && !of.canceled_by_payer;
        assert!(!is_taken_back, "its payer's cancellation is taken back: {self:?}");
        self.look_at_reminders(cycles);
        self.look_at_unpaid(of, cycles);
        self.look_at_waived(cycles);
        (self.clock, self.is_canceled_by_payer) = (of.clock, of.canceled_by_payer);
        (self.end, self.begun, self.paused_from) = (end, begun, paused_from);
        self.canceled_from = canceled_from;
        (self.opened, self.paid) = (opened, paid);
    }

    /// Looks at the terms: they are what they were, but for the policy, and for times that the calendar began anew since,
    /// each with a cycle that had not begun at the latest look.
    fn look_at_terms(&mut self, terms: &Terms) {
        let plain = |terms: &Terms| {
            let schedule = terms.schedule.with_restarts(Restarts::NONE);
            Terms { schedule, unpaid: UnpaidPolicy::Stay, ..*terms }
        };
        assert_eq!(plain(terms), plain(&self.terms), "{self:?}");
        let (were, are) = (self.terms.schedule.restarts(), terms.schedule.restarts());
        for number in 0..self.begun {
            assert_eq!(were.of_cycle(number), are.of_cycle(number), "cycle {number} of {self:?}");
        }
        assert!(were.count() <= are.count(), "{were:?} {are:?}");
        self.terms = *terms;
    }

    /// Looks at whether it ends with a cycle that nobody paid in time: what was settled before the latest look has ended by
    /// then, or runs to its end, and nothing is owed any more.
    fn look_at_unpaid(&mut self, of: &Subscription, cycles: &[Cycle]) {
        let Standing { end, canceled_from, ends_unpaid, .. } = of.standing;
        assert!(ends_unpaid || !self.ends_unpaid, "its end is taken back: {self:?}");
        let is_new = ends_unpaid && !self.ends_unpaid;
        self.ends_unpaid = ends_unpaid;
        if ends_unpaid {
            let is_owed = |cycle: &&Cycle| cycle.owed().is_some();
            assert_eq!(cycles.iter().find(is_owed), None, "{self:?}");
            assert!(end.is_some() || canceled_from.is_some(), "{self:?}");
        }
        let Some(settled) = self.paid.iter().chain(&self.waived).max().filter(|_| is_new) else {
            return;
        };
        let over = of.terms.begins_at(settled + 1);
        let mut canceled = cycles.iter().filter(|cycle| cycle.state == CycleState::Canceled);
        let is_over = canceled.any(|cycle| over <= of.terms.lapses_at(cycle.number));
        let runs = canceled_from.is_some_and(|from| from > *settled);
        assert!(is_over || runs, "cycle {settled} was paid in vain: {self:?} {cycles:?}");
    }

    /// Looks at the cycles that are waived: they stay so, unless somebody pays.
    fn look_at_waived(&mut self, cycles: &[Cycle]) {
        let is_settled = |state| matches!(state, CycleState::Waived | CycleState::Paid);
        let mut were = cycles.iter().filter(|cycle| self.waived.contains(&cycle.number));
        assert!(were.all(|cycle| is_settled(cycle.state)), "{self:?} {cycles:?}");
        let are = cycles.iter().filter(|cycle| cycle.state == CycleState::Waived);
        self.waived.extend(are.map(|cycle| cycle.number));
    }

    /// Tells whether a cycle that has begun was left out by a pause, as far as the latest look knows.
    pub(super) fn is_skipped(&self, number: u32) -> bool {
        self.paused_from.is_some_and(|from| number >= from)
            || self.pauses.iter().any(|pause| pause.contains(&number))
    }
}

/// Reads a subscription and all of its cycles, in the order of their numbers.
pub(super) fn read(
    store: &Store,
    owner: OwnerId,
    id: SubscriptionId,
) -> (Subscription, Vec<Cycle>) {
    let look = move |tx: &mut Tx<'_>| {
        let of = subscriptions::find(tx, owner, id)?.expect("a subscription");
        let mut cycles = subscription_cycles::page(tx, owner, id, ALL)?.entries;
        cycles.reverse();
        Ok((of, cycles))
    };
    at_once(store.look_up(&Meter::default(), look)).unwrap()
}
