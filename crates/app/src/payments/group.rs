//! Groups of statistics as filters of payments: each figure leads to the payments that it counts.

use domain::ids::{EmployeeId, KeyId, OwnerId, SubscriptionId};
use domain::statistics::{WeekHour, hour_of};
use domain::time::Timestamp;
use store::payment_pages::LookedBack;

/// A group of statistics that payments are narrowed to, beside days, account, client and currency. `None` in one means
/// the payments that have none of the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupFilter {
    /// Payments claimed in the hour that begins then.
    Hour(Timestamp),
    /// Payments of this hour of any day, 0 to 23, in Caracas.
    HourOfDay(u8),
    /// Payments of this day of any week, Monday being 0.
    Weekday(u8),
    /// Payments from the bank of this code.
    PayerBank(Option<String>),
    /// Payments that count against no client.
    NoClient,
    /// Payments that this key has claimed, or paid by whose link they were.
    Key(Option<KeyId>),
    /// Payments of this person, likewise.
    Person(Option<EmployeeId>),
    /// Payments that paid a cycle of this subscription.
    Subscription(Option<SubscriptionId>),
}

impl GroupFilter {
    /// Tells whether the payment is in the group.
    pub(super) fn has(&self, seen: &LookedBack, owner: OwnerId) -> bool {
        let entry = &seen.entry;
        match self {
            Self::Hour(begins) => hour_of(*begins) == hour_of(entry.created_at),
            Self::HourOfDay(hour) => WeekHour::of(entry.created_at).hour == *hour,
            Self::Weekday(day) => WeekHour::of(entry.created_at).weekday == *day,
            Self::PayerBank(code) => seen.payer_bank == *code,
            Self::NoClient => entry.client.is_none(),
            Self::Key(key) => entry.actor.key(owner) == *key,
            Self::Person(person) => entry.actor.employee() == *person,
            Self::Subscription(of) => seen.subscription == *of,
        }
    }
}
