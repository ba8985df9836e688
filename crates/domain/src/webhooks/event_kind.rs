//! What webhooks report.

/// Kind of event that a webhook reports, as a closed list that stores keep by its words and callers filter by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Something of a payment link, written before it was kept what.
    Link,
    /// A payment link was paid.
    LinkPaid,
    /// A payment link failed.
    LinkFailed,
    /// A payment link's time is over.
    LinkExpired,
    /// A payment link was cancelled.
    LinkCanceled,
    /// A balance has fallen to a level that its owner set.
    LowBalance,
    /// A key has used its limit of a month.
    KeyLimitReached,
    /// A client has used its quota of a month.
    ClientQuotaReached,
    /// A month has begun, and with it every limit anew.
    MonthTurned,
    /// A receiver did not take a webhook at the first attempt.
    DestinationFailing,
    /// A payer of a subscription is to be reminded.
    SubscriptionReminder,
    /// Nothing that happened: an owner tries its receiver out.
    Test,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Link,
        Self::LinkPaid,
        Self::LinkFailed,
        Self::LinkExpired,
        Self::LinkCanceled,
        Self::LowBalance,
        Self::KeyLimitReached,
        Self::ClientQuotaReached,
        Self::MonthTurned,
        Self::DestinationFailing,
        Self::SubscriptionReminder,
        Self::Test,
    ];

    /// The word that stores keep and callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "payment_link",
            Self::LinkPaid => "payment_link.paid",
            Self::LinkFailed => "payment_link.failed",
            Self::LinkExpired => "payment_link.expired",
            Self::LinkCanceled => "payment_link.canceled",
            Self::LowBalance => "credits.low_balance",
            Self::KeyLimitReached => "credits.key_limit_reached",
            Self::ClientQuotaReached => "credits.client_quota_reached",
            Self::MonthTurned => "credits.month_turned",
            Self::DestinationFailing => "webhooks.destination_failing",
            Self::SubscriptionReminder => "subscription.reminder",
            Self::Test => "test",
        }
    }

    /// The kind of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Tells whether the event's subject is a payment link.
    #[must_use]
    pub const fn is_of_a_link(self) -> bool {
        match self {
            Self::Link
            | Self::LinkPaid
            | Self::LinkFailed
            | Self::LinkExpired
            | Self::LinkCanceled => true,
            Self::LowBalance
            | Self::KeyLimitReached
            | Self::ClientQuotaReached
            | Self::MonthTurned
            | Self::DestinationFailing
            | Self::SubscriptionReminder => false,
            Self::Test => false,
        }
    }

    /// Tells whether the event is sent again where it was not received, and whether anybody is notified that it was
    /// not.
    #[must_use]
    pub const fn is_sent_again(self) -> bool {
        !matches!(self, Self::Test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(EventKind::parse("nothing"), None);
    }
}
