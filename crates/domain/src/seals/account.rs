//! The seal of a linked bank account.
//!
//! Whose it is, whether it may be used, and whether payments to it may be confirmed by payer, amount and day, its owner
//! chooses; nothing else in a store says what was chosen last.

use super::{Seal, seal};
use crate::fingerprint::Fields;

/// Prefix of the sealed bytes, so that another encoding never makes an equal seal.
const VERSION: &[u8] = b"account 1";

/// A linked account as a store keeps it, column by column; but for when it last changed.
#[derive(Clone, Copy, Debug)]
pub struct SealedAccount<'a> {
    /// The owner, the account as it is linked, and the real account.
    pub ids: [&'a [u8]; 3],
    /// Which connector serves it, and the owner's label.
    pub texts: [&'a str; 2],
    /// The client that it belongs to.
    pub client: Option<&'a [u8]>,
    /// Since when it is that client's.
    pub client_since: Option<i64>,
    /// Whether it is in the trash, is switched off, may have payments confirmed by their payers, and by four digits with
    /// an amount.
    pub flags: [bool; 4],
    /// When it was linked.
    pub created_at: i64,
}

impl SealedAccount<'_> {
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
        fields.add(self.client);
        fields.number(self.client_since);
        for flag in self.flags {
            fields.number(Some(flag.into()));
        }
        fields.number(Some(self.created_at));
        seal(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: SealedAccount<'_> = SealedAccount {
        ids: [&[1; 16], &[2; 16], &[3; 16]],
        texts: ["BANK_TEST", ""],
        client: None,
        client_since: None,
        flags: [false; 4],
        created_at: 0,
    };

    #[test]
    fn every_fact_makes_a_difference() {
        let altered = [
            PLAIN,
            SealedAccount { ids: [&[9; 16], &[2; 16], &[3; 16]], ..PLAIN },
            SealedAccount { ids: [&[1; 16], &[9; 16], &[3; 16]], ..PLAIN },
            SealedAccount { ids: [&[1; 16], &[2; 16], &[9; 16]], ..PLAIN },
            SealedAccount { texts: ["BANK", ""], ..PLAIN },
            SealedAccount { texts: ["BANK_TEST", "x"], ..PLAIN },
            SealedAccount { client: Some(&[9; 16]), ..PLAIN },
            SealedAccount { client_since: Some(0), ..PLAIN },
            SealedAccount { flags: [true, false, false, false], ..PLAIN },
            SealedAccount { flags: [false, true, false, false], ..PLAIN },
            SealedAccount { flags: [false, false, true, false], ..PLAIN },
            SealedAccount { flags: [false, false, false, true], ..PLAIN },
            SealedAccount { created_at: 1, ..PLAIN },
        ];
        let seals: std::collections::HashSet<_> = altered.iter().map(SealedAccount::seal).collect();
        assert_eq!(seals.len(), altered.len());
    }

    #[test]
    fn the_seal_of_the_same_facts_is_always_the_same() {
        // A change of the encoding would name every account that was linked before.
        let seal = data_encoding::HEXLOWER.encode(&PLAIN.seal());
        assert_eq!(seal, "80dae1a6ff61102ac3baf98470268d31");
    }
}
