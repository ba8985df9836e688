//! Whether an address is this machine's own, whatever range it is of: what listens here may trust
//! callers that come from here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use super::guard::carried;

/// Test of whether an address is this machine's own. A field, so that tests need no machine on the internet.
pub(super) type IsOwn = fn(IpAddr) -> bool;

/// Any port but none: nothing is sent to it.
const PORT: u16 = 9;

/// Tells whether an address, or the one that it carries, is this machine's own.
pub(super) fn is_own(address: IpAddr, is_own: IsOwn) -> bool {
    is_own(address) || carried(address).is_some_and(|inner| is_own(inner.into()))
}

/// Asks the system from which address it would speak to that one: to its own it speaks from the very
/// same, or from one of loopback. Not a byte is sent for it.
pub(super) fn by_the_system(address: IpAddr) -> bool {
    let unspecified: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let from = UdpSocket::bind((unspecified, 0)).and_then(|socket| {
        socket.connect(SocketAddr::new(address, PORT))?;
        socket.local_addr()
    });
    // Where there is no way to it, it is not here.
    from.is_ok_and(|from| {
        let from = from.ip().to_canonical();
        from == address.to_canonical() || from.is_loopback()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_knows_which_addresses_are_this_machines() {
        for own in ["127.0.0.1", "127.1.2.3"] {
            assert!(by_the_system(own.parse().unwrap()), "{own}");
        }
        // Of documents, and nobody's (RFC 5737, RFC 3849).
        for other in ["192.0.2.1", "2001:db8::1"] {
            assert!(!by_the_system(other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn an_address_that_carries_one_of_this_machines_is_its_own() {
        let eight: IsOwn = |address| address == IpAddr::from([8, 8, 8, 8]);
        for own in ["8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"] {
            assert!(is_own(own.parse().unwrap(), eight), "{own}");
        }
        for other in ["8.8.4.4", "::ffff:8.8.4.4", "64:ff9b::8.8.4.4", "2001:db8::808:808"] {
            assert!(!is_own(other.parse().unwrap(), eight), "{other}");
        }
    }
}
