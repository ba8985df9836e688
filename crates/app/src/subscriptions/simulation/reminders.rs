//! Reminders in the model: their days are counted by hand, and what the owner's systems were sent is held against them.

use std::time::Duration;

use domain::ids::{EventId, OwnerId, SubscriptionId};
use domain::subscriptions::Terms;
use domain::time::{CaracasMonth, Timestamp};
use domain::url::UrlText;
use domain::webhooks::{EventKind, LowBalanceLevels};
use serde_json::Value;
use store::deliveries::{self, Event};
use store::due::{self, Kind};
use store::fault::Fault;
use store::subscription_cycles::{Cycle, State as CycleState};
use store::tx::Tx;
use store::{Lane, Meter, webhook_endpoints};

use super::HOUR_S;
use super::books::Known;
use super::world::World;
use crate::verification::simulation::surroundings::at_once;

/// Time of day at which payers are reminded.
const NINE: Duration = Duration::from_secs(9 * HOUR_S);

/// Reminder that the owner's systems were sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported {
    pub(super) subscription: SubscriptionId,
    pub(super) cycle: u32,
    pub(super) day: i8,
    pub(super) at: Timestamp,
}

/// Sets where the owner's systems are notified, of reminders alone: no level of credits is one of interest.
pub(super) fn listen(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<(), Fault> {
    let url = UrlText::parse("https://tienda.example/avisos").expect("an address");
    let levels = LowBalanceLevels::parse(Vec::new()).expect("no levels");
    webhook_endpoints::set(tx, owner, &url, &levels, now)?;
    let balance = webhook_endpoints::hold_owner(tx, owner)?.balance;
    webhook_endpoints::watch(tx, owner, &levels, balance)?;
    let turns_at = CaracasMonth::of(now).next().start();
    due::insert(tx, owner, Kind::MonthTurn, owner.to_bytes(), turns_at)
}

/// Lists the days of a cycle's reminders that have come by an instant: from the opening of its link to the end of its
/// grace, and at nine.
fn come_by(terms: &Terms, cycle: u32, instant: Timestamp) -> Vec<i8> {
    // One with which the calendar began anew opened on that day.
    let is_ahead = terms.pay_first && !terms.schedule.begins_anew_with(cycle);
    let lead = if is_ahead { i32::from(terms.lead_days) } else { 0 };
    let (payable, due) = (-lead..=i32::from(terms.grace_days), terms.due_day(cycle));
    let has_come = |day: &i8| {
        let day = i32::from(*day);
        payable.contains(&day) && due.plus_days(day).start().plus(NINE) <= instant
    };
    terms.reminders.as_slice().iter().copied().filter(has_come).collect()
}

impl World {
    /// Takes all that the owner's systems are to be sent out of the queue: it is reminders and nothing else. Nothing delivers
    /// it here, nor brings forward what a clock that was ahead has put off.
    pub(super) fn take_reported(&self) -> Vec<Reported> {
        let owner = self.owner;
        let take = move |tx: &mut Tx<'_>| {
            let mut events = Vec::new();
            let mut after = None;
            loop {
                let found = deliveries::scan(tx, Timestamp::from_micros(i64::MAX), after)?;
                for due in found.iter().map(|found| found.due).filter(|due| due.owner == owner) {
                    let event = deliveries::find(tx, owner, EventId::from_bytes(due.subject))?;
                    events.extend(event.map(|delivery| delivery.event));
                }
                after = found.last().map(|found| found.due);
                if after.is_none() {
                    break;
                }
            }
            for event in &events {
                due::forget(tx, owner, Kind::Delivery, event.id.to_bytes())?;
            }
            Ok(events)
        };
        let store = self.store();
        let events: Vec<Event> =
            at_once(store.write(&Meter::default(), Lane::Admission, owner, take)).unwrap();
        events.iter().map(reported).collect()
    }
}

fn reported(event: &Event) -> Reported {
    assert_eq!(event.kind, EventKind::SubscriptionReminder);
    let body: Value = serde_json::from_slice(&event.body).unwrap();
    let data = &body["data"];
    let number = |name: &str| data[name].as_i64().unwrap();
    Reported {
        subscription: data["subscription_id"].as_str().unwrap().parse().unwrap(),
        cycle: u32::try_from(number("cycle") - 1).unwrap(),
        day: i8::try_from(number("day")).unwrap(),
        at: Timestamp::parse(body["created_at"].as_str().unwrap()).unwrap(),
    }
}

impl Known {
    /// Looks at how far payers were reminded: since the latest look further on, and of nothing that was paid, canceled or
    /// over by then.
    pub(super) fn look_at_reminders(&mut self, cycles: &[Cycle]) {
        for cycle in cycles {
            let former = self.reminded.get(&cycle.number).copied();
            if cycle.reminded == former {
                continue;
            }
            assert!(former < cycle.reminded, "reminded backwards: {cycle:?} of {self:?}");
            let is_owed = self.canceled_from.is_none_or(|from| cycle.number < from);
            let is_settled =
                self.paid.contains(&cycle.number) || self.waived.contains(&cycle.number);
            assert!(
                is_owed && !is_settled && self.end.is_none(),
                "reminded of nothing that is owed: {cycle:?} of {self:?}"
            );
            self.reminded.extend(cycle.reminded.map(|day| (cycle.number, day)));
        }
    }

    /// Judges the reminders of a cycle, at an instant at which nothing is due; `latest` is the latest that a clock has
    /// shown. Each day was reported once at most, in its time, and what is owed was reminded of up to the latest day.
    pub(super) fn judge_reminders(
        &self,
        cycle: &Cycle,
        is_owed: bool,
        reported: &[Reported],
        (now, latest): (Timestamp, Timestamp),
    ) {
        let (terms, number) = (&self.terms, cycle.number);
        let over = terms.due_day(number).plus_days(1 + i32::from(terms.grace_days)).start();
        let mut days: Vec<i8> = Vec::new();
        for one in reported.iter().filter(|one| one.cycle == number) {
            let is_in_time = one.at < over && one.at <= latest;
            let has_come = come_by(terms, number, self.own(one.at)).contains(&one.day);
            assert!(is_in_time && has_come, "{one:?} of {self:?}");
            days.push(one.day);
        }
        days.sort_unstable();
        assert!(days.windows(2).all(|pair| pair[0] < pair[1]), "{days:?} of {cycle:?} of {self:?}");
        assert!(days.last().copied() <= cycle.reminded, "{days:?} of {cycle:?} of {self:?}");
        let all = come_by(terms, number, self.own(latest));
        let is_a_day = cycle.reminded.is_none_or(|day| all.contains(&day));
        assert!(is_a_day, "{cycle:?} of {self:?}");
        if is_owed && cycle.state == CycleState::Open {
            let least = come_by(terms, number, self.own(now)).last().copied();
            assert!(cycle.reminded >= least, "{least:?} is missing of {cycle:?} of {self:?}");
        }
    }
}
