//! The days around the due day of a cycle on which its payer is reminded.

use std::fmt;

/// Most days of a subscription's reminders.
pub const REMINDERS_MAX: usize = 8;

/// Furthest from the due day that a reminder is, before it and after it.
pub const REMINDER_DAY_MAX: i8 = 30;

/// Days that cannot be those of reminders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidReminders {
    /// More than anybody wants to be reminded.
    #[error("must have at most 8 days")]
    TooMany,
    /// Too far from the due day, or no whole number.
    #[error("must be whole numbers from -30 to 30")]
    OutOfRange,
    /// One day twice.
    #[error("must not name a day twice")]
    Repeated,
}

/// Days on which payers are reminded, counted from the due day: those before it are negative. They are distinct, the
/// earliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reminders {
    days: [i8; REMINDERS_MAX],
    count: usize,
}

/// Three days before the due day, on it, and one, three and seven days after it.
impl Default for Reminders {
    fn default() -> Self {
        Self { days: [-3, 0, 1, 3, 7, 0, 0, 0], count: 5 }
    }
}

impl Reminders {
    /// No reminder at all.
    pub const NONE: Self = Self { days: [0; REMINDERS_MAX], count: 0 };

    /// Takes days in any order.
    ///
    /// # Errors
    /// [`InvalidReminders`] says what is wrong with them.
    pub fn new(days: &[i64]) -> Result<Self, InvalidReminders> {
        if days.len() > REMINDERS_MAX {
            return Err(InvalidReminders::TooMany);
        }
        let is_near = |day: &i8| (-REMINDER_DAY_MAX..=REMINDER_DAY_MAX).contains(day);
        let near = |day: &i64| i8::try_from(*day).ok().filter(is_near);
        let sorted: Option<Vec<i8>> = days.iter().map(near).collect();
        let mut sorted = sorted.ok_or(InvalidReminders::OutOfRange)?;
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(InvalidReminders::Repeated);
        }
        let mut kept = Self::NONE.days;
        for (place, day) in kept.iter_mut().zip(&sorted) {
            *place = *day;
        }
        Ok(Self { days: kept, count: sorted.len() })
    }

    /// Reads the days as a store keeps them, which is how they are displayed. `None` where they cannot be so.
    #[must_use]
    pub fn from_stored(text: &str) -> Option<Self> {
        let days: Option<Vec<i64>> = text.split_whitespace().map(|day| day.parse().ok()).collect();
        Self::new(&days?).ok()
    }

    /// Returns the days, the earliest first.
    #[must_use]
    pub fn as_slice(&self) -> &[i8] {
        self.days.get(..self.count).unwrap_or_default()
    }
}

impl fmt::Display for Reminders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<String> = self.as_slice().iter().map(ToString::to_string).collect();
        f.write_str(&days.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_few_distinct_and_sorted_and_read_back_from_their_text() {
        let days = Reminders::new(&[7, -3, 0]).unwrap();
        assert_eq!(days.as_slice(), [-3, 0, 7]);
        assert_eq!(days.to_string(), "-3 0 7");
        assert_eq!(Reminders::default().to_string(), "-3 0 1 3 7");
        assert_eq!(Reminders::new(&[7, 3, 1, 0, -3]), Ok(Reminders::default()));
        for days in [Reminders::NONE, Reminders::default(), days] {
            assert_eq!(Reminders::from_stored(&days.to_string()), Some(days));
        }
        assert_eq!(Reminders::new(&[]), Ok(Reminders::NONE));
        let eight: Vec<i64> = (-30..-22).collect();
        assert_eq!(Reminders::new(&eight).unwrap().as_slice().len(), REMINDERS_MAX);
    }

    #[test]
    fn other_days_are_refused() {
        let nine: Vec<i64> = (0..9).collect();
        assert_eq!(Reminders::new(&nine), Err(InvalidReminders::TooMany));
        for far in [-31, 31, 128, i64::MAX, i64::MIN] {
            assert_eq!(Reminders::new(&[0, far]), Err(InvalidReminders::OutOfRange), "{far}");
        }
        assert_eq!(Reminders::new(&[1, 0, 1]), Err(InvalidReminders::Repeated));
        for text in ["x", "1 1", "31", "1,2", "1.5"] {
            assert_eq!(Reminders::from_stored(text), None, "{text}");
        }
    }
}
