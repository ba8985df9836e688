//! Cancelling a statement that was given up: the protocol has a connection of its own for that.

use std::io::{self, Read, Write};
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::frontend;

use crate::socket::{Encryption, Endpoint, Socket};

/// How long connecting may take, and three times as long what follows.
const LIMIT: Duration = Duration::from_secs(1);

/// Key by which the server knows a session whose statement is to be cancelled.
pub(crate) struct CancelKey {
    pub(crate) process: i32,
    pub(crate) secret: i32,
}

/// Asks the server to cancel what the session runs, and waits until it has taken that in. Whether there was anything
/// to be cancelled is not answered.
pub(crate) fn cancel(
    endpoint: &Endpoint,
    encryption: &Encryption,
    key: &CancelKey,
) -> io::Result<()> {
    let mut socket = Socket::connect(endpoint, encryption, LIMIT)?;
    let mut request = BytesMut::new();
    frontend::cancel_request(key.process, key.secret, &mut request);
    socket.write_all(&request)?;
    socket.flush()?;
    // The server hangs up when it has passed the request on.
    socket.read(&mut [0]).map(drop)
}
