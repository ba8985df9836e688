//! Where a bank is, as the operator configured it.

use std::fmt;
use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;

/// Text that is no address of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBaseUrl {
    /// Not of the form of a URL.
    #[error("must be a URL, such as https://bank.example")]
    Form,
    /// Neither `https` nor `http`.
    #[error("must begin with https://")]
    Scheme,
    /// `http` to somewhere else than this machine: anybody on the way could read the credentials.
    #[error("must begin with https:// unless it leads to this machine")]
    Plain,
    /// A name or password in the address: it would end up in logs.
    #[error("must have no credentials in it")]
    Credentials,
    /// A query or a fragment, behind which no path can be put.
    #[error("must end with its path")]
    Query,
}

/// The address that a bank's paths are put behind. `https`, or `http` to this very machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    is_tls: bool,
    host: String,
    port: u16,
    /// Without a slash at the end.
    path: String,
}

impl BaseUrl {
    /// Reads an address such as `https://bank.example:444/api`.
    ///
    /// # Errors
    ///
    /// [`InvalidBaseUrl`] for anything that is not safe to send credentials to.
    pub fn parse(text: &str) -> Result<Self, InvalidBaseUrl> {
        let text = text.trim();
        if text.contains(['?', '#']) {
            return Err(InvalidBaseUrl::Query);
        }
        let uri: Uri = text.parse().map_err(|_| InvalidBaseUrl::Form)?;
        let authority = uri.authority().ok_or(InvalidBaseUrl::Form)?;
        if authority.as_str().contains('@') {
            return Err(InvalidBaseUrl::Credentials);
        }
        let is_tls = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(InvalidBaseUrl::Scheme),
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(InvalidBaseUrl::Form);
        }
        if !is_tls && !is_this_machine(&host) {
            return Err(InvalidBaseUrl::Plain);
        }
        let port = authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let path = uri.path().trim_end_matches('/').to_owned();
        Ok(Self { is_tls, host, port, path })
    }

    /// Tells whether connections are encrypted.
    pub(crate) const fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Name or address, without brackets.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the value of the `Host` header.
    pub(crate) fn authority(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.is_tls { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }

    /// The whole path of one of the bank's own, which begins with a slash.
    pub(crate) fn path_of(&self, path: &str) -> String {
        format!("{}{path}", self.path)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

/// A name is this machine's only where it is its own name for itself; what it leads to is looked at
/// again once there is a connection.
fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_banks_are_understood() {
        for (text, shown, path) in [
            ("https://bank.example", "https://bank.example", "/a"),
            (" https://bank.example:443/ ", "https://bank.example", "/a"),
            ("https://bank.example:444/api/", "https://bank.example:444/api", "/api/a"),
            ("http://127.0.0.1:9100/bdv", "http://127.0.0.1:9100/bdv", "/bdv/a"),
            ("http://[::1]:9100", "http://[::1]:9100", "/a"),
            ("http://localhost", "http://localhost", "/a"),
        ] {
            let base = BaseUrl::parse(text).unwrap();
            assert_eq!((base.to_string().as_str(), base.path_of("/a").as_str()), (shown, path));
        }
    }

    #[test]
    fn what_is_not_safe_to_send_credentials_to_is_refused() {
        for (text, problem) in [
            ("", InvalidBaseUrl::Form),
            ("bank.example", InvalidBaseUrl::Scheme),
            ("/path", InvalidBaseUrl::Form),
            ("ftp://bank.example", InvalidBaseUrl::Scheme),
            ("http://bank.example", InvalidBaseUrl::Plain),
            ("http://10.0.0.1", InvalidBaseUrl::Plain),
            ("http://127.0.0.1.bank.example", InvalidBaseUrl::Plain),
            ("http://localhost.bank.example", InvalidBaseUrl::Plain),
            ("https://name:password@bank.example", InvalidBaseUrl::Credentials),
            ("https://bank.example/?a=b", InvalidBaseUrl::Query),
            ("https://bank.example/#a", InvalidBaseUrl::Query),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(problem), "{text}");
        }
    }
}
