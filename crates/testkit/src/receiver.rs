//! A receiver of webhooks on this machine, which keeps what it receives and checks signatures by means
//! of its own.

use std::fmt;

use aws_lc_rs::hmac;
use tokio::sync::watch;

use crate::certificates::Shown;
use crate::scripted::{Asked, Play, Scripted};

/// A receiver. It lasts as long as the test's process.
pub struct Receiver {
    server: Scripted,
    received: watch::Receiver<usize>,
}

impl Receiver {
    /// Answers the first, the second and so on, counted from 1, by `script`, which may block.
    pub fn answering(script: impl Fn(usize) -> Play + Send + Sync + 'static) -> Self {
        let (received, script) = counted(script);
        Self { server: Scripted::numbered(move |number, _| script(number)), received }
    }

    /// The same over TLS, with that certificate.
    pub fn secured(shown: Shown, script: impl Fn(usize) -> Play + Send + Sync + 'static) -> Self {
        let (received, script) = counted(script);
        Self {
            server: Scripted::secured_numbered(shown, move |number, _| script(number)),
            received,
        }
    }

    /// Answers everything with that status.
    #[must_use]
    pub fn with_status(status: u16) -> Self {
        Self::answering(move |_| Play::Answer(status, b"made-up answer".to_vec()))
    }

    /// Returns the address that it listens at.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/hook?shop=7", self.server.base_url())
    }

    /// Waits until it has received so many, and answers all that it has received.
    ///
    /// # Panics
    /// Where it is gone.
    pub async fn received(&self, count: usize) -> Vec<Asked> {
        let mut received = self.received.clone();
        received.wait_for(|number| *number >= count).await.expect("a receiver that listens");
        self.server.asked()
    }

    /// How many requests it has had.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.server.asked().len()
    }

    /// How many of its connections have not come to their end.
    #[must_use]
    pub fn open(&self) -> usize {
        self.server.open()
    }

    /// How many connections it has had.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.server.connections()
    }
}

/// A script that reports how many requests there were, and what receives the count.
fn counted(script: impl Fn(usize) -> Play) -> (watch::Receiver<usize>, impl Fn(usize) -> Play) {
    let (sender, received) = watch::channel(0);
    let script = move |number: usize| {
        sender.send_modify(|count| *count = number.max(*count));
        script(number)
    };
    (received, script)
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("received", &*self.received.borrow())
            .finish_non_exhaustive()
    }
}

/// Tells whether a webhook has a valid signature with that secret, in headers with that `word`. It follows the rules
/// that receivers are given, and uses another library than the service's.
#[must_use]
pub fn is_signed(asked: &Asked, secret: &str, word: &str) -> bool {
    let header = |name: &str| asked.header(&format!("x-{}-{name}", word.to_ascii_lowercase()));
    let (Some(timestamp), Some(signature)) = (header("timestamp"), header("signature")) else {
        return false;
    };
    timestamp.bytes().all(|byte| byte.is_ascii_digit())
        && signature == sign(secret, timestamp, &asked.body)
}

/// The signature of a body that is sent at `timestamp`, as the header says it.
#[must_use]
pub fn sign(secret: &str, timestamp: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{timestamp}.{body}").as_bytes());
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}
