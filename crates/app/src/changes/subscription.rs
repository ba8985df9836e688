//! What the audit trail says of subscriptions.

use domain::money::Bolivars;
use domain::subscriptions::{Calendar, Resumption, UnpaidPolicy};
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::receiver;
use serde_json::{Value, json};
use store::subscriptions::Subscription;

use super::Facts;

impl Facts for Subscription {
    fn facts(&self) -> Value {
        let schedule = self.terms.schedule;
        json!({
            "product_name": self.product.name,
            "amount": Bolivars::from_hundredths(self.price.hundredths).to_number(),
            "currency": self.price.currency.as_str(),
            "subscription_period_type": schedule.length().unit().as_str(),
            "period_count": schedule.length().count(),
            "start_date": schedule.begins().to_string(),
            "pay_first": self.terms.pay_first,
            "cycles": self.terms.cycles,
            "reminder_days": self.terms.reminders.as_slice(),
            "unpaid_policy": self.terms.unpaid.as_str(),
            // Its host alone: what stands behind may be a secret of the merchant's.
            "webhook_url": self.webhook_url.as_ref().map(|url| receiver(url.as_str())),
        })
    }
}

/// How a subscription stands, and what its next cycle asks for.
pub(crate) struct SubscriptionStands {
    amount: i64,
    has_ended: bool,
    canceled_from: Option<u32>,
    is_canceled_by_payer: bool,
    paused_from: Option<u32>,
    resumes: Option<Resumption>,
    calendar_from: CaracasDate,
    unpaid: UnpaidPolicy,
}

impl SubscriptionStands {
    pub(crate) fn of(subscription: &Subscription) -> Self {
        let standing = &subscription.standing;
        Self {
            amount: subscription.price.hundredths,
            has_ended: standing.end.is_some(),
            canceled_from: standing.canceled_from,
            is_canceled_by_payer: subscription.canceled_by_payer,
            paused_from: standing.paused_from,
            resumes: standing.resumes,
            calendar_from: subscription.terms.schedule.counted_from().0,
            unpaid: subscription.terms.unpaid,
        }
    }
}

impl Facts for SubscriptionStands {
    fn facts(&self) -> Value {
        json!({
            "amount": Bolivars::from_hundredths(self.amount).to_number(),
            "is_canceled": self.has_ended,
            "cancel_at_period_end": self.canceled_from.is_some(),
            "is_canceled_by_payer": self.is_canceled_by_payer,
            "is_paused": self.paused_from.is_some(),
            "resumes_on": self.resumes.map(|resumes| resumes.on.to_string()),
            "resumes_with_new_calendar": self.resumes.map(|resumes| resumes.calendar == Calendar::New),
            "calendar_start_date": self.calendar_from.to_string(),
            "unpaid_policy": self.unpaid.as_str(),
        })
    }
}

/// Cycle that is not owed any more, by its number from one on, and why.
pub(crate) struct CycleWaives<'a> {
    pub(crate) cycle: u32,
    pub(crate) reason: Option<&'a str>,
}

impl Facts for CycleWaives<'_> {
    fn facts(&self) -> Value {
        json!({ "cycle_waived": self.cycle, "waive_reason": self.reason })
    }
}

/// Instant that a test clock shows, and the one that it is asked to go on to: how far it comes, the links tell.
pub(crate) struct ClockAdvances {
    pub(crate) from: Timestamp,
    pub(crate) target: Timestamp,
}

impl Facts for ClockAdvances {
    fn facts(&self) -> Value {
        json!({ "clock": self.from.to_string(), "clock_asked_for": self.target.to_string() })
    }
}

/// Until when a payer's page is open, and whether its address is another. The address itself is for its payer.
pub(crate) struct PayerPageStands {
    until: Timestamp,
    id: String,
}

impl PayerPageStands {
    pub(crate) fn of(subscription: &Subscription) -> Self {
        Self { until: subscription.page_until, id: subscription.page.to_string() }
    }
}

impl Facts for PayerPageStands {
    fn facts(&self) -> Value {
        json!({ "payer_url_expires_at": self.until.to_string() })
    }

    fn untold(&self) -> Vec<(&'static str, &str)> {
        vec![("payer_url_changed", self.id.as_str())]
    }
}

/// The end of reminders by mail.
pub(crate) struct ReminderMailStops;

impl Facts for ReminderMailStops {
    fn facts(&self) -> Value {
        json!({ "reminder_mail_stopped": true })
    }
}
