//! The seal of a bank notification.
//!
//! As long as no movement of the statement is known to be the one that it reports, nothing else in a store says what the
//! bank reported; and who paid what is decided by it.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal.
const VERSION: &[u8] = b"bank notification 1";

/// A notification as a store keeps it, column by column; but for its movement, which may become known later.
#[derive(Clone, Copy, Debug)]
pub struct SealedNotification<'a> {
    /// The owner, the notification, the real account, and the account as it is linked.
    pub ids: [&'a [u8]; 4],
    /// The bank's word for the payment's state.
    pub status: &'a str,
    /// The significant digits of the reference.
    pub reference: &'a str,
    /// In hundredths.
    pub amount: i64,
    /// The bank's day.
    pub paid_on: i64,
    /// The bank's instant.
    pub paid_at: Option<i64>,
    /// The payer's bank, phone and document.
    pub payer: [Option<&'a str>; 3],
    /// Whether the bank has reported it again with another payer.
    pub is_contested: bool,
    /// The ending that it is found by, where the statement has another reference.
    pub receipt_tail: Option<&'a str>,
    /// The text for people, and the notification as it came.
    pub texts: [&'a str; 2],
    /// When it came.
    pub created_at: i64,
}

impl SealedNotification<'_> {
    /// The seal.
    #[must_use]
    pub fn seal(&self) -> Seal {
        let mut fields = Fields::of(VERSION);
        for id in self.ids {
            fields.add(Some(id));
        }
        for text in [self.status, self.reference] {
            fields.add(Some(text.as_bytes()));
        }
        for number in [Some(self.amount), Some(self.paid_on), self.paid_at] {
            fields.number(number);
        }
        for fact in self.payer {
            fields.add(fact.map(str::as_bytes));
        }
        fields.number(Some(self.is_contested.into()));
        fields.add(self.receipt_tail.map(str::as_bytes));
        for text in self.texts {
            fields.add(Some(text.as_bytes()));
        }
        fields.number(Some(self.created_at));
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedNotification<'_> = SealedNotification {
        ids: [&[1; 16], &[2; 16], &[3; 16], &[4; 16]],
        status: "CONFIRMED",
        reference: "1234567890",
        amount: 15_000,
        paid_on: 20_000,
        paid_at: None,
        payer: [None, Some("584141234567"), None],
        is_contested: false,
        receipt_tail: None,
        texts: ["", "{}"],
        created_at: 0,
    };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            SealedNotification { ids: [&[9; 16], &[2; 16], &[3; 16], &[4; 16]], ..PLAIN },
            SealedNotification { ids: [&[1; 16], &[9; 16], &[3; 16], &[4; 16]], ..PLAIN },
            SealedNotification { ids: [&[1; 16], &[2; 16], &[9; 16], &[4; 16]], ..PLAIN },
            SealedNotification { ids: [&[1; 16], &[2; 16], &[3; 16], &[9; 16]], ..PLAIN },
            SealedNotification { status: "", ..PLAIN },
            SealedNotification { reference: "1234567891", ..PLAIN },
            SealedNotification { amount: 15_001, ..PLAIN },
            SealedNotification { paid_on: 20_001, ..PLAIN },
            SealedNotification { paid_at: Some(0), ..PLAIN },
            SealedNotification { payer: [Some("584141234567"), None, None], ..PLAIN },
            SealedNotification { payer: [None, None, Some("584141234567")], ..PLAIN },
            SealedNotification { is_contested: true, ..PLAIN },
            SealedNotification { receipt_tail: Some("098765"), ..PLAIN },
            SealedNotification { texts: ["x", "{}"], ..PLAIN },
            SealedNotification { texts: ["", "{ }"], ..PLAIN },
            SealedNotification { created_at: 1, ..PLAIN },
        ];
        let seals: std::collections::HashSet<_> =
            altered.iter().map(SealedNotification::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every notification that was written before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "d245eb9702380e89c1c1c98bf8781a68");
    }
}
