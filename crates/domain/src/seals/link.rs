//! The seal of a payment link.
//!
//! What a payer is asked to pay, to whom, and who is charged for it stands in the link alone until it is paid.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// What a seal begins with, so that another encoding never makes an equal one.
const VERSION: &[u8] = b"payment link 1";

/// What a payment link was made with, as a store keeps it, column by column. What comes of it later stands in its
/// verifications, payments and deliveries too.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// The owner, the link, the account, and who made it.
    pub ids: [&'a [u8]; 4],
    /// The client of the key that made it.
    pub client: Option<&'a [u8]>,
    /// Its name, its description, the currency, the metadata and its origin.
    pub texts: [&'a str; 5],
    /// Where its end is reported, and where the payer goes on.
    pub urls: [Option<&'a str>; 2],
    /// In hundredths.
    pub amount: i64,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// For how many minutes it was made, and when they are over.
    pub expiry: [Option<i64>; 2],
    /// For how many minutes a rate is to hold.
    pub rate_minutes: i64,
    /// When it was made.
    pub created_at: i64,
}

impl Kept<'_> {
    /// The seal.
    #[must_use]
    pub fn seal(&self) -> Seal {
        let mut fields = Fields::of(VERSION);
        for id in self.ids {
            fields.add(Some(id));
        }
        fields.add(self.client);
        for text in self.texts {
            fields.add(Some(text.as_bytes()));
        }
        for url in self.urls {
            fields.add(url.map(str::as_bytes));
        }
        fields.number(Some(self.amount));
        fields.number(Some(self.livemode.into()));
        for number in self.expiry {
            fields.number(number);
        }
        for number in [self.rate_minutes, self.created_at] {
            fields.number(Some(number));
        }
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Kept<'_> = Kept {
        ids: [&[1; 16], &[2; 16], &[3; 16], &[4; 16]],
        client: None,
        texts: ["A-7", "", "VEF", "{}", "api"],
        urls: [None, Some("https://shop.example/")],
        amount: 15_000,
        livemode: true,
        expiry: [None, None],
        rate_minutes: 60,
        created_at: 0,
    };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            Kept { ids: [&[9; 16], &[2; 16], &[3; 16], &[4; 16]], ..PLAIN },
            Kept { ids: [&[1; 16], &[9; 16], &[3; 16], &[4; 16]], ..PLAIN },
            Kept { ids: [&[1; 16], &[2; 16], &[9; 16], &[4; 16]], ..PLAIN },
            Kept { ids: [&[1; 16], &[2; 16], &[3; 16], &[9; 16]], ..PLAIN },
            Kept { client: Some(&[9; 16]), ..PLAIN },
            Kept { texts: ["A-8", "", "VEF", "{}", "api"], ..PLAIN },
            Kept { texts: ["A-7", "x", "VEF", "{}", "api"], ..PLAIN },
            Kept { texts: ["A-7", "", "USD", "{}", "api"], ..PLAIN },
            Kept { texts: ["A-7", "", "VEF", "{ }", "api"], ..PLAIN },
            Kept { texts: ["A-7", "", "VEF", "{}", "dashboard"], ..PLAIN },
            Kept { urls: [Some("https://shop.example/"), None], ..PLAIN },
            Kept { urls: [None, None], ..PLAIN },
            Kept { amount: 15_001, ..PLAIN },
            Kept { livemode: false, ..PLAIN },
            Kept { expiry: [Some(60), None], ..PLAIN },
            Kept { expiry: [None, Some(60)], ..PLAIN },
            Kept { rate_minutes: 61, ..PLAIN },
            Kept { created_at: 1, ..PLAIN },
        ];
        let seals: std::collections::HashSet<_> = altered.iter().map(Kept::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every link that was written before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "6ceee5b592dd1e90a4bc936b43980a5c");
    }
}
