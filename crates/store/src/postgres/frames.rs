//! The server's messages, one after another, and ours on their way to it.

use std::io::{self, Read, Write};
use std::mem;
use std::ops::Range;

use bytes::BytesMut;
use postgres_protocol::message::backend::{
    NOTICE_RESPONSE_TAG, NOTIFICATION_RESPONSE_TAG, PARAMETER_STATUS_TAG,
};
use postgres_protocol::message::frontend;

use super::socket::Socket;

/// The longest message that is read. The longest row of ours is a page of a log, far below it.
const FRAME_MAX: usize = 16 * 1024 * 1024;

/// A message begins with its type and its length, which counts itself.
const HEAD: usize = 5;

/// What is read at once, and kept between exchanges.
const INBOX: usize = 16 * 1024;

/// What the server says of itself: remarks, settings that have changed, and notifications.
const IS_NO_ANSWER: [u8; 3] =
    [NOTICE_RESPONSE_TAG, PARAMETER_STATUS_TAG, NOTIFICATION_RESPONSE_TAG];

/// A message of the server: its type and what it says.
pub(super) struct Frame<'f> {
    pub(super) tag: u8,
    pub(super) body: &'f [u8],
}

/// A connection whose bytes are read as messages.
pub(super) struct Frames {
    pub(super) socket: Socket,
    /// What is to be sent.
    pub(super) outbox: BytesMut,
    inbox: Vec<u8>,
    /// The part of the inbox that was received and not looked at yet.
    unread: Range<usize>,
    /// Whether the connection is of no use any more.
    pub(super) is_lost: bool,
}

impl Frames {
    pub(super) fn new(socket: Socket) -> Self {
        Self {
            socket,
            outbox: BytesMut::new(),
            inbox: vec![0; INBOX],
            unread: 0..0,
            is_lost: false,
        }
    }

    /// Sends what is in the outbox.
    pub(super) fn send(&mut self) -> io::Result<()> {
        let sent = self.unless_lost(|frames| {
            frames.socket.write_all(&frames.outbox)?;
            frames.socket.flush()
        });
        self.outbox.clear();
        sent
    }

    /// Whether the server has said anything that nobody has asked for, or has gone.
    pub(super) fn has_news(&self) -> bool {
        !self.unread.is_empty() || self.socket.has_news()
    }

    /// The next message that answers something. Waits for it.
    pub(super) fn next(&mut self) -> io::Result<Frame<'_>> {
        let range = loop {
            let range = self.unless_lost(Self::frame)?;
            if !IS_NO_ANSWER.contains(&self.inbox[range.start]) {
                break range;
            }
        };
        let frame = &self.inbox[range];
        Ok(Frame { tag: frame[0], body: &frame[HEAD..] })
    }

    /// Tells the server that the session is over.
    pub(super) fn say_goodbye(&mut self) {
        self.outbox.clear();
        frontend::terminate(&mut self.outbox);
        // A server that hears nothing of it sees the connection close.
        drop(self.send());
    }

    fn unless_lost<T>(&mut self, work: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        if self.is_lost {
            return Err(io::ErrorKind::NotConnected.into());
        }
        let result = work(self);
        self.is_lost = result.is_err();
        result
    }

    /// Where in the inbox the next message is.
    fn frame(&mut self) -> io::Result<Range<usize>> {
        loop {
            match self.length()? {
                Some(length) if self.unread.len() >= length => {
                    let start = self.unread.start;
                    self.unread.start += length;
                    return Ok(start..start + length);
                }
                wanted => self.receive(wanted.unwrap_or(HEAD))?,
            }
        }
    }

    /// How long the next message is, its head included, as soon as that is known.
    fn length(&self) -> io::Result<Option<usize>> {
        let unread = &self.inbox[self.unread.clone()];
        let Some(&[_, a, b, c, d]) = unread.first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize + 1;
        if (HEAD..=FRAME_MAX).contains(&length) {
            return Ok(Some(length));
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "a message of an impossible length"))
    }

    /// Reads whatever has come, with room for a message of `length`.
    fn receive(&mut self, length: usize) -> io::Result<()> {
        if self.unread.is_empty() {
            self.unread = 0..0;
            // A message that was long once is no reason to keep its room.
            if self.inbox.len() > INBOX && length <= INBOX {
                self.inbox = vec![0; INBOX];
            }
        } else if self.unread.start + length > self.inbox.len() {
            self.inbox.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
        }
        if length > self.inbox.len() {
            self.inbox.resize(length, 0);
        }
        match self.socket.read(&mut self.inbox[self.unread.end..]) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                self.unread.end += read;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Takes the next `count` bytes of a message's body.
pub(super) fn take<'b>(body: &mut &'b [u8], count: usize) -> io::Result<&'b [u8]> {
    let short = || io::Error::new(io::ErrorKind::InvalidData, "a message that ends too soon");
    let (taken, rest) = body.split_at_checked(count).ok_or_else(short)?;
    *body = rest;
    Ok(taken)
}

/// Takes a number of two bytes.
pub(super) fn take_u16(body: &mut &[u8]) -> io::Result<u16> {
    let bytes = take(body, mem::size_of::<u16>())?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | u16::from(*byte)))
}

/// Takes a number of four bytes.
pub(super) fn take_i32(body: &mut &[u8]) -> io::Result<i32> {
    let bytes = take(body, mem::size_of::<i32>())?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | i32::from(*byte)))
}

/// Takes text that ends with a zero byte.
pub(super) fn take_text<'b>(body: &mut &'b [u8]) -> io::Result<&'b [u8]> {
    let end = body.iter().position(|byte| *byte == 0);
    let endless = || io::Error::new(io::ErrorKind::InvalidData, "text without an end");
    let text = take(body, end.ok_or_else(endless)?)?;
    take(body, 1)?;
    Ok(text)
}
