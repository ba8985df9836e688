//! Subscriptions: a payer who owes the same amount again and again.
//!
//! Nothing can be debited at a bank of Venezuela, so that what recurs is asking. Each period of a subscription is a
//! *cycle*, and each cycle opens one payment link some days before its due day. A link that is not paid by the end of
//! the grace lapses; a payer who comes later pays the same cycle by a new link. What a subscription *is* follows from
//! a few facts and the clock at every look ([`Subscription::status`]); what has to be done about it is one step after
//! another ([`Subscription::next`]), so that each cycle opens once, in its order, whatever was missed.

mod clock;
mod machine;
mod pausing;
mod payer;
mod payment_reminder;
mod reminders;
mod reminding;
mod restarts;
mod resumption;
mod schedule;
mod stop_address;
mod sums;
mod terms;
mod unpaid;

pub use clock::TestClock;
pub use machine::{Cycle, CycleState, End, Leg, Next, Standing, Status, Step, Subscription};
pub use payer::{PAGE_KEPT, PayerAddress};
pub(crate) use payment_reminder::of_test;
pub use payment_reminder::{PaymentReminder, whatsapp_url};
pub use reminders::{InvalidReminders, REMINDER_DAY_MAX, REMINDERS_MAX, Reminders};
pub use restarts::{RESTARTS_MAX, Restart, Restarts};
pub use resumption::{Calendar, Resumption};
pub use schedule::{AnchorDay, Period, PeriodLength, PeriodUnit, Schedule};
pub use stop_address::StopAddress;
pub use sums::Sums;
pub use terms::{GRACE_DAYS_MAX, LEAD_DAYS_MAX, Terms};
pub use unpaid::UnpaidPolicy;

#[cfg(test)]
mod tests;
