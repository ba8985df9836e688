//! The seal of a rate lock.
//!
//! How many bolívares a payer was asked to pay for a link in another currency, and until when, is in the lock alone.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal.
const VERSION: &[u8] = b"rate lock 1";

/// A rate lock as a store keeps it, column by column.
#[derive(Clone, Copy, Debug)]
pub struct SealedRateLock<'a> {
    /// The owner, the link and the lock.
    pub ids: [&'a [u8]; 3],
    /// The currency, and who published the rate.
    pub texts: [&'a str; 2],
    /// The price, the rate, the day that it is of, what is owed, from when and until when.
    pub numbers: [i64; 6],
}

impl SealedRateLock<'_> {
    /// The seal.
    #[must_use]
    pub fn seal(&self) -> Seal {
        let mut fields = Fields::of(VERSION);
        for id in self.ids {
            fields.add(Some(id));
        }
        for text in self.texts {
            fields.add(Some(text.as_bytes()));
        }
        for number in self.numbers {
            fields.number(Some(number));
        }
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedRateLock<'_> = SealedRateLock {
        ids: [&[1; 16], &[2; 16], &[3; 16]],
        texts: ["USD", "BCV"],
        numbers: [1_000, 87_239_270_000, 20_416, 872_393, 0, 60],
    };

    #[test]
    fn every_fact_makes_a_difference() {
        let mut seals = std::collections::HashSet::from([PLAIN.seal()]);
        for place in 0..3 {
            let mut altered = PLAIN;
            altered.ids[place] = &[9; 16];
            assert!(seals.insert(altered.seal()));
        }
        for place in 0..2 {
            let mut altered = PLAIN;
            altered.texts[place] = "";
            assert!(seals.insert(altered.seal()));
        }
        for place in 0..6 {
            let mut altered = PLAIN;
            altered.numbers[place] += 1;
            assert!(seals.insert(altered.seal()));
        }
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every lock that was written before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "ed2ed8d980416ffaa15be57b63747598");
    }
}
