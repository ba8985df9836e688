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
    use crate::public_address::tests::check_spelling;

    const ADDRESS: StopAddress = StopAddress {
        owner: OwnerId::from_bytes([1; 16]),
        subscription: SubscriptionId::from_bytes([255; 16]),
    };

    #[test]
    fn an_address_has_one_spelling() {
        check_spelling(ADDRESS);
    }
}
