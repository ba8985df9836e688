//! Whole tables on their way out of the server and into it, by its `COPY`: piece by piece, so that no table is
//! in memory. After any failure the connection is of no use any more, and the server rolls back.

use std::io;

use postgres_protocol::message::{backend, frontend};

use crate::error::Error;
use crate::messages::{Message, Messages};
use crate::pipeline::{otherwise, until_ready};

/// Runs a `copy … to stdout`, and hands over each piece that the server sends.
pub(crate) fn copy_out(
    messages: &mut Messages,
    text: &str,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), Error> {
    frontend::query(text, &mut messages.outbox)?;
    messages.send()?;
    loop {
        let Message { tag, body } = messages.next()?;
        match tag {
            backend::COPY_DATA_TAG => {
                if let Err(error) = each(body) {
                    // The server goes on sending what nobody takes.
                    messages.lose(&error);
                    return Err(error.into());
                }
            }
            backend::COPY_OUT_RESPONSE_TAG
            | backend::COPY_DONE_TAG
            | backend::COMMAND_COMPLETE_TAG => {}
            backend::READY_FOR_QUERY_TAG => return Ok(()),
            tag => {
                let error = otherwise(tag, body);
                messages.lose(&io::ErrorKind::NotConnected.into());
                return Err(error);
            }
        }
    }
}

/// Runs a `copy … from stdin` with the pieces that `next` puts into an empty buffer; it answers whether there was one.
pub(crate) fn copy_in(
    messages: &mut Messages,
    text: &str,
    mut next: impl FnMut(&mut Vec<u8>) -> io::Result<bool>,
) -> Result<(), Error> {
    frontend::query(text, &mut messages.outbox)?;
    messages.send()?;
    let Message { tag, body } = messages.next()?;
    if tag != backend::COPY_IN_RESPONSE_TAG {
        let error = otherwise(tag, body);
        messages.lose(&io::ErrorKind::NotConnected.into());
        return Err(error);
    }
    let mut piece = Vec::new();
    loop {
        piece.clear();
        match next(&mut piece) {
            Ok(true) => {
                frontend::CopyData::new(piece.as_slice())?.write(&mut messages.outbox);
                messages.send()?;
            }
            Ok(false) => break,
            Err(error) => {
                // The server rolls back what it has once the connection is gone.
                messages.lose(&error);
                return Err(error.into());
            }
        }
    }
    frontend::copy_done(&mut messages.outbox);
    messages.send()?;
    until_ready(messages)
}
