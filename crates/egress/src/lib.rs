//! The only way out: no other crate of the program opens a connection to the outside.
//!
//! Each use has a client of its own whose rules cannot be forgotten, because there is nothing to
//! pass them to. [`BankClient`] is the one for banks, [`RatesClient`] the one for the address that
//! publishes exchange rates, [`WebhookClient`] the one for webhooks, and [`MailServer`] the one for
//! mail. The HTTP clients have in common: one exchange on one connection at a time, with one deadline
//! over all of it and a limit on what is read.
//!
//! Nothing here starts a task. A connection is driven by the caller that waits for its answer, so that an
//! exchange that is given up ends with its future, and a connection that is kept for later simply
//! lies there until it is looked at again.

mod bank;
mod base_url;
mod connect;
mod exchange;
mod idle;
mod mail;
mod rates;
mod webhook;

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use domain::time::Timestamp;

pub use crate::bank::BankClient;
pub use crate::base_url::{BaseUrl, InvalidBaseUrl};
pub use crate::connect::TlsError;
pub use crate::exchange::Reply;
pub use crate::mail::{Envelope, InvalidSender, MailError, MailServer, MailSettings, Sender, Tls};
pub use crate::rates::{RatesClient, RatesUrl};
pub use crate::webhook::{
    Answer, DEADLINE, Destination, Exchange, FoundNames, HEAD_KEPT_MAX, Internet, Names, READ_MAX,
    Reach, WebhookClient, headers,
};

/// Waits for so long: handed in, since only the binary owns a clock. It counts from the call on,
/// not from the first look at the future.
pub type Wait = Arc<dyn Fn(Duration) -> WaitFuture + Send + Sync>;

/// Future of a [`Wait`].
pub type WaitFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Clock to measure by: handed in, since only the binary owns a clock.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The most that is read of an answer: 1 MiB.
pub const BODY_MAX: usize = 1024 * 1024;

/// Why there is no answer. None of these names an address, a header or anything that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No connection could be made: no such name, nobody listens, no TLS that can be trusted.
    #[error("no connection could be made: {0}")]
    Connect(std::io::ErrorKind),
    /// A header value that cannot be written, such as a key with a line break in it.
    #[error("a header cannot be written")]
    Header,
    /// What came back is not HTTP.
    #[error("the answer is not HTTP")]
    Malformed,
    /// The connection ended before the answer did.
    #[error("the connection ended before the answer did")]
    Reset,
    /// The answer is longer than [`BODY_MAX`].
    #[error("the answer is longer than 1 MiB")]
    TooLarge,
    /// Too much went on at once, so that nothing was asked. That says nothing about the bank.
    #[error("too many exchanges at once")]
    Busy,
    /// The deadline came first.
    #[error("no answer in time")]
    Timeout,
}

/// Runs the work to its result, unless that much time passes first.
async fn within<T>(wait: &Wait, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    let (mut work, mut time) = (pin!(work), wait(limit));
    let mut is_over = false;
    poll_fn(|cx| {
        // The time is looked at first: the work may use up what a task may do in one go, and after
        // that no time ever seems over, for as long as the other side pours.
        is_over = is_over || time.as_mut().poll(cx).is_ready();
        match work.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if is_over => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[cfg(test)]
mod tests;
