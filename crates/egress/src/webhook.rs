//! The client for webhooks: to any address that an owner gave, as long as that is on the internet.
//!
//! The author of the address may be hostile, and so may the receiver. The name is looked up
//! here, every address that it leads to is checked, and one of those very addresses is dialled, so
//! that nothing can change in between. There is one deadline over everything, little of an answer
//! is read, no redirect is followed and no proxy asked.
//!
//! A connection on which an exchange came to a clean end is kept a little while for the next one to
//! the same scheme, host and port. It leads to the address that was checked when it was dialled, and
//! to no other whatever the name leads to by now; that its name is not looked up again meanwhile is
//! what any cache of names does, and none is used for more than a minute. Few are kept, and the
//! oldest make room, so that an owner that names many hosts holds no more of them than anybody.
//!
//! A request is written once in an exchange. Where a connection that was kept turns out to be none,
//! a new one is made only if not a byte of the request was written; otherwise it may have been
//! received, the exchange has failed; that is reported, and the caller that has the schedule repeats it.

mod connect;
mod destination;
mod exchange;
mod guard;
mod headers;
mod http1;
mod http2;
mod internet;
mod line;
mod metered;
mod names;
mod own;
mod progress;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use domain::ids::OwnerId;
use domain::network::Network;
use domain::webhooks::Trouble;
use http::{HeaderName, HeaderValue};
use tokio::task::yield_now;
use tokio_rustls::TlsConnector;

pub use self::destination::Destination;
use self::exchange::Message;
pub use self::exchange::{Answer, Exchange, HEAD_KEPT_MAX, READ_MAX};
pub use self::headers::headers;
pub use self::internet::{FoundNames, Internet, Names};
use self::line::{Line, Unheard};
use self::names::{Purpose, Resolve};
use self::own::IsOwn;
use self::progress::Progress;
use crate::connect::verifying;
use crate::idle::{Idle, Keepable, Limits};
use crate::{Now, Wait, within};

/// How long an exchange may take in all: the time that receivers know.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// How long looking an address up may take while it is stored.
const CHECK_MAX: Duration = Duration::from_secs(3);

/// How many connections are kept that nobody uses at the moment: as many of one owner to one receiver
/// as exchanges of both go on at once, and in all well below what a process may have open.
const KEPT: Limits = Limits { of_each: 8, in_all: 256 };

/// Whom webhooks may go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Receivers on the internet.
    #[default]
    Internet,
    /// Receivers anywhere, this machine and its network included: for development.
    Anywhere,
}

/// The client for webhooks.
pub struct WebhookClient {
    reach: Reach,
    /// Networks that the operator has closed.
    closed: Vec<Network>,
    resolve: Resolve,
    is_own: IsOwn,
    /// Made at the first call of `https`; nothing where this machine trusts nobody.
    tls: OnceLock<Option<TlsConnector>>,
    /// By owner, scheme, host and port: no owner learns from its connections when something was
    /// sent to another's systems, and none can do anything to another's.
    idle: Idle<(OwnerId, String), Line>,
    wait: Wait,
    now: Now,
}

impl WebhookClient {
    /// A client that waits by `wait` and measures by `now`. Where the machine trusts no certificates
    /// it works all the same, and calls no address of `https`.
    #[must_use]
    pub fn new(reach: Reach, wait: Wait, now: Now) -> Self {
        let idle = Idle::new(KEPT, Wait::clone(&wait));
        let (resolve, is_own) = (names::by_the_system(), own::by_the_system as IsOwn);
        let (closed, tls) = (Vec::new(), OnceLock::new());
        Self { reach, closed, resolve, is_own, tls, idle, wait, now }
    }

    /// The same client, which goes to none of these networks either.
    #[must_use]
    pub fn refusing(self, closed: Vec<Network>) -> Self {
        Self { closed, ..self }
    }

    /// The same client, which takes from there what is known of the internet.
    #[must_use]
    pub fn in_internet(mut self, internet: Internet) -> Self {
        if let Some(names) = internet.names {
            self.resolve = Arc::new(move |_, name| names(name));
        }
        if let Some(roots) = internet.roots {
            let roots = Arc::unwrap_or_clone(roots);
            self.tls = OnceLock::from(verifying(roots, connect::OFFERED).ok());
        }
        self
    }

    /// Checks that an address may be kept: it is well formed, and leads nowhere that is forbidden as far as can be
    /// known now. A name that leads nowhere yet is let through, as is one for which there is no place to look it up,
    /// since it is checked again whenever it is called.
    ///
    /// # Errors
    /// [`Trouble::InvalidUrl`] or [`Trouble::Forbidden`].
    pub async fn check(&self, url: &str) -> Result<(), Trouble> {
        let destination = Destination::parse(url)?;
        let addresses = self.addresses(&destination, Purpose::Keeping);
        match within(&self.wait, CHECK_MAX, addresses).await {
            Some(Err(trouble @ Trouble::Forbidden(_))) => Err(trouble),
            _ => Ok(()),
        }
    }

    /// Posts a body once, on behalf of that owner, whose slow names take no place from others. Any
    /// answer is one, whatever its status; where there is none, that is known not later than
    /// [`DEADLINE`].
    pub async fn post(
        &self,
        owner: OwnerId,
        destination: &Destination,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
    ) -> Exchange {
        let message = Message { to: destination, headers, body };
        let progress = Progress::new(&self.now);
        let done = within(&self.wait, DEADLINE, self.exchange(owner, &message, &progress)).await;
        let answer = done.unwrap_or_else(|| Err(Trouble::Timeout(progress.phase())));
        let exchange = progress.conclude(answer);
        if exchange.is_reused && exchange.answer.is_err() {
            // What ended one connection to there, or makes it silent, does so to the others.
            self.idle.forget(&(owner, destination.origin()));
        }
        exchange
    }

    async fn exchange(
        &self,
        owner: OwnerId,
        message: &Message<'_>,
        progress: &Progress,
    ) -> Result<Answer, Trouble> {
        let to = (owner, message.to.origin());
        let result = match self.ask_again(&to, message, progress).await {
            Some(result) => result,
            None => self.connect(owner, message.to, progress).await?.ask(message, progress).await,
        };
        match result {
            Ok((answer, line)) => {
                self.keep(to, line);
                Ok(answer)
            }
            Err(Unheard::Sent(trouble)) => Err(trouble),
            Err(Unheard::Unsent(trouble)) => {
                progress.take_back();
                Err(trouble)
            }
        }
    }

    /// Keeps a line that can be used again.
    fn keep(&self, to: (OwnerId, String), line: Option<Line>) {
        if let Some(mut line) = line
            && line.is_open()
            && !line.kept_for().is_zero()
        {
            let kept_for = line.kept_for();
            self.idle.keep(to, line, kept_for);
        }
    }

    /// Asks on a connection that was kept, if there is one on which the request can be written.
    async fn ask_again(
        &self,
        to: &(OwnerId, String),
        message: &Message<'_>,
        progress: &Progress,
    ) -> Option<Result<(Answer, Option<Line>), Unheard>> {
        // So that what arrived in the meantime is known when the kept ones are looked at.
        yield_now().await;
        let line = self.idle.take(to)?;
        progress.reuse(line.address());
        match line.ask(message, progress).await {
            Err(Unheard::Unsent(_)) => {
                tracing::debug!("kept connection was closed by its server");
                progress.start_over();
                None
            }
            result => Some(result),
        }
    }
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookClient").field("reach", &self.reach).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
