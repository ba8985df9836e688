//! The address by which a payer wants no more mail about a subscription.

use std::fmt;
use std::str::FromStr;

use crate::ids::{OwnerId, SubscriptionId};
use crate::public_address::{self, InvalidAddress};

/// Last part of the address of the page on which a payer stops reminders by mail: the owner and the subscription, so
/// that nothing else has to lead to the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopAddress {
    /// The owner.
    pub owner: OwnerId,
    /// The subscription.
    pub subscription: SubscriptionId,
}

impl fmt::Display for StopAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        public_address::write(f, &self.owner, &self.subscription)
    }
}

impl FromStr for StopAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let prefixes = (OwnerId::PREFIX, SubscriptionId::PREFIX);
        let (owner, subscription) = public_address::parse(text, prefixes)?;
        Ok(Self { owner, subscription })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: StopAddress = StopAddress {
        owner: OwnerId::from_bytes([1; 16]),
        subscription: SubscriptionId::from_bytes([255; 16]),
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
            assert!(other.parse::<StopAddress>().is_err(), "{other}");
        }
    }
}
