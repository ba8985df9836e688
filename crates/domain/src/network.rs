//! Networks of addresses, as operators write them: `10.0.0.0/8`, `fd00::/8`, `203.0.113.7`.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// A network of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    base: u128,
    prefix: u32,
}

/// Text that is not an address or a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an address or a network, such as 10.0.0.0/8")]
pub struct InvalidNetwork;

impl Network {
    /// Tells whether the address belongs to the network.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        mask(number(address), self.prefix) == self.base
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| InvalidNetwork)?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix: u32 = match prefix {
            Some(prefix) => prefix.trim().parse().map_err(|_| InvalidNetwork)?,
            None => width,
        };
        if prefix > width {
            return Err(InvalidNetwork);
        }
        // An IPv4 address is its IPv4-mapped one, whose first 96 bits are fixed.
        let prefix = prefix + (128 - width);
        Ok(Self { base: mask(number(address), prefix), prefix })
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => Ipv6Addr::to_bits(address),
    }
}

/// The first `prefix` bits of `address`.
fn mask(address: u128, prefix: u32) -> u128 {
    address & u128::MAX.checked_shl(128 - prefix).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_exactly_their_members() {
        let network: Network = "192.168.4.0/22".parse().unwrap();
        assert!(network.contains("192.168.7.255".parse().unwrap()));
        assert!(!network.contains("192.168.8.0".parse().unwrap()));
        let everything: Network = "::/0".parse().unwrap();
        assert!(everything.contains("203.0.113.7".parse().unwrap()));
        let all_of_v4: Network = "0.0.0.0/0".parse().unwrap();
        assert!(!all_of_v4.contains("2001:db8::1".parse().unwrap()));
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/x", "10.0.0.0/-1"] {
            assert_eq!(text.parse::<Network>(), Err(InvalidNetwork), "{text}");
        }
    }
}
