//! The secrets of an owner, of which there are two while one takes the place of the other.

use std::time::Duration;

use super::WebhookSecret;
use crate::time::Timestamp;

/// For how many hours a former secret is good where nobody says otherwise.
pub const OVERLAP_HOURS: u8 = 24;

/// For how many hours it may be good: a week.
pub const OVERLAP_HOURS_MAX: u8 = 7 * 24;

/// How long a former secret is good besides the new one; nothing at all where that has leaked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap(u8);

impl Overlap {
    /// So many hours, [`OVERLAP_HOURS_MAX`] at most.
    #[must_use]
    pub fn of_hours(hours: i64) -> Option<Self> {
        let hours = u8::try_from(hours).ok()?;
        (hours <= OVERLAP_HOURS_MAX).then_some(Self(hours))
    }

    /// Until when the former secret is good that is replaced at `now`, if it is good at all.
    #[must_use]
    pub fn from(self, now: Timestamp) -> Option<Timestamp> {
        let lasts = Duration::from_secs(60 * 60 * u64::from(self.0));
        (!lasts.is_zero()).then(|| now.plus(lasts))
    }
}

impl Default for Overlap {
    fn default() -> Self {
        Self(OVERLAP_HOURS)
    }
}

/// Secrets that an owner's webhooks are signed with.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// What signs.
    pub current: WebhookSecret,
    /// What signed before, and may still be what receivers know.
    pub previous: Option<Previous>,
}

/// A secret that another has taken the place of.
#[derive(Clone, Debug)]
pub struct Previous {
    /// The secret.
    pub secret: WebhookSecret,
    /// Until when it is good: from then on, it signs nothing.
    pub until: Timestamp,
}

impl Secrets {
    /// One secret and none before it.
    #[must_use]
    pub const fn one(current: WebhookSecret) -> Self {
        Self { current, previous: None }
    }

    /// The former one, if there is one that is good at `now`.
    #[must_use]
    pub fn previous_at(&self, now: Timestamp) -> Option<&WebhookSecret> {
        let previous = self.previous.as_ref().filter(|previous| now < previous.until)?;
        Some(&previous.secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);

    #[test]
    fn an_overlap_has_a_whole_week_of_hours_at_most() {
        for hours in [-1, 169, 256, i64::MAX, i64::MIN] {
            assert_eq!(Overlap::of_hours(hours), None, "{hours}");
        }
        assert_eq!(Overlap::of_hours(24), Some(Overlap::default()));
        assert_eq!(Overlap::of_hours(0).unwrap().from(NOW), None);
        let week = Overlap::of_hours(168).unwrap().from(NOW).unwrap();
        assert_eq!(week.since(NOW), Duration::from_secs(7 * 24 * 60 * 60));
    }

    #[test]
    fn a_former_secret_is_good_to_the_end_of_its_overlap_and_not_shown() {
        let secret = |text: &str| WebhookSecret::kept(text.into());
        let until = Overlap::default().from(NOW).unwrap();
        let previous = Some(Previous { secret: secret("former"), until });
        let secrets = Secrets { current: secret("newest"), previous };
        let before = until.minus(Duration::from_micros(1));
        assert_eq!(secrets.previous_at(before).unwrap().expose(), "former");
        assert!(secrets.previous_at(until).is_none());
        assert!(Secrets::one(secret("newest")).previous_at(NOW).is_none());
        let shown = format!("{secrets:?}");
        assert!(!shown.contains("former") && !shown.contains("newest"), "{shown}");
    }
}
