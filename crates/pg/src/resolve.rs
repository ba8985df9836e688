//! The addresses of a host, within a time limit: the system's own resolver has none.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::error::timed_out;

/// Every address of the host, IPv6 and IPv4, in the order in which the system prefers them.
pub(crate) fn addresses(host: &str, port: u16, limit: Duration) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let host = host.to_owned();
    within(limit, move || Ok((host.as_str(), port).to_socket_addrs()?.collect()))
}

/// Runs it on a thread of its own, which is left behind after the limit and ends when the resolver gives up.
fn within(
    limit: Duration,
    resolve: impl FnOnce() -> io::Result<Vec<SocketAddr>> + Send + 'static,
) -> io::Result<Vec<SocketAddr>> {
    let (answer, answered) = mpsc::channel();
    // Nobody may be waiting for it any more.
    let run = move || drop(answer.send(resolve()));
    thread::Builder::new().name("pg-resolve".to_owned()).spawn(run)?;
    match answered.recv_timeout(limit) {
        Ok(Ok(found)) if found.is_empty() => {
            Err(io::Error::new(io::ErrorKind::NotFound, "the host has no address"))
        }
        // The system's resolver has no kind of its own for what it does not find.
        Ok(result) => result.map_err(|error| io::Error::new(io::ErrorKind::NotFound, error)),
        Err(_) => Err(timed_out("the host's name was not resolved in time")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolver_that_hangs_is_left_behind() {
        let (_hold, held) = mpsc::channel::<()>();
        let result = within(Duration::from_millis(20), move || {
            held.recv().unwrap_err();
            Ok(Vec::new())
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn an_address_is_not_resolved_and_a_name_has_all_of_its_addresses() {
        let none = Duration::ZERO;
        for (host, address) in [("127.0.0.1", "127.0.0.1:7"), ("::1", "[::1]:7")] {
            assert_eq!(addresses(host, 7, none).unwrap(), [address.parse().unwrap()]);
        }
        let found = addresses("localhost", 7, Duration::from_secs(10)).unwrap();
        assert!(found.contains(&"127.0.0.1:7".parse().unwrap()), "{found:?}");
        let in_vain: [fn() -> io::Result<Vec<SocketAddr>>; 2] =
            [|| Ok(Vec::new()), || Err(io::Error::other("temporary failure in name resolution"))];
        for resolve in in_vain {
            let nothing = within(Duration::from_secs(10), resolve).unwrap_err();
            assert_eq!(nothing.kind(), io::ErrorKind::NotFound);
        }
    }
}
