//! The body of a webhook about an owner's own affairs, byte for byte as it is signed, kept and sent
//! again. It has a `type` and never a `status`: receivers that look for a link's status find none.

use super::object::Object;
use super::{EventKind, ReminderDue, Trouble};
use crate::ids::{ClientId, EventId, IdSource, KeyId, VerificationId};
use crate::money::Credits;
use crate::time::{CaracasMonth, Timestamp};

/// A message to an owner about its own affairs.
#[derive(Clone, Debug)]
pub struct AccountMessage<'a> {
    /// The event's id, the same at every repeat.
    pub event: EventId,
    /// When it became true.
    pub created_at: Timestamp,
    /// What became true.
    pub fact: Fact<'a>,
}

/// Something that became true of an owner's affairs.
#[derive(Clone, Debug)]
pub enum Fact<'a> {
    /// The balance has fallen to a level.
    LowBalance {
        /// The lowest level that it has reached.
        level: Credits,
        /// The balance.
        balance: Credits,
        /// What of it no open verification holds.
        available: Credits,
    },
    /// A key has used its limit.
    KeyLimit {
        /// The key.
        id: KeyId,
        /// Its name.
        name: &'a str,
        /// What it has used.
        used: Used,
    },
    /// A client has used its quota.
    ClientQuota {
        /// The client.
        id: ClientId,
        /// Its name.
        name: &'a str,
        /// What it has used.
        used: Used,
    },
    /// A month has begun.
    MonthTurned {
        /// The month that began.
        month: CaracasMonth,
        /// The month that ended.
        ended: CaracasMonth,
        /// What was charged in that.
        consumed: Credits,
        /// How many operations were.
        operations: i64,
        /// What verifications hold that were begun in it and are open.
        reserved: Credits,
        /// The balance.
        balance: Credits,
        /// What of it no open verification holds.
        available: Credits,
    },
    /// A receiver did not take a webhook at the first attempt.
    DestinationFailing {
        /// Its host, and nothing else of its address.
        host: &'a str,
        /// Why.
        trouble: Trouble,
        /// Since when.
        since: Timestamp,
        /// What it did not take.
        event: EventId,
    },
    /// A payer of a subscription is to be reminded.
    ReminderDue(ReminderDue<'a>),
}

/// Charges against a monthly limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// The limit.
    pub limit: Credits,
    /// What was charged.
    pub posted: Credits,
    /// In which month.
    pub month: CaracasMonth,
}

impl Used {
    /// Tells whether it was the charge of `cost` that reached the limit: one like it fitted before, and no more does.
    /// What happened to the limit before does not matter, so that one which was raised is reached again.
    #[must_use]
    pub fn is_reached_by(self, cost: Credits) -> bool {
        let fits = |used: Credits| used.checked_add(cost).is_some_and(|used| used <= self.limit);
        self.posted.checked_sub(cost).is_some_and(fits) && !fits(self.posted)
    }
}

impl Fact<'_> {
    /// Returns the kind of event that a webhook about it reports.
    #[must_use]
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::LowBalance { .. } => EventKind::LowBalance,
            Self::KeyLimit { .. } => EventKind::KeyLimitReached,
            Self::ClientQuota { .. } => EventKind::ClientQuotaReached,
            Self::MonthTurned { .. } => EventKind::MonthTurned,
            Self::DestinationFailing { .. } => EventKind::DestinationFailing,
            Self::ReminderDue(_) => EventKind::SubscriptionReminder,
        }
    }

    /// Tells whether it is about money that exists. Credits are charged alike, in the sandbox too.
    const fn is_live(&self) -> bool {
        match self {
            Self::ReminderDue(due) => due.reminder.livemode,
            Self::LowBalance { .. }
            | Self::KeyLimit { .. }
            | Self::ClientQuota { .. }
            | Self::MonthTurned { .. }
            | Self::DestinationFailing { .. } => true,
        }
    }

    fn data(&self) -> String {
        let mut json = Object::begin();
        match self {
            Self::LowBalance { level, balance, available } => {
                json.bare("level", level);
                json.bare("balance", balance);
                json.bare("available", available);
            }
            Self::KeyLimit { id, name, used } => {
                json.shown("api_key_id", id);
                json.text("name", name);
                used.write(&mut json);
            }
            Self::ClientQuota { id, name, used } => {
                json.shown("client_id", id);
                json.text("name", name);
                used.write(&mut json);
            }
            Self::MonthTurned {
                month,
                ended,
                consumed,
                operations,
                reserved,
                balance,
                available,
            } => {
                json.shown("month", month);
                json.shown("began_at", &month.start());
                let mut previous = Object::begin();
                previous.shown("month", ended);
                previous.bare("consumed", consumed);
                previous.bare("operations", operations);
                previous.bare("reserved", reserved);
                json.bare("previous", &previous.end());
                json.bare("balance", balance);
                json.bare("available", available);
            }
            Self::DestinationFailing { host, trouble, since, event } => {
                json.text("host", host);
                json.text("trouble", trouble.as_str());
                json.shown("since", since);
                json.shown("event_id", event);
            }
            Self::ReminderDue(due) => return due.data(),
        }
        json.end()
    }
}

impl Used {
    fn write(self, json: &mut Object) {
        json.bare("limit", &self.limit);
        json.bare("used", &self.posted);
        json.shown("month", &self.month);
        json.shown("resets_at", &self.month.next().start());
    }
}

impl AccountMessage<'_> {
    /// The body.
    #[must_use]
    pub fn to_body(&self) -> Vec<u8> {
        let mut body = Object::begin();
        body.shown("id", &self.event);
        body.text("type", self.fact.kind().as_str());
        body.shown("created_at", &self.created_at);
        body.bare("livemode", &self.fact.is_live());
        body.bare("data", &self.fact.data());
        body.end().into_bytes()
    }
}

