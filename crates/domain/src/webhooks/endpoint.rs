//! Where an owner is notified of its own affairs, and how low its balance falls before it does.

use crate::money::Credits;
use crate::time::Timestamp;
use crate::url::UrlText;

/// The most levels that an owner can set.
pub const LEVELS_MAX: usize = 10;

/// Endpoint at which an owner's systems are notified of its credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Where it goes.
    pub url: UrlText,
    /// At which levels of the balance.
    pub levels: LowBalanceLevels,
    /// Since when there is one.
    pub created_at: Timestamp,
    /// When it was last set.
    pub updated_at: Timestamp,
}

/// Levels that cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLevels {
    /// More than anybody needs.
    #[error("must have at most 10 levels")]
    TooMany,
    /// A balance never falls below zero, and is never above the greatest.
    #[error("must be whole numbers from 0 to 1000000000000")]
    OutOfRange,
    /// One level twice.
    #[error("must not name a level twice")]
    Repeated,
}

/// At how many credits left an owner wants to be notified: the highest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowBalanceLevels(Vec<Credits>);

/// The levels of an owner that chooses none: while there is time, when there is hardly any, and
/// when nothing is left.
impl Default for LowBalanceLevels {
    fn default() -> Self {
        Self([100, 10, 0].map(Credits::new).into())
    }
}

impl LowBalanceLevels {
    /// Levels in any order; none at all means never to be notified.
    ///
    /// # Errors
    /// [`InvalidLevels`] says what is wrong with them.
    pub fn parse(mut levels: Vec<Credits>) -> Result<Self, InvalidLevels> {
        if levels.len() > LEVELS_MAX {
            return Err(InvalidLevels::TooMany);
        }
        if levels.iter().any(|level| !(Credits::ZERO..=Credits::MAX).contains(level)) {
            return Err(InvalidLevels::OutOfRange);
        }
        levels.sort_unstable_by(|one, other| other.cmp(one));
        if levels.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(InvalidLevels::Repeated);
        }
        Ok(Self(levels))
    }

    /// The levels, the highest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Credits] {
        &self.0
    }

    /// The next that a balance of so much can fall to: the highest that lies below it.
    #[must_use]
    pub fn below(&self, balance: Credits) -> Option<Credits> {
        self.0.iter().copied().find(|level| *level < balance)
    }

    /// The lowest that a balance of so much has reached.
    #[must_use]
    pub fn reached(&self, balance: Credits) -> Option<Credits> {
        self.0.iter().copied().rfind(|level| *level >= balance)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn levels(levels: &[i64]) -> Result<LowBalanceLevels, InvalidLevels> {
        LowBalanceLevels::parse(levels.iter().copied().map(Credits::new).collect())
    }

    #[test]
    fn levels_are_few_distinct_and_sorted() {
        let sorted = levels(&[0, 1_000, 10]).unwrap();
        assert_eq!(sorted.as_slice(), [1_000, 10, 0].map(Credits::new));
        assert_eq!(levels(&[]).unwrap().as_slice(), []);
        assert_eq!(levels(&[7, 3, 7]), Err(InvalidLevels::Repeated));
        assert_eq!(levels(&[-1]), Err(InvalidLevels::OutOfRange));
        assert_eq!(levels(&[Credits::MAX.get() + 1]), Err(InvalidLevels::OutOfRange));
        let ten: Vec<i64> = (0..10).collect();
        assert!(levels(&ten).is_ok());
        assert_eq!(levels(&(0..11).collect::<Vec<_>>()), Err(InvalidLevels::TooMany));
    }

    #[test]
    fn a_level_is_reached_where_the_balance_is_no_more_than_it() {
        let levels = LowBalanceLevels::default();
        for (balance, reached, below) in [
            (101, None, Some(100)),
            (100, Some(100), Some(10)),
            (11, Some(100), Some(10)),
            (10, Some(10), Some(0)),
            (1, Some(10), Some(0)),
            (0, Some(0), None),
        ] {
            let balance = Credits::new(balance);
            assert_eq!(levels.reached(balance), reached.map(Credits::new), "{balance:?}");
            assert_eq!(levels.below(balance), below.map(Credits::new), "{balance:?}");
        }
    }

    proptest! {
        /// Every level is either reached or lies below.
        #[test]
        fn what_is_reached_lies_just_above_what_lies_below(
            chosen in proptest::collection::btree_set(0..50_i64, 0..10),
            balance in 0..60_i64,
        ) {
            let levels = levels(&chosen.iter().copied().collect::<Vec<_>>()).unwrap();
            let balance = Credits::new(balance);
            let (reached, below) = (levels.reached(balance), levels.below(balance));
            prop_assert!(below.is_none_or(|below| below < balance));
            prop_assert!(reached.is_none_or(|reached| reached >= balance));
            let between = |level: &&Credits| {
                below.is_none_or(|below| **level > below)
                    && reached.is_none_or(|reached| **level < reached)
            };
            prop_assert_eq!(levels.as_slice().iter().filter(between).count(), 0);
        }
    }
}
