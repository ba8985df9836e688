//! An address that refuses connections.

use std::mem;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpSocket;

/// An address of this machine at which nobody listens. It is bound until the test's process ends, so that nobody else
/// is given it meanwhile.
///
/// # Panics
/// Where this machine gives no port.
#[must_use]
pub fn closed_port() -> SocketAddr {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
    let address = socket.local_addr().expect("an address");
    mem::forget(socket);
    address
}