impl EventId {
    /// The id of an event of that kind which a charge made true: the same however often the charge's
    /// transaction runs, and on whichever node, without any chance of its own on the path that is
    /// taken most.
    #[must_use]
    pub fn of_charge(verification: VerificationId, kind: EventKind, now: Timestamp) -> Self {
        Self::new(&Derived { verification, kind }, now)
    }
}

/// Chance that was taken before, distinguished by kinds.
struct Derived {
    verification: VerificationId,
    kind: EventKind,
}

impl IdSource for Derived {
    fn fill(&self, bytes: &mut [u8]) {
        let chance = self.verification.to_bytes();
        for (byte, value) in bytes.iter_mut().rev().zip(chance.iter().rev()) {
            *byte = *value;
        }
        let number = EventKind::ALL.iter().position(|kind| *kind == self.kind).unwrap_or_default();
        if let Some(byte) = bytes.get_mut(1) {
            *byte ^= u8::try_from(number).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_795_176_000_123_000);

    fn body(fact: Fact<'_>) -> String {
        let message = AccountMessage { event: EventId::from_bytes([1; 16]), created_at: NOW, fact };
        String::from_utf8(message.to_body()).unwrap()
    }

    fn expected(kind: &str, data: &str) -> String {
        let event = EventId::from_bytes([1; 16]);
        format!(
            r#"{{"id":"{event}","type":"{kind}","created_at":"2026-11-20T12:00:00.123Z","livemode":true,"data":{data}}}"#
        )
    }

    fn used(limit: i64, posted: i64) -> Used {
        let month = CaracasMonth::parse("2026-11").unwrap();
        Used { limit: Credits::new(limit), posted: Credits::new(posted), month }
    }

    #[test]
    fn every_fact_is_known_by_its_type_and_none_has_a_status() {
        let (key, client) = (KeyId::from_bytes([2; 16]), ClientId::from_bytes([3; 16]));
        let other = EventId::from_bytes([4; 16]);
        let month = CaracasMonth::parse("2026-12").unwrap();
        let (balance, available) = (Credits::new(97), Credits::new(95));
        let month_turned = Fact::MonthTurned {
            month,
            ended: CaracasMonth::parse("2026-11").unwrap(),
            consumed: Credits::new(412),
            operations: 411,
            reserved: Credits::new(1),
            balance,
            available,
        };
        let failing = Fact::DestinationFailing {
            host: "shop.example",
            trouble: Trouble::Reset,
            since: NOW,
            event: other,
        };
        for (fact, kind, data) in [
            (
                Fact::LowBalance { level: Credits::new(100), balance, available },
                "credits.low_balance",
                r#"{"level":100,"balance":97,"available":95}"#.to_owned(),
            ),
            (
                Fact::KeyLimit { id: key, name: "caja \"1\"", used: used(50, 50) },
                "credits.key_limit_reached",
                format!(
                    r#"{{"api_key_id":"{key}","name":"caja \"1\"","limit":50,"used":50,"month":"2026-11","resets_at":"2026-12-01T04:00:00.000Z"}}"#
                ),
            ),
            (
                Fact::ClientQuota { id: client, name: "Sucursal", used: used(50, 51) },
                "credits.client_quota_reached",
                format!(
                    r#"{{"client_id":"{client}","name":"Sucursal","limit":50,"used":51,"month":"2026-11","resets_at":"2026-12-01T04:00:00.000Z"}}"#
                ),
            ),
            (
                month_turned,
                "credits.month_turned",
                r#"{"month":"2026-12","began_at":"2026-12-01T04:00:00.000Z","previous":{"month":"2026-11","consumed":412,"operations":411,"reserved":1},"balance":97,"available":95}"#.to_owned(),
            ),
            (
                failing,
                "webhooks.destination_failing",
                format!(
                    r#"{{"host":"shop.example","trouble":"{}","since":"2026-11-20T12:00:00.123Z","event_id":"{other}"}}"#,
                    Trouble::Reset.as_str()
                ),
            ),
        ] {
            let body = body(fact);
            assert_eq!(body, expected(kind, &data));
            assert!(!body.contains("\"status\""));
        }
    }

    #[test]
    fn ids_of_a_charge_differ_by_kind_and_are_the_same_again() {
        let verification = VerificationId::from_bytes(*b"0123456789abcdef");
        let ids = EventKind::ALL.map(|kind| EventId::of_charge(verification, kind, NOW));
        let again = EventKind::ALL.map(|kind| EventId::of_charge(verification, kind, NOW));
        assert_eq!(ids, again);
        let distinct: std::collections::BTreeSet<_> = ids.into_iter().collect();
        assert_eq!(distinct.len(), ids.len());
        let other = VerificationId::from_bytes(*b"0123456789abcdeX");
        assert_ne!(EventId::of_charge(other, EventKind::LowBalance, NOW), ids[5]);
        let later = NOW.plus(std::time::Duration::from_secs(1));
        assert!(EventId::of_charge(verification, EventKind::LowBalance, later) > ids[5]);
    }

    #[test]
    fn a_limit_is_reached_by_the_charge_after_which_no_other_fits() {
        let is_reached =
            |limit, cost, posted| used(limit, posted).is_reached_by(Credits::new(cost));
        assert!(!is_reached(3, 1, 2) && is_reached(3, 1, 3) && !is_reached(3, 1, 4));
        assert!(!is_reached(5, 2, 2) && is_reached(5, 2, 4) && !is_reached(5, 2, 6));
        assert!(is_reached(2, 2, 2) && is_reached(3, 2, 2));
        // What costs nothing reaches nothing.
        assert!(!is_reached(3, 0, 3) && !is_reached(0, 0, 0));
    }
}
