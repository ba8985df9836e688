//! Receipts: what a payer keeps of a payment that a merchant has verified.

use std::fmt;
use std::str::FromStr;

use crate::ids::{OwnerId, ReceiptId};
use crate::public_address::{self, InvalidAddress};
use crate::text::Text;

/// Reason for which a receipt is void, as payers read it.
pub type VoidReason = Text<1, 200>;

/// Last part of the address of a receipt's page: its owner and its id, so that nothing else has to lead to its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptAddress {
    /// The owner.
    pub owner: OwnerId,
    /// The receipt.
    pub id: ReceiptId,
}

impl ReceiptAddress {
    /// Beginning of the path of every such page.
    pub const PREFIX: &'static str = "/recibo/";

    /// Returns the path of the page.
    #[must_use]
    pub fn path(self) -> String {
        format!("{}{self}", Self::PREFIX)
    }
}

impl fmt::Display for ReceiptAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        public_address::write(f, &self.owner, &self.id)
    }
}

impl FromStr for ReceiptAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let (owner, id) = public_address::parse(text, (OwnerId::PREFIX, ReceiptId::PREFIX))?;
        Ok(Self { owner, id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: ReceiptAddress = ReceiptAddress {
        owner: OwnerId::from_bytes([1; 16]),
        id: ReceiptId::from_bytes([255; 16]),
    };

    #[test]
    fn an_address_reads_back_from_its_own_text() {
        let text = ADDRESS.to_string();
        assert_eq!(text.len(), 52);
        assert_eq!(text.parse(), Ok(ADDRESS));
    }

    #[test]
    fn other_text_is_no_address() {
        let text = ADDRESS.to_string();
        let others = [
            "",
            "ñ",
            text.get(1..).unwrap(),
            &format!("{text}0"),
            &text.to_uppercase(),
            &"ñ".repeat(26),
        ];
        for other in others {
            assert!(other.parse::<ReceiptAddress>().is_err(), "{other}");
        }
    }
}
