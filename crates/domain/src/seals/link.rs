//! The seal of a payment link.
//!
//! What a payer is asked to pay, to whom, and who is charged for it stands in the link alone until it is paid; and so
//! does the outcome of one that failed or was called off.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal.
const VERSION: &[u8] = b"payment link 1";

/// Facts that a payment link was made with, and how it ended without a payment, as a store keeps them, column by
/// column. That it was paid stands in its verification and its payment too.
#[derive(Clone, Copy, Debug)]
pub struct SealedLink<'a> {
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
    /// Why it failed, and when.
    pub failed: (Option<&'a str>, Option<i64>),
    /// When it was called off; it may have been paid since.
    pub canceled_at: Option<i64>,
    /// The subscription and the number of its cycle that it is for.
    pub cycle: Option<(&'a [u8], i64)>,
}

impl SealedLink<'_> {
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
        let (detail, failed_at) = self.failed;
        fields.add(detail.map(str::as_bytes));
        for at in [failed_at, self.canceled_at] {
            fields.number(at);
        }
        if let Some((subscription, number)) = self.cycle {
            fields.add(Some(subscription));
            fields.number(Some(number));
        }
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedLink<'_> = SealedLink {
        ids: [&[1; 16], &[2; 16], &[3; 16], &[4; 16]],
        client: None,
        texts: ["A-7", "", "VEF", "{}", "api"],
        urls: [None, Some("https://shop.example/")],
        amount: 15_000,
        livemode: true,
        expiry: [None, None],
        rate_minutes: 60,
        created_at: 0,
        failed: (None, None),
        canceled_at: None,
        cycle: None,
    };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            SealedLink { ids: [&[9; 16], &[2; 16], &[3; 16], &[4; 16]], ..PLAIN },
            SealedLink { ids: [&[1; 16], &[9; 16], &[3; 16], &[4; 16]], ..PLAIN },
            SealedLink { ids: [&[1; 16], &[2; 16], &[9; 16], &[4; 16]], ..PLAIN },
            SealedLink { ids: [&[1; 16], &[2; 16], &[3; 16], &[9; 16]], ..PLAIN },
            SealedLink { client: Some(&[9; 16]), ..PLAIN },
            SealedLink { texts: ["A-8", "", "VEF", "{}", "api"], ..PLAIN },
            SealedLink { texts: ["A-7", "x", "VEF", "{}", "api"], ..PLAIN },
            SealedLink { texts: ["A-7", "", "USD", "{}", "api"], ..PLAIN },
            SealedLink { texts: ["A-7", "", "VEF", "{ }", "api"], ..PLAIN },
            SealedLink { texts: ["A-7", "", "VEF", "{}", "dashboard"], ..PLAIN },
            SealedLink { urls: [Some("https://shop.example/"), None], ..PLAIN },
            SealedLink { urls: [None, None], ..PLAIN },
            SealedLink { amount: 15_001, ..PLAIN },
            SealedLink { livemode: false, ..PLAIN },
            SealedLink { expiry: [Some(60), None], ..PLAIN },
            SealedLink { expiry: [None, Some(60)], ..PLAIN },
            SealedLink { rate_minutes: 61, ..PLAIN },
            SealedLink { created_at: 1, ..PLAIN },
            SealedLink { failed: (Some(""), None), ..PLAIN },
            SealedLink { failed: (None, Some(0)), ..PLAIN },
            SealedLink { canceled_at: Some(0), ..PLAIN },
            SealedLink { cycle: Some((&[5; 16], 0)), ..PLAIN },
            SealedLink { cycle: Some((&[5; 16], 1)), ..PLAIN },
            SealedLink { cycle: Some((&[6; 16], 0)), ..PLAIN },
        ];
        let seals: std::collections::HashSet<_> = altered.iter().map(SealedLink::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every link that was written before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "dd6fd872a0d49d778ac2ec6c9e75ad2f");
    }
}
