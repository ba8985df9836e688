//! The judgement at the end of a seed: all that the store keeps must be what the model says.

use std::collections::BTreeSet;
use std::ops::AddAssign;
use std::time::Duration;

use domain::ids::{LinkId, VerificationId};
use domain::language::Language;
use domain::links::{State as LinkState, Status};
use domain::subscriptions::{End, Next, Standing, TestClock};
use domain::time::Timestamp;
use domain::verification::State as CheckState;
use store::due::{self, Kind};
use store::link_pages::{self, Filter};
use store::links::Link;
use store::scope::Scope;
use store::subscription_cycles::{Cycle, State as CycleState};
use store::subscriptions::Subscription;
use store::tx::Tx;
use store::{Lane, Meter, ledger_audit, verifications};

use super::books::{self, ALL, Known};
use super::reminders::Reported;
use super::world::{GRANTED, World};
use crate::subscriptions::rules;
use crate::verification::simulation::surroundings::at_once;

/// Figures of what happened to the subscriptions of a world, by which a run knows that it has tried something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) opened: usize,
    pub(super) skipped: usize,
    pub(super) reminded: usize,
    pub(super) paid: usize,
    /// Cycles that were paid by another link than their first.
    pub(super) paid_by_another: usize,
    pub(super) waived: usize,
    /// Times that a calendar began anew.
    pub(super) begun_anew: usize,
    /// Subscriptions whose clock was set ahead.
    pub(super) set_ahead: usize,
    pub(super) canceled: usize,
    pub(super) canceled_by_payer: usize,
    pub(super) completed: usize,
    pub(super) expired: usize,
    /// Those that had begun, and ended with a cycle that nobody paid in time.
    pub(super) ended_unpaid: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.opened += other.opened;
        self.skipped += other.skipped;
        self.reminded += other.reminded;
        self.paid += other.paid;
        self.paid_by_another += other.paid_by_another;
        self.waived += other.waived;
        self.begun_anew += other.begun_anew;
        self.set_ahead += other.set_ahead;
        self.canceled += other.canceled;
        self.canceled_by_payer += other.canceled_by_payer;
        self.completed += other.completed;
        self.expired += other.expired;
        self.ended_unpaid += other.ended_unpaid;
    }
}

/// Everything that the store keeps of a subscription.
struct Found {
    of: Subscription,
    cycles: Vec<Cycle>,
    /// The links that were ever made for its cycles.
    links: Vec<Link>,
    /// The reminders that the owner's systems were sent.
    reported: Vec<Reported>,
    /// Whether it waits in the queue.
    is_waiting: bool,
}

impl Found {
    /// The links of a cycle.
    fn links_of(&self, number: u32) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(move |link| link.cycle.is_some_and(|of| of.number == number))
    }

    fn has_paused(&self, number: u32) -> bool {
        self.of.standing.paused_from.is_some_and(|from| number >= from)
    }

    /// Answers whether a cycle is not owed, because somebody canceled before its period.
    fn has_canceled(&self, number: u32) -> bool {
        self.of.standing.canceled_from.is_some_and(|from| number >= from)
    }

    fn tally(&self) -> Tally {
        let Self { of, cycles, .. } = self;
        let is_paid_by_another = |cycle: &&Cycle| {
            let link = self.links.iter().find(|link| link.id == cycle.link);
            cycle.is_paid() && link.is_some_and(|link| link.created_at != cycle.opened_at)
        };
        let ended_as = |end: End| usize::from(of.standing.end == Some(end));
        Tally {
            opened: cycles.len(),
            skipped: usize::try_from(of.standing.skipped).unwrap(),
            reminded: self.reported.len(),
            paid: cycles.iter().filter(|cycle| cycle.is_paid()).count(),
            paid_by_another: cycles.iter().filter(is_paid_by_another).count(),
            waived: cycles.iter().filter(|cycle| cycle.state == CycleState::Waived).count(),
            begun_anew: of.terms.schedule.restarts().count(),
            set_ahead: usize::from(of.clock > TestClock::REAL),
            canceled: ended_as(End::Canceled),
            canceled_by_payer: usize::from(of.canceled_by_payer),
            completed: ended_as(End::Completed),
            expired: ended_as(End::Expired),
            ended_unpaid: ended_as(End::Expired) * usize::from(of.standing.ends_unpaid),
        }
    }
}

impl World {
    /// Judges everything, once nothing is due. Forgets what waits then, for the world that comes after in this store.
    pub(super) fn judge(&self) -> Tally {
        let now = self.right_time();
        let reported = self.take_reported();
        self.check_audit(now);
        let (links, waiting) = (self.all_links(now), self.all_due());
        let mut tally = Tally::default();
        let mut books = self.people.books.lock().unwrap();
        for known in books.iter_mut() {
            let (of, cycles) = books::read(self.store(), self.owner, known.id);
            known.look(&of, &cycles);
            let is_its = |link: &&Link| link.cycle.is_some_and(|of| of.subscription == known.id);
            let links = links.iter().filter(is_its).cloned().collect();
            let is_waiting = waiting.contains(&known.id.to_bytes());
            let reported =
                reported.iter().filter(|one| one.subscription == known.id).copied().collect();
            let found = Found { of, cycles, links, reported, is_waiting };
            // The steps of a clock that is set ahead are written a little apart.
            known.judge(&found, (now, self.latest.plus(Duration::from_secs(1))));
            tally += found.tally();
        }
        drop(books);
        self.check_payers(&links, tally.paid);
        self.forget();
        tally
    }

