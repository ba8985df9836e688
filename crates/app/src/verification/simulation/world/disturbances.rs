//! What disturbs the calls: crashes, clocks that are set, and what the bank shows meanwhile.

use std::time::Duration;

use domain::bank_text::BankText;
use domain::matching::{PayerFacts, Sighting};
use domain::reference::BankReference;
use domain::time::{CaracasDate, CaracasMonth, Timestamp};

use super::{AMOUNT, Chance, MOVEMENTS, START, World, at_once, phone, pick, reference};
use crate::credits_events::MonthTurn;
use crate::sweep::sweep_recent_calls;
use crate::verification::janitor::{self, Which};
use crate::{Clock, queue};

/// By how much the clock is set wrong.
const JUMPS: [Duration; 5] = [
    Duration::from_secs(15),
    Duration::from_secs(10 * 60),
    Duration::from_secs(3 * 60 * 60),
    Duration::from_secs(40 * 24 * 60 * 60),
    Duration::from_secs(400 * 24 * 60 * 60),
];

impl World {
    /// The process dies where it stands, and another starts on the same data.
    pub(in crate::verification::simulation) fn crash(&mut self) {
        self.calls.clear();
        self.running.0.lock().unwrap().clear();
        at_once(janitor::pass(&self.app, Which::All)).unwrap();
        // Each costs one credit, so what is reserved is how many are open.
        let open = usize::try_from(self.owner_row().reserved).unwrap();
        assert!(self.running.0.lock().unwrap().len() <= open, "a row was taken over twice");
    }

    /// The process dies where it stands, and none starts that has the data to itself.
    pub(in crate::verification::simulation) fn vanish(&mut self) {
        self.calls.clear();
        self.running.0.lock().unwrap().clear();
    }

    /// Somebody sets the clock wrong, ahead or back: by hours at most where every first report is to arrive, since a
    /// call is known again for a day.
    pub(in crate::verification::simulation) fn set_clock(
        &mut self,
        chance: &mut Chance,
        is_calm: bool,
    ) {
        let jumps = if is_calm { &JUMPS[..3] } else { &JUMPS[..] };
        let by = jumps[pick(chance, jumps.len())];
        let now = self.clock.now();
        self.clock.set_to(if chance.below(2) == 0 { now.plus(by) } else { now.minus(by) });
        self.note_shown();
    }

    /// Somebody corrects it.
    pub(in crate::verification::simulation) fn set_clock_right(&mut self) {
        self.clock.set_to(Timestamp::from_micros(START).plus(self.clock.uptime()));
        self.note_shown();
    }

    pub(in crate::verification::simulation) fn advance(&mut self, by: Duration) {
        self.clock.advance(by);
        self.note_shown();
    }

    fn note_shown(&mut self) {
        let (now, (first, last)) = (self.clock.now(), self.shown);
        self.shown = (first.min(now), last.max(now));
    }

    pub(in crate::verification::simulation) fn look_after(&mut self) {
        at_once(janitor::pass(&self.app, Which::Over)).unwrap();
        at_once(sweep_recent_calls(&self.app)).unwrap();
        at_once(queue::pass::<MonthTurn>(&self.app, &|| false)).unwrap();
        self.month_reported = self.month_by_now();
    }

    /// The latest month reported after a look at this instant: each look reports one, and none is reported again.
    pub(super) fn month_by_now(&self) -> CaracasMonth {
        let next = self.month_reported.next();
        if next.start() <= self.clock.now() { next } else { self.month_reported }
    }

    pub(in crate::verification::simulation) fn bank_posts(&mut self, chance: &mut Chance) {
        // Now and then with a payer who is none.
        let payer = usize::from(chance.below(4) == 0);
        self.bank_shows(chance.below(MOVEMENTS), payer);
    }

    pub(in crate::verification::simulation) fn bank_shows_all(&mut self) {
        (0..MOVEMENTS).for_each(|movement| self.bank_shows(movement, 0));
    }

    fn bank_shows(&mut self, movement: u64, payer: usize) {
        let whole = reference(movement);
        let payer = PayerFacts { phone: Some(phone(payer)), ..PayerFacts::default() };
        let paid_on = CaracasDate::of(Timestamp::from_micros(START));
        let mut ledger = self.ledger.lock().unwrap();
        let known = |seen: &Sighting| seen.reference.digits() == whole && seen.payer == payer;
        if ledger.movements.iter().any(known) {
            return;
        }
        ledger.movements.push(Sighting {
            reference: BankReference::parse(&whole).unwrap(),
            bank_key: None,
            amount: AMOUNT,
            paid_on,
            paid_at: None,
            payer,
            description: BankText::default(),
        });
    }
}
