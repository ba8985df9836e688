//! The seal of a receipt.
//!
//! The number, who the merchant was then, the payment as the bank showed it then, who had the receipt made, and that it is
//! void stand in the receipt alone.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal.
const VERSION: &[u8] = b"receipt 1";

/// A receipt as a store keeps it, column by column.
#[derive(Clone, Copy, Debug)]
pub struct SealedReceipt<'a> {
    /// The owner, the receipt, and the payment that it is of.
    pub ids: [&'a [u8]; 3],
    /// The number that people know it by.
    pub number: i64,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// The merchant's name.
    pub merchant: &'a str,
    /// The merchant's tax number.
    pub document: Option<&'a str>,
    /// The bank's reference.
    pub reference: &'a str,
    /// When it was paid, and when the receipt was made.
    pub instants: [i64; 2],
    /// The person who had it made after the payment.
    pub issued_by: Option<&'a [u8]>,
    /// The payer's bank, phone and document.
    pub payer: [Option<&'a str>; 3],
    /// When it became void, and why.
    pub voided: (Option<i64>, Option<&'a str>),
}

impl SealedReceipt<'_> {
    /// The seal.
    #[must_use]
    pub fn seal(&self) -> Seal {
        let mut fields = Fields::of(VERSION);
        for id in self.ids {
            fields.add(Some(id));
        }
        let [paid_at, issued_at] = self.instants;
        for number in [self.number, self.livemode.into(), paid_at, issued_at] {
            fields.number(Some(number));
        }
        fields.add(Some(self.merchant.as_bytes()));
        fields.add(self.document.map(str::as_bytes));
        fields.add(Some(self.reference.as_bytes()));
        fields.add(self.issued_by);
        for fact in self.payer {
            fields.add(fact.map(str::as_bytes));
        }
        let (at, reason) = self.voided;
        fields.number(at);
        fields.add(reason.map(str::as_bytes));
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedReceipt<'_> = SealedReceipt {
        ids: [&[1; 16], &[2; 16], &[3; 16]],
        number: 7,
        livemode: true,
        merchant: "Comercio",
        document: None,
        reference: "67890",
        instants: [1, 2],
        issued_by: None,
        payer: [Some("0134"), None, None],
        voided: (None, None),
    };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            SealedReceipt { ids: [&[9; 16], &[2; 16], &[3; 16]], ..PLAIN },
            SealedReceipt { ids: [&[1; 16], &[9; 16], &[3; 16]], ..PLAIN },
            SealedReceipt { ids: [&[1; 16], &[2; 16], &[9; 16]], ..PLAIN },
            SealedReceipt { number: 8, ..PLAIN },
            SealedReceipt { livemode: false, ..PLAIN },
            SealedReceipt { merchant: "Otro", ..PLAIN },
            SealedReceipt { document: Some("J123456789"), ..PLAIN },
            SealedReceipt { reference: "67891", ..PLAIN },
            SealedReceipt { instants: [2, 2], ..PLAIN },
            SealedReceipt { instants: [1, 3], ..PLAIN },
            SealedReceipt { issued_by: Some(&[9; 16]), ..PLAIN },
            SealedReceipt { payer: [Some("0102"), None, None], ..PLAIN },
            SealedReceipt { payer: [None, Some("0134"), None], ..PLAIN },
            SealedReceipt { payer: [None, None, Some("0134")], ..PLAIN },
            SealedReceipt { voided: (Some(5), None), ..PLAIN },
            SealedReceipt { voided: (Some(5), Some("duplicado")), ..PLAIN },
        ];
        let seals: std::collections::HashSet<_> = altered.iter().map(SealedReceipt::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }
}
