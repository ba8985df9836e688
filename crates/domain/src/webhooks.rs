//! Webhooks: what the systems of an owner are sent, signed, and sent again, a bounded number of times, until they have
//! received it.

mod account_message;
mod clock_check;
pub mod conformance;
mod endpoint;
mod event_kind;
pub mod evidence;
mod head;
mod object;
mod phases;
mod reminder_due;
mod schedule;
mod secrets;
mod signature;
pub mod standard;
mod trouble;

pub use account_message::{AccountMessage, Fact, Used};
pub use clock_check::{CLOCK_OFF_MAX, ClockCheck};
pub use endpoint::{Endpoint, InvalidLevels, LEVELS_MAX, LowBalanceLevels};
pub use event_kind::EventKind;
pub use head::{Head, Signers};
pub use phases::Phases;
pub use reminder_due::ReminderDue;
pub use schedule::{
    ATTEMPTS_MAX, DELAY_MAX, DELAYS, JITTER, RETRY_AFTER_MAX, is_put_off_too_far, judge,
    next_delay, retry_after,
};
pub use secrets::{OVERLAP_HOURS, OVERLAP_HOURS_MAX, Overlap, Previous, Secrets};
pub use signature::{HeaderWord, InvalidHeaderWord, WebhookSecret, sign};
pub use trouble::{Flaw, Phase, Trouble, Zone};

/// The host of an address with its port, if that is not the usual one of its scheme, in one spelling
/// of the many: a count by receiver uses this.
#[must_use]
pub fn receiver(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let rest = if scheme.is_empty() { url } else { rest };
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    // What stands behind the last colon is a port, unless that is inside an address of IPv6.
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (place.as_str(), ""),
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    let usual = if scheme.eq_ignore_ascii_case("https") { "443" } else { "80" };
    match port.trim_start_matches('0') {
        "" => host.to_owned(),
        port if port == usual => host.to_owned(),
        port => format!("{host}:{port}"),
    }
}

/// How a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryState {
    /// It has another attempt before it.
    Pending,
    /// A receiver answered with success.
    Delivered,
    /// Every attempt came to nothing, or the receiver wants no more.
    Exhausted,
}

impl DeliveryState {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Exhausted];

    /// The word that callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Exhausted => "exhausted",
        }
    }

    /// The state of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// The number that stores keep.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Pending => 0,
            Self::Delivered => 1,
            Self::Exhausted => 2,
        }
    }

    /// The state of a number that a store kept.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_known_by_its_host_and_port() {
        for (url, host) in [
            ("https://Shop.Example/a?b", "shop.example"),
            ("http://shop.example:8080?b", "shop.example:8080"),
            ("http://[::1]:9#a", "[::1]:9"),
            ("http://[::1]/", "[::1]"),
            ("https://shop.example.:0443/a", "shop.example"),
            ("https://shop.example:443", "shop.example"),
            ("HTTP://shop.example:80", "shop.example"),
            ("http://shop.example:443", "shop.example:443"),
            ("https://shop.example:", "shop.example"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(receiver(url), host);
        }
    }

    #[test]
    fn states_read_back_from_their_numbers() {
        for (number, state) in (0..).zip(DeliveryState::ALL) {
            assert_eq!((state.number(), DeliveryState::from_number(number)), (number, Some(state)));
            assert_eq!(DeliveryState::parse(state.as_str()), Some(state));
        }
        assert_eq!(DeliveryState::from_number(4), None);
    }
}
