//! The seal of a movement.
//!
//! That one payment at the bank is one movement rests on its reference and its ending being found again, and nothing
//! else in a store says what they were.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal.
const VERSION: &[u8] = b"movement 1";

/// A movement as a store keeps it, column by column.
#[derive(Clone, Copy, Debug)]
pub struct SealedMovement<'a> {
    /// Whose it is.
    pub owner: &'a [u8],
    /// Its id.
    pub id: &'a [u8],
    /// The account that it belongs to.
    pub identity: &'a [u8],
    /// The significant digits of the bank's reference.
    pub reference: &'a str,
    /// How many zeros the bank shows before them.
    pub reference_zeros: i64,
    /// The ending that it is found by.
    pub tail: &'a str,
    /// The bank's own stable id.
    pub bank_key: Option<&'a str>,
    /// In hundredths.
    pub amount: i64,
    /// The bank's day.
    pub paid_on: i64,
    /// The bank's instant.
    pub paid_at: Option<i64>,
    /// The payer's bank, phone, document and account.
    pub payer: [Option<&'a str>; 4],
    /// How the bank says that, as a number.
    pub payer_form: i64,
    /// The bank's own words.
    pub description: &'a str,
    /// The receipt's reference and its ending, and the typed one's, where the bank lists it under another.
    pub other_references: [Option<&'a str>; 4],
    /// Says whether a question named it or a notice of the bank brought it.
    pub is_named: bool,
    /// The movement that it may be, of which the bank said something else.
    pub contested_with: Option<&'a [u8]>,
}

impl SealedMovement<'_> {
    /// The seal.
    #[must_use]
    pub fn seal(&self) -> Seal {
        let mut fields = Fields::of(VERSION);
        for id in [self.owner, self.id, self.identity] {
            fields.add(Some(id));
        }
        fields.add(Some(self.reference.as_bytes()));
        fields.number(Some(self.reference_zeros));
        fields.add(Some(self.tail.as_bytes()));
        fields.add(self.bank_key.map(str::as_bytes));
        for number in [Some(self.amount), Some(self.paid_on), self.paid_at] {
            fields.number(number);
        }
        for fact in self.payer {
            fields.add(fact.map(str::as_bytes));
        }
        fields.number(Some(self.payer_form));
        fields.add(Some(self.description.as_bytes()));
        for reference in self.other_references {
            fields.add(reference.map(str::as_bytes));
        }
        if !self.is_named {
            fields.add(Some(b"unnamed"));
        }
        if self.contested_with.is_some() {
            fields.add(Some(b"contested"));
            fields.add(self.contested_with);
        }
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedMovement<'_> = SealedMovement {
        owner: &[1; 16],
        id: &[2; 16],
        identity: &[3; 16],
        reference: "1234567890",
        reference_zeros: 2,
        tail: "098765",
        bank_key: None,
        amount: 15_000,
        paid_on: 20_000,
        paid_at: None,
        payer: [None, Some("584141234567"), None, None],
        payer_form: 0,
        description: "",
        other_references: [None; 4],
        is_named: true,
        contested_with: None,
    };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            SealedMovement { owner: &[9; 16], ..PLAIN },
            SealedMovement { id: &[9; 16], ..PLAIN },
            SealedMovement { identity: &[9; 16], ..PLAIN },
            SealedMovement { reference: "1234567891", ..PLAIN },
            SealedMovement { reference_zeros: 3, ..PLAIN },
            SealedMovement { tail: "198765", ..PLAIN },
            SealedMovement { bank_key: Some(""), ..PLAIN },
            SealedMovement { amount: 15_001, ..PLAIN },
            SealedMovement { paid_on: 20_001, ..PLAIN },
            SealedMovement { paid_at: Some(0), ..PLAIN },
            SealedMovement { payer: [Some("584141234567"), None, None, None], ..PLAIN },
            SealedMovement { payer: [None, None, Some("584141234567"), None], ..PLAIN },
            SealedMovement { payer: [None, None, None, Some("584141234567")], ..PLAIN },
            SealedMovement { payer_form: 1, ..PLAIN },
            SealedMovement { description: "x", ..PLAIN },
            SealedMovement { other_references: [Some("7"), None, None, None], ..PLAIN },
            SealedMovement { other_references: [None, Some("7"), None, None], ..PLAIN },
            SealedMovement { other_references: [None, None, Some("7"), None], ..PLAIN },
            SealedMovement { other_references: [None, None, None, Some("7")], ..PLAIN },
            SealedMovement { is_named: false, ..PLAIN },
            SealedMovement { contested_with: Some(&[7; 16]), ..PLAIN },
            SealedMovement { contested_with: Some(&[8; 16]), ..PLAIN },
            SealedMovement { contested_with: Some(&[8; 16]), is_named: false, ..PLAIN },
        ];
        let seals: std::collections::HashSet<_> =
            altered.iter().map(SealedMovement::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every movement that was written before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "14c3eef7bd644b9a996cf12a9d8f9f9b");
    }
}
