//! The server's messages, one after another, and ours on their way to it.

use std::io::{self, Read, Write};
use std::mem;
use std::ops::Range;

use bytes::BytesMut;
use postgres_protocol::message::backend::{
    NOTICE_RESPONSE_TAG, NOTIFICATION_RESPONSE_TAG, PARAMETER_STATUS_TAG,
};
use postgres_protocol::message::frontend;

use crate::error::invalid;
use crate::socket::Socket;

/// The longest message that is read.
const MESSAGE_MAX: usize = 16 * 1024 * 1024;

/// A message begins with its type and its length, which counts itself.
const HEAD: usize = 5;

/// Number of bytes that are read at once, and kept between exchanges.
const INBOX: usize = 16 * 1024;

/// Types of the messages that answer nothing, in which the server speaks of itself: remarks, settings that have
/// changed, and notifications.
const IS_NO_ANSWER: [u8; 3] =
    [NOTICE_RESPONSE_TAG, PARAMETER_STATUS_TAG, NOTIFICATION_RESPONSE_TAG];

/// A message of the server: its type and what it says.
pub(crate) struct Message<'m> {
    pub(crate) tag: u8,
    pub(crate) body: &'m [u8],
}

/// A connection whose bytes are read as messages.
pub(crate) struct Messages {
    pub(crate) socket: Socket,
    /// What is to be sent.
    pub(crate) outbox: BytesMut,
    inbox: Vec<u8>,
    /// The part of the inbox that was received and not looked at yet.
    unread: Range<usize>,
    /// Whether the connection is of no use any more.
    is_lost: bool,
    /// Whether that was our decision: the server was silent for too long, or sent what makes no sense. It may still
    /// run what it was sent.
    was_given_up: bool,
}

impl Messages {
    pub(crate) fn new(socket: Socket) -> Self {
        Self {
            socket,
            outbox: BytesMut::new(),
            inbox: vec![0; INBOX],
            unread: 0..0,
            is_lost: false,
            was_given_up: false,
        }
    }

    /// Sends what is in the outbox.
    pub(crate) fn send(&mut self) -> io::Result<()> {
        let sent = self.unless_lost(|messages| {
            messages.socket.write_all(&messages.outbox)?;
            messages.socket.flush()
        });
        self.outbox.clear();
        sent
    }

    /// Tells whether the server has said anything that nobody has asked for, or has gone.
    pub(crate) fn has_news(&self) -> bool {
        !self.unread.is_empty() || self.socket.has_news()
    }

    /// The next message that answers something. Waits for it.
    pub(crate) fn next(&mut self) -> io::Result<Message<'_>> {
        let range = loop {
            let range = self.unless_lost(Self::locate)?;
            if !IS_NO_ANSWER.contains(&self.inbox[range.start]) {
                break range;
            }
        };
        let message = &self.inbox[range];
        Ok(Message { tag: message[0], body: &message[HEAD..] })
    }

    /// Notifies the server that the session is over.
    pub(crate) fn say_goodbye(&mut self) {
        self.outbox.clear();
        frontend::terminate(&mut self.outbox);
        // A server that does not get it sees the connection close.
        drop(self.send());
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Tells whether the connection is lost by our decision.
    pub(crate) fn was_given_up(&self) -> bool {
        self.was_given_up
    }

    /// Uses the connection no more, because of `error`.
    pub(crate) fn lose(&mut self, error: &io::Error) {
        self.is_lost = true;
        self.was_given_up |=
            matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::InvalidData);
    }

    fn unless_lost<T>(&mut self, work: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        if self.is_lost {
            return Err(io::ErrorKind::NotConnected.into());
        }
        let result = work(self);
        if let Err(error) = &result {
            self.lose(error);
        }
        result
    }

    /// Returns the place of the next message in the inbox, reading until all of it is there.
    fn locate(&mut self) -> io::Result<Range<usize>> {
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
        if (HEAD..=MESSAGE_MAX).contains(&length) {
            return Ok(Some(length));
        }
        Err(invalid("a message of an impossible length"))
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
pub(crate) fn take<'b>(body: &mut &'b [u8], count: usize) -> io::Result<&'b [u8]> {
    let short = || invalid("a message that ends too soon");
    let (taken, rest) = body.split_at_checked(count).ok_or_else(short)?;
    *body = rest;
    Ok(taken)
}

/// Takes a number of two bytes.
pub(crate) fn take_u16(body: &mut &[u8]) -> io::Result<u16> {
    let bytes = take(body, mem::size_of::<u16>())?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | u16::from(*byte)))
}

/// Takes a number of four bytes.
pub(crate) fn take_i32(body: &mut &[u8]) -> io::Result<i32> {
    let bytes = take(body, mem::size_of::<i32>())?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | i32::from(*byte)))
}

/// Takes text that ends with a zero byte.
pub(crate) fn take_text<'b>(body: &mut &'b [u8]) -> io::Result<&'b [u8]> {
    let end = body.iter().position(|byte| *byte == 0);
    let endless = || invalid("text without an end");
    let text = take(body, end.ok_or_else(endless)?)?;
    take(body, 1)?;
    Ok(text)
}