    /// The audit of the owner has nothing to say.
    fn check_audit(&self, now: Timestamp) {
        let owner = self.owner;
        let audit = move |tx: &mut Tx<'_>| ledger_audit::check(tx, owner, now);
        let found = at_once(self.store().read(&Meter::default(), audit)).unwrap();
        assert!(found.differences.is_empty(), "{:?}", found.differences);
        assert!(found.overdue.is_empty(), "a reservation for ever: {:?}", found.overdue);
    }

    /// Each payment that a payer knows of paid the link, each cost one credit, and each is of a cycle.
    fn check_payers(&self, links: &[Link], paid: usize) {
        let owner = self.owner;
        for &(id, check) in &self.checks {
            if self.is_confirmed(check) {
                let link = links.iter().find(|link| link.id == id).expect("a link");
                assert_eq!(link.standing.state, LinkState::Paid, "{id} by {check} of {owner}");
            }
        }
        let spent = GRANTED - self.owner_row().balance;
        assert_eq!(spent, i64::try_from(paid).unwrap(), "payments of {owner}");
    }

    fn is_confirmed(&self, check: VerificationId) -> bool {
        let owner = self.owner;
        let look = move |tx: &mut Tx<'_>| verifications::find(tx, owner, check);
        let row = at_once(self.store().look_up(&Meter::default(), look)).unwrap();
        row.is_some_and(|row| row.state == CheckState::Confirmed)
    }

    fn all_links(&self, now: Timestamp) -> Vec<Link> {
        let owner = self.owner;
        let filter = Filter {
            span: Timestamp::from_micros(i64::MIN)..Timestamp::from_micros(i64::MAX),
            scope: Scope::All,
            origin: None,
            status: None,
            search: None,
            livemode: None,
        };
        let look = move |tx: &mut Tx<'_>| link_pages::page(tx, owner, &filter, now, ALL);
        at_once(self.store().read(&Meter::default(), look)).unwrap().entries
    }

    /// The subscriptions that wait in the queue, whenever their time comes.
    fn all_due(&self) -> BTreeSet<[u8; 16]> {
        let end = Timestamp::from_micros(i64::MAX);
        let look = move |tx: &mut Tx<'_>| due::scan(tx, Kind::Subscription, end, None);
        let found = at_once(self.store().look_up(&Meter::default(), look)).unwrap();
        assert!(found.iter().all(|due| due.owner == self.owner), "{found:?}");
        found.into_iter().map(|due| due.subject).collect()
    }

    fn forget(&self) {
        let (owner, waiting) = (self.owner, self.all_due());
        let forget = move |tx: &mut Tx<'_>| {
            due::forget(tx, owner, Kind::MonthTurn, owner.to_bytes())?;
            waiting.iter().try_for_each(|id| due::forget(tx, owner, Kind::Subscription, *id))
        };
        at_once(self.store().write(&Meter::default(), Lane::Admission, owner, forget)).unwrap();
    }
}

impl Known {
    /// Judges a subscription, at an instant at which nothing is due; `latest` is the latest that a clock has shown.
    fn judge(&self, found: &Found, (now, latest): (Timestamp, Timestamp)) {
        let Standing { end, begun, skipped, .. } = found.of.standing;
        let opened = count(&self.opened);
        assert_eq!(begun, opened + skipped, "{self:?}");
        for number in 0..begun {
            let is_opened = self.opened.contains(&number);
            let is_skipped = self.is_skipped(number);
            assert!(self.goes_by_itself || is_opened != is_skipped, "cycle {number} of {self:?}");
        }
        assert_eq!(found.of.paid, count(&self.paid), "{self:?}");
        assert_eq!(found.is_waiting, end.is_none(), "{self:?}");
        let next = rules(&found.of, &found.cycles).next(now);
        assert!(!matches!(next, Next::Do(_)), "{next:?} of {self:?}");
        self.judge_end(found, now);
        for cycle in &found.cycles {
            self.judge_cycle(found, cycle, latest);
            self.judge_links(found, cycle, now);
            let is_owed = !found.has_canceled(cycle.number);
            self.judge_reminders(cycle, is_owed, &found.reported, (now, latest));
        }
        let is_opened = |one: &Reported| self.opened.contains(&one.cycle);
        assert!(found.reported.iter().all(is_opened), "{:?} of {self:?}", found.reported);
    }

