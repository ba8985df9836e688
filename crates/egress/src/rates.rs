//! The client for the address that publishes exchange rates: to where the operator configured and nowhere else.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST, USER_AGENT};
use http::{Method, Request, Uri};
use http_body_util::Full;

use crate::bank::AGENT;
use crate::connect::{Connector, TlsError};
use crate::exchange::{Link, Reply};
use crate::{BaseUrl, Error, InvalidBaseUrl, Wait, within};

/// Address at which rates are published, as the operator configured it. It is like a [`BaseUrl`], and may have a query.
/// Rates decide what payers owe, so nobody on the way may change them.
#[derive(Clone, PartialEq, Eq)]
pub struct RatesUrl {
    base: BaseUrl,
    /// Path and query.
    target: String,
}

impl RatesUrl {
    /// Reads an address such as `https://rates.example/bcv.json`.
    ///
    /// # Errors
    /// [`InvalidBaseUrl`] for anything that somebody on the way could answer for.
    pub fn parse(text: &str) -> Result<Self, InvalidBaseUrl> {
        let text = text.trim();
        if text.contains('#') {
            return Err(InvalidBaseUrl::Query);
        }
        let base = BaseUrl::parse(text.split('?').next().unwrap_or_default())?;
        let uri: Uri = text.parse().map_err(|_| InvalidBaseUrl::Form)?;
        let target = uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        Ok(Self { base, target })
    }
}

/// Shows no query: it may hold a key.
impl fmt::Debug for RatesUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RatesUrl").field(&self.base).finish()
    }
}

/// A client of that address. It follows no redirects and asks no proxy.
pub struct RatesClient {
    url: RatesUrl,
    connector: Connector,
    wait: Wait,
}

impl RatesClient {
    /// A client of the address, which waits by `wait`.
    ///
    /// # Errors
    /// [`TlsError`] where the address wants TLS and the machine can offer none.
    pub fn new(url: RatesUrl, wait: Wait) -> Result<Self, TlsError> {
        let connector = Connector::new(&url.base, Wait::clone(&wait))?;
        Ok(Self { url, connector, wait })
    }

    /// Asks for the rates, on a connection of its own. The deadline is over all of it.
    ///
    /// # Errors
    /// [`Error`] where there is no answer. Any answer is one, whatever its status.
    pub async fn get(&self, deadline: Duration) -> Result<Reply, Error> {
        let request = Request::builder()
            .method(Method::GET)
            .uri(&self.url.target)
            .header(HOST, self.url.base.authority())
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "application/json")
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

impl fmt::Debug for RatesClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RatesClient").field("url", &self.url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_rates_are_understood_and_show_no_query() {
        for (text, target, shown) in [
            ("https://rates.example", "/", "https://rates.example"),
            ("https://rates.example/bcv/", "/bcv/", "https://rates.example/bcv"),
            (
                "http://127.0.0.1:8102/rates?of=USD&key=k1",
                "/rates?of=USD&key=k1",
                "http://127.0.0.1:8102/rates",
            ),
        ] {
            let url = RatesUrl::parse(text).unwrap();
            assert_eq!(url.target, target);
            assert_eq!(url.base.to_string(), shown);
            assert!(!format!("{url:?}").contains("k1"), "{url:?}");
        }
    }

    #[test]
    fn what_others_could_answer_for_is_no_address() {
        for (text, problem) in [
            ("http://rates.example/bcv", InvalidBaseUrl::Plain),
            ("http://10.0.0.1/bcv?a=b", InvalidBaseUrl::Plain),
            ("https://a:b@rates.example/", InvalidBaseUrl::Credentials),
            ("ftp://rates.example/", InvalidBaseUrl::Scheme),
            ("https://rates.example/#a", InvalidBaseUrl::Query),
            ("/rates", InvalidBaseUrl::Form),
        ] {
            assert_eq!(RatesUrl::parse(text), Err(problem), "{text}");
        }
    }
}
