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

    /// Returns the address of the page at a service that is reached there.
    #[must_use]
    pub fn url(self, base_url: &str) -> String {
        format!("{base_url}{}", self.path())
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
    use crate::public_address::tests::check_spelling;

    const ADDRESS: ReceiptAddress = ReceiptAddress {
        owner: OwnerId::from_bytes([1; 16]),
        id: ReceiptId::from_bytes([255; 16]),
    };

    #[test]
    fn an_address_has_one_spelling() {
        check_spelling(ADDRESS);
    }
}
