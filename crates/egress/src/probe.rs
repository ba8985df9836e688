//! A look at whether an address answers, for an operator who wants to know. It shows no credential to anybody.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST, USER_AGENT};
use http::{Method, Request};
use http_body_util::Full;

use crate::bank::AGENT;
use crate::connect::{Connector, TlsError};
use crate::exchange::{Link, Reply};
use crate::{BaseUrl, Error, Wait, within};

/// A client that looks at one address. It follows no redirects and asks no proxy.
pub struct Probe {
    base: BaseUrl,
    connector: Connector,
    wait: Wait,
}

impl Probe {
    /// A client of that address, which waits by `wait`.
    ///
    /// # Errors
    /// [`TlsError`] where the address wants TLS and the machine can offer none.
    pub fn new(base: BaseUrl, wait: Wait) -> Result<Self, TlsError> {
        let connector = Connector::new(&base, Wait::clone(&wait))?;
        Ok(Self { base, connector, wait })
    }

    /// Connects, TLS included, and asks nothing.
    ///
    /// # Errors
    /// [`Error`] where nobody is there who can be trusted.
    pub async fn connect(&self, deadline: Duration) -> Result<(), Error> {
        let work = async { self.connector.connect().await.map(drop) };
        within(&self.wait, deadline, work).await.unwrap_or(Err(Error::Timeout))
    }

    /// Asks for a path behind the address. The deadline is over all of it.
    ///
    /// # Errors
    /// [`Error`] where there is no answer. Any answer is one, whatever its status.
    pub async fn get(&self, path: &str, deadline: Duration) -> Result<Reply, Error> {
        let request = Request::builder()
            .method(Method::GET)
            .uri(self.base.path_of(path))
            .header(HOST, self.base.authority())
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "*/*")
            .body(Full::new(Bytes::new()))
            .map_err(|_| Error::Header)?;
        let work = async {
            let link = Link::open(self.connector.connect().await?).await?;
            let (reply, _) = link.exchange(request).await?;
            Ok(reply)
        };
        within(&self.wait, deadline, work).await.unwrap_or(Err(Error::Timeout))
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("base", &self.base).finish_non_exhaustive()
    }
}
