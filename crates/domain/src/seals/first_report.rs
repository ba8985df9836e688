//! The seal of who gets the report that a payment is new.
//!
//! By it the same call gets that report once. A row that lost it would have the payment called new again, and
//! somebody deliver twice.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal: the name that a first report once
/// had.
const VERSION: &[u8] = b"news 1";

/// Record of who gets the first report of what a verification found, as a store keeps it.
#[derive(Clone, Copy, Debug)]
pub struct SealedFirstReport<'a> {
    /// The owner.
    pub owner: &'a [u8],
    /// The verification that was confirmed.
    pub verification: &'a [u8],
    /// The first report of its payment, which a call got or is getting.
    pub reported_by: Option<&'a [u8]>,
}

impl SealedFirstReport<'_> {
    /// The seal.
    #[must_use]
    pub fn seal(&self) -> Seal {
        let mut fields = Fields::of(VERSION);
        for fact in [Some(self.owner), Some(self.verification), self.reported_by] {
            fields.add(fact);
        }
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedFirstReport<'_> =
        SealedFirstReport { owner: &[1; 16], verification: &[2; 16], reported_by: None };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            SealedFirstReport { owner: &[9; 16], ..PLAIN },
            SealedFirstReport { verification: &[9; 16], ..PLAIN },
            SealedFirstReport { reported_by: Some(&[3; 16]), ..PLAIN },
            SealedFirstReport { reported_by: Some(&[9; 16]), ..PLAIN },
        ];
        let seals: std::collections::HashSet<_> =
            altered.iter().map(SealedFirstReport::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every verification that was confirmed before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "fea83b71aff6223f4626f668586795d5");
    }
}
