//! The client for banks: to the address that the operator configured and nowhere else.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use domain::secret::SecretText;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT};
use http::{Method, Request};
use http_body_util::Full;
use tokio::sync::Semaphore;

use crate::connect::{Connector, TlsError};
use crate::exchange::{Link, Reply};
use crate::idle::{Idle, KEPT_FOR, Limits};
use crate::{BaseUrl, Error, Wait, within};

/// How many exchanges with one bank go on at once; more wait for a place.
pub(crate) const EXCHANGES_MAX: usize = 256;

/// How long a place is waited for.
pub(crate) const PLACE_MAX: Duration = Duration::from_secs(5);

/// How many connections to one bank are kept.
const KEPT_MAX: usize = 32;

/// Name by which banks know us.
pub(crate) const AGENT: &str = concat!("cotejo/", env!("CARGO_PKG_VERSION"));

/// A client of one bank. It follows no redirects, since a bank that sends its customers' keys
/// elsewhere has been taken over, and asks no proxy.
pub struct BankClient {
    base: BaseUrl,
    connector: Connector,
    idle: Idle<(), Link>,
    pub(crate) places: Semaphore,
    wait: Wait,
}

impl BankClient {
    /// A client of the bank at `base`, which waits by `wait`.
    ///
    /// # Errors
    ///
    /// [`TlsError`] where the address wants TLS and the machine can offer none.
    pub fn new(base: BaseUrl, wait: Wait) -> Result<Self, TlsError> {
        let connector = Connector::new(&base, Wait::clone(&wait))?;
        let idle = Idle::new(Limits { of_each: KEPT_MAX, in_all: KEPT_MAX }, Wait::clone(&wait));
        Ok(Self { base, connector, idle, places: Semaphore::new(EXCHANGES_MAX), wait })
    }

    /// Posts JSON to a path behind the bank's address, with headers whose values are secret. The
    /// deadline is over all of it once there is a place: connecting, asking, reading. So what is too
    /// late was the bank, and [`Error::Busy`] is what was not.
    ///
    /// Only for questions that change nothing at the bank. A connection that was kept may have been
    /// closed at the very moment of asking; then the question is asked once more on a new one.
    ///
    /// # Errors
    ///
    /// [`Error`] where there is no answer. Any answer is one, whatever its status.
    pub async fn post_json(
        &self,
        path: &str,
        secrets: &[(HeaderName, &SecretText)],
        body: Vec<u8>,
        deadline: Duration,
    ) -> Result<Reply, Error> {
        let request = self.request(path, secrets, body)?;
        // A semaphore that nobody closes always has a place in the end.
        let place = within(&self.wait, PLACE_MAX, self.places.acquire()).await;
        let _place = place.ok_or(Error::Busy)?;
        within(&self.wait, deadline, self.send(request)).await.unwrap_or(Err(Error::Timeout))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Reply, Error> {
        if let Some(link) = self.idle.take(&()) {
            match link.exchange(request.clone()).await {
                Err(Error::Reset) => tracing::debug!("kept connection was closed by its server"),
                other => return self.finish(other),
            }
        }
        let link = Link::open(self.connector.connect().await?).await?;
        self.finish(link.exchange(request).await)
    }

    fn finish(&self, answer: Result<(Reply, Option<Link>), Error>) -> Result<Reply, Error> {
        let (reply, link) = answer?;
        if let Some(link) = link {
            self.idle.keep((), link, KEPT_FOR);
        }
        Ok(reply)
    }

    fn request(
        &self,
        path: &str,
        secrets: &[(HeaderName, &SecretText)],
        body: Vec<u8>,
    ) -> Result<Request<Full<Bytes>>, Error> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(self.base.path_of(path))
            .header(HOST, self.base.authority())
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json");
        for (name, secret) in secrets {
            let mut value = HeaderValue::from_str(secret.expose()).map_err(|_| Error::Header)?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        request.body(Full::new(Bytes::from(body))).map_err(|_| Error::Header)
    }
}

impl fmt::Debug for BankClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BankClient").field("base", &self.base).finish_non_exhaustive()
    }
}
