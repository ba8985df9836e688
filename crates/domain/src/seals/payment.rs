//! The seal of a payment.
//!
//! Which movement a payment claims stands in the payment alone, and that movement is never accepted again. Everything
//! else in it is what its verification says.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal.
const VERSION: &[u8] = b"payment 1";

/// A payment as a store keeps it, but for what stands in its verification too.
#[derive(Clone, Copy, Debug)]
pub struct SealedPayment<'a> {
    /// The owner, the payment, the movement that it claims, and the verification that claimed it.
    pub ids: [&'a [u8]; 4],
}

impl SealedPayment<'_> {
    /// The seal.
    #[must_use]
    pub fn seal(&self) -> Seal {
        let mut fields = Fields::of(VERSION);
        for id in self.ids {
            fields.add(Some(id));
        }
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedPayment<'_> =
        SealedPayment { ids: [&[1; 16], &[2; 16], &[3; 16], &[4; 16]] };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            SealedPayment { ids: [&[9; 16], &[2; 16], &[3; 16], &[4; 16]] },
            SealedPayment { ids: [&[1; 16], &[9; 16], &[3; 16], &[4; 16]] },
            SealedPayment { ids: [&[1; 16], &[2; 16], &[9; 16], &[4; 16]] },
            SealedPayment { ids: [&[1; 16], &[2; 16], &[3; 16], &[9; 16]] },
        ];
        let seals: std::collections::HashSet<_> = altered.iter().map(SealedPayment::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every payment that was written before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "b85e2b515470263e58b25e7c32ccd9d4");
    }
}
