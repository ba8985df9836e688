//! Which address a request comes from: the peer's, or what proxies of ours say of it.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::extract::ConnectInfo;
use http::{Extensions, HeaderMap, HeaderName};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// How many hops of a forwarding chain are looked at, from its near end.
const HOPS_MAX: usize = 16;

/// A network whose members are believed about whom they speak for.
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
    /// Whether the address is a member.
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

/// The address that the request comes from, if the connection tells one.
pub(crate) fn of(
    extensions: &Extensions,
    headers: &HeaderMap,
    trusted: &[Network],
) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>()?.0.ip().to_canonical();
    Some(behind_proxies(peer, headers, trusted))
}

/// Follows the chain from its near end as long as trusted proxies wrote it: the first address that
/// is not one of theirs is the client's. What lies beyond, the client itself may have made up.
fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut nearest = peer;
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    // Hop by hop, since a proxy appends to whatever bytes the client has sent.
    let hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b',')).take(HOPS_MAX);
    for hop in hops {
        if !is_trusted(nearest) {
            break;
        }
        let Some(address) = hop_address(hop) else { break };
        nearest = address;
    }
    nearest
}

/// The address of a hop, which some proxies write with a port.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let hop = str::from_utf8(hop.trim_ascii()).ok()?;
    let address = hop.parse().or_else(|_| hop.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
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
    use http::HeaderValue;

    use super::*;

    fn client<L: AsRef<[u8]>>(peer: &str, forwarded: &[L], trusted: &[&str]) -> String {
        let trusted: Vec<Network> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(line.as_ref()).unwrap());
        }
        behind_proxies(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn nobody_is_believed_unless_configured() {
        assert_eq!(client("203.0.113.7", &["198.51.100.1"], &[]), "203.0.113.7");
        assert_eq!(client("203.0.113.7", &["198.51.100.1"], &["10.0.0.0/8"]), "203.0.113.7");
    }

    #[test]
    fn the_first_address_that_no_proxy_of_ours_has_is_the_clients() {
        let ours = &["10.0.0.0/8", "fd00::/8"];
        assert_eq!(client("10.0.0.1", &["198.51.100.1"], ours), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.2"], ours), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1", "198.51.100.1:443"], ours), "198.51.100.1");
        assert_eq!(client("fd00::1", &["2001:db8::1"], ours), "2001:db8::1");
        assert_eq!(client("10.0.0.1", &["::ffff:198.51.100.1"], ours), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["unknown"], ours), "10.0.0.1");
        assert_eq!(client::<&str>("10.0.0.1", &[], ours), "10.0.0.1");
    }

    #[test]
    fn what_a_client_makes_up_hides_nothing_that_a_proxy_appends() {
        let ours = &["10.0.0.0/8"];
        for made_up in [&b"\xff"[..], b"caf\xc3\xa9", b"1.1.1.1, \xfe\xff", b"", b",,"] {
            let line = [made_up, b", 198.51.100.1, 10.0.0.2"].concat();
            assert_eq!(client("10.0.0.1", &[&line], ours), "198.51.100.1");
            assert_eq!(client("10.0.0.1", &[made_up, b"198.51.100.1"], ours), "198.51.100.1");
        }
        // Where the nearest hop itself is nonsense, the last that is known is a proxy.
        assert_eq!(client("10.0.0.1", &[b"198.51.100.1, \xff"], ours), "10.0.0.1");
    }

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