    /// It has ended as somebody or its terms wanted, or all is there that is due by now.
    fn judge_end(&self, found: &Found, now: Timestamp) {
        let Standing { end, begun, canceled_from, ends_unpaid, is_active, .. } = found.of.standing;
        let opened = count(&self.opened);
        assert!(self.terms.cycles.is_none_or(|cycles| opened <= cycles), "{self:?}");
        let is_full = self.terms.cycles == Some(opened);
        let has_all = is_full || found.has_canceled(begun);
        match end {
            None => {
                // A first cycle that must be paid first holds up every other.
                let is_held_up = begun > 0 && !is_active;
                let comes_at = if found.has_paused(begun) {
                    self.terms.begins_at(begun)
                } else {
                    self.terms.opens_at(begun)
                };
                let is_ahead = comes_at > self.own(now);
                assert!(has_all || is_held_up || is_ahead, "cycle {begun} is left out of {self:?}");
            }
            Some(End::Completed) => {
                let is_settled =
                    |cycle: &Cycle| matches!(cycle.state, CycleState::Paid | CycleState::Waived);
                assert!(is_full && found.cycles.iter().all(is_settled), "{self:?}");
            }
            Some(End::Expired) => {
                let is_prepaid = self.terms.pay_first && !self.terms.has_trial;
                let is_unpaid = self.may_end_unpaid && ends_unpaid;
                assert!((is_prepaid && begun == 1) || is_unpaid, "{self:?}");
            }
            Some(End::Canceled) => {
                let is_at_once = self.was_canceled_at_once || canceled_from.is_none();
                assert!(self.was_canceled && (is_at_once || has_all), "{self:?}");
            }
        }
    }

    /// A cycle opened in time, and its first link asked until the end of the grace after its due day.
    fn judge_cycle(&self, found: &Found, cycle: &Cycle, latest: Timestamp) {
        let (terms, number, opened_at) = (&self.terms, cycle.number, cycle.opened_at);
        let is_in_time = terms.opens_at(number) <= self.own(opened_at) && opened_at <= latest;
        assert!(is_in_time, "{cycle:?} of {self:?}");
        let grace = i32::from(terms.grace_days);
        let ends = terms.due_day(number).plus_days(1 + grace).start().max(opened_at);
        let mut first = found.links_of(number).filter(|link| link.created_at == opened_at);
        // A clock that is set ahead brings the end nearer.
        let is_until_then = |link: &Link| match link.standing.expires_at {
            Some(end) if self.clock > TestClock::REAL => end <= ends,
            end => end == Some(ends),
        };
        assert!(first.any(is_until_then), "{cycle:?} until {ends} of {self:?}");
        let period = terms.schedule.period(number).in_words(Language::Es);
        let prices: BTreeSet<i64> =
            found.links_of(number).map(|link| link.price.hundredths).collect();
        for link in found.links_of(number) {
            assert!(link.description.ends_with(&period), "{link:?} is not for {period}");
        }
        // What was asked for stays, whatever the price is since.
        assert_eq!(prices.len(), 1, "{cycle:?} asks for {prices:?}");
        assert!(prices.iter().all(|price| self.prices.contains(price)), "{prices:?} {self:?}");
    }

    /// A cycle is what its links say: paid by one of them and by no other, and asked for while it is owed.
    fn judge_links(&self, found: &Found, cycle: &Cycle, now: Timestamp) {
        let links: Vec<&Link> = found.links_of(cycle.number).collect();
        let paying = links.iter().filter(|link| link.standing.state == LinkState::Paid);
        let paying: Vec<LinkId> = paying.map(|link| link.id).collect();
        let expected: Vec<LinkId> = cycle.is_paid().then_some(cycle.link).into_iter().collect();
        assert_eq!(paying, expected, "{cycle:?} of {self:?}");
        let own = links.iter().find(|link| link.id == cycle.link).expect("the link of a cycle");
        // Of one that ends with a cycle which nobody paid, nothing is owed though what was paid ahead still runs.
        let has_ended = found.of.standing.end.is_some() || found.of.standing.ends_unpaid;
        match cycle.state {
            CycleState::Open => {
                let is_owed = !found.has_canceled(cycle.number);
                assert_eq!(own.standing.is_stopped, !is_owed, "{own:?} of {self:?}");
                let status = own.standing.status(now);
                assert!(!is_owed || status == Status::Pending, "{own:?} of {self:?}");
            }
            CycleState::Canceled => assert!(has_ended, "{cycle:?} of {self:?}"),
            CycleState::Lapsed | CycleState::Paid | CycleState::Waived => {}
        }
        let is_owed = matches!(cycle.state, CycleState::Open | CycleState::Lapsed);
        assert!(!(has_ended && is_owed), "{cycle:?} of {self:?}");
        // A payer would pay it in vain.
        let is_open =
            |link: &&&Link| matches!(link.standing.status(now), Status::Pending | Status::Stopped);
        let open = links.iter().find(is_open);
        assert!(is_owed || open.is_none(), "{open:?} of {cycle:?} of {self:?}");
    }
}

fn count(numbers: &BTreeSet<u32>) -> u32 {
    u32::try_from(numbers.len()).unwrap()
}
