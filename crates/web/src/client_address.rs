//! Which address a request comes from: the peer's, or what proxies of ours say of it.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ConnectInfo;
use domain::network::Network;
use http::{Extensions, HeaderMap, HeaderName};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// How many hops of a forwarding chain are looked at, from its near end.
const HOPS_MAX: usize = 16;

/// How long the operator is not warned again.
const WARN_EVERY: Duration = Duration::from_secs(60 * 60);

/// When, by how long the clock had run, the operator was last warned that a peer says for whom it speaks and is not
/// believed: most likely a proxy that `trusted_proxies` does not name, behind which everybody has one address.
#[derive(Debug, Default)]
pub(crate) struct ProxyWarning(Mutex<Option<Duration>>);

impl ProxyWarning {
    /// Tells whether now is the time to warn, and then notes that it is done.
    fn is_due(&self, uptime: Duration) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| uptime.saturating_sub(last) >= WARN_EVERY);
        if is_due {
            *last = Some(uptime);
        }
        is_due
    }
}

/// The address that the request comes from, if the connection has one.
pub(crate) fn of(
    extensions: &Extensions,
    headers: &HeaderMap,
    trusted: &[Network],
    warning: &ProxyWarning,
    uptime: Duration,
) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>()?.0.ip().to_canonical();
    let is_trusted = trusted.iter().any(|network| network.contains(peer));
    if !is_trusted && headers.contains_key(FORWARDED_FOR) && warning.is_due(uptime) {
        tracing::warn!(
            %peer,
            "a peer sends X-Forwarded-For and is not in http.trusted_proxies: if it is your proxy, name it there, or \
             all of its clients share one budget of attempts"
        );
    }
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
    fn the_operator_is_warned_once_an_hour() {
        let warning = ProxyWarning::default();
        let after = Duration::from_secs;
        assert!(warning.is_due(after(0)));
        assert!(!warning.is_due(after(1)) && !warning.is_due(after(3_599)));
        assert!(warning.is_due(after(3_600)));
        assert!(!warning.is_due(after(3_601)));
    }
}
