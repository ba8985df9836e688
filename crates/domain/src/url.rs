//! Addresses that people and programs are sent to.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

use crate::typed::seen;

/// Text that is not an address to be sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// Something else than `http://` or `https://` in front.
    #[error("must begin with http:// or https://")]
    Scheme,
    /// Too many characters.
    #[error("must have at most 2048 characters")]
    TooLong,
    /// A name and perhaps a password before the host: they would be kept and shown.
    #[error("must not have a user or a password")]
    UserInfo,
    /// No host, or one that is none.
    #[error("must have a host, such as example.com")]
    Host,
    /// A host with other letters than ASCII, which may look like those of another host.
    #[error("must have a host in ASCII; write an internationalized name as xn--…")]
    NonAsciiHost,
    /// Spaces, control characters, or others that readers of addresses do not agree about.
    #[error("must not have spaces, quotes, backslashes or control characters")]
    Character,
}

/// An address of `http` or `https` without user info. It is kept as it was written, query and all,
/// because receivers compare it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UrlText(String);

impl UrlText {
    /// The longest address that is kept, in characters.
    pub const MAX: usize = 2_048;

    /// Drops what cannot be seen of `text`, and checks it.
    ///
    /// # Errors
    ///
    /// [`InvalidUrl`] for other schemes, user info, no host, a host that is not ASCII, or
    /// characters that no address has.
    pub fn parse(text: &str) -> Result<Self, InvalidUrl> {
        let url = Self::read(&seen(text))?;
        if !authority(&url.0).is_some_and(str::is_ascii) {
            return Err(InvalidUrl::NonAsciiHost);
        }
        Ok(url)
    }

    /// Reads an address that was kept, perhaps before hosts had to be ASCII.
    ///
    /// # Errors
    ///
    /// [`InvalidUrl`] for what was never an address.
    pub fn from_stored(text: &str) -> Result<Self, InvalidUrl> {
        Self::read(text)
    }

    fn read(text: &str) -> Result<Self, InvalidUrl> {
        let text = text.trim();
        if text.len() > Self::MAX * 4 || text.chars().count() > Self::MAX {
            return Err(InvalidUrl::TooLong);
        }
        let authority = authority(text).ok_or(InvalidUrl::Scheme)?;
        // A backslash is a slash to browsers and not to others: where the host ends must be certain.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || "\\\"<>`".contains(c)) {
            return Err(InvalidUrl::Character);
        }
        if authority.contains('@') {
            return Err(InvalidUrl::UserInfo);
        }
        if !is_host(authority) {
            return Err(InvalidUrl::Host);
        }
        Ok(Self(text.to_owned()))
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its host, with the port where one is named: what a person looks at before going there. Letters that
    /// may be taken for others are shown as the bytes that they are.
    #[must_use]
    pub fn host(&self) -> Cow<'_, str> {
        let host = authority(&self.0).unwrap_or_default();
        if host.is_ascii() {
            return Cow::Borrowed(host);
        }
        let shown = |byte: u8| match byte.is_ascii() {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        Cow::Owned(host.bytes().map(shown).collect())
    }
}

impl fmt::Display for UrlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the part of the address between the scheme and the path.
fn authority(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once("://")?;
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    is_web.then(|| rest.split(['/', '?', '#']).next().unwrap_or_default())
}

/// Tells whether the text is a name or an address of a host, perhaps with a port.
fn is_host(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[') {
        // An address of IPv6 has colons of its own.
        Some(rest) => {
            let Some((host, port)) = rest.split_once(']') else { return false };
            if host.parse::<std::net::Ipv6Addr>().is_err() {
                return false;
            }
            (None, port.strip_prefix(':').or(port.is_empty().then_some("0")))
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (Some(host), Some(port)),
            None => (Some(authority), Some("0")),
        },
    };
    let is_label = |label: &str| {
        let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        !label.is_empty() && label.chars().all(plain)
    };
    let host_is_right = host.is_none_or(|host| {
        let host = host.strip_suffix('.').unwrap_or(host);
        host.split('.').all(is_label)
    });
    let is_number =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    host_is_right && port.is_some_and(is_number)
}

/// Writes a text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to text cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_as_it_was_written() {
        for text in [
            "https://shop.example/pagado?orden=7&b=%20#x",
            "http://127.0.0.1:9000",
            "HTTPS://Shop.Example/",
            "http://[::1]:80/a",
            "http://[::1]",
            "https://tienda.example./a@b?c=d@e",
            "https://xn--pea-8ma.example",
            "https://shop.example/peña",
            "http://localhost:3000/hook",
        ] {
            assert_eq!(UrlText::parse(&format!(" {text} ")).unwrap().as_str(), text);
        }
        let url = UrlText::parse("https://shop.example:8443/a?b").unwrap();
        let pasted = "\u{feff}https://shop\u{ad}.example:8443/\u{202e}a?b\u{2069}";
        assert_eq!(UrlText::parse(pasted).as_ref(), Ok(&url));
        assert_eq!(url.host(), "shop.example:8443");
    }

    #[test]
    fn a_host_that_looks_like_another_is_refused_and_a_kept_one_shown_by_its_bytes() {
        // The first letter is Cyrillic.
        let twin = "https://\u{455}hop.example/pagado";
        assert_eq!(UrlText::parse(twin), Err(InvalidUrl::NonAsciiHost));
        let kept = UrlText::from_stored(twin).unwrap();
        assert_eq!(kept.as_str(), twin);
        assert_eq!(kept.host(), "%D1%95hop.example");
    }

    #[test]
    fn what_is_no_address_of_the_web_is_refused() {
        for (text, problem) in [
            ("", InvalidUrl::Scheme),
            ("shop.example", InvalidUrl::Scheme),
            ("javascript:alert(1)", InvalidUrl::Scheme),
            ("javascript://x/%0aalert(1)", InvalidUrl::Scheme),
            ("ftp://shop.example", InvalidUrl::Scheme),
            ("data:text/html,x", InvalidUrl::Scheme),
            ("https://", InvalidUrl::Host),
            ("https:///a", InvalidUrl::Host),
            ("https://a..b", InvalidUrl::Host),
            ("https://a:b", InvalidUrl::Host),
            ("https://a:99999", InvalidUrl::Host),
            ("https://a:+80", InvalidUrl::Host),
            ("https://[::1", InvalidUrl::Host),
            ("https://[a]", InvalidUrl::Host),
            ("https://[::1]x", InvalidUrl::Host),
            ("https://user@shop.example", InvalidUrl::UserInfo),
            ("https://user:secret@shop.example/a", InvalidUrl::UserInfo),
            ("https://shop.example\\@evil.example", InvalidUrl::Character),
            ("https://shop.example/a b", InvalidUrl::Character),
            ("https://shop.example/\"><script>", InvalidUrl::Character),
            ("https://shop.example/a\nb", InvalidUrl::Character),
            ("https://shop.example/a\0b", InvalidUrl::Character),
            ("https://peña.example", InvalidUrl::NonAsciiHost),
        ] {
            assert_eq!(UrlText::parse(text), Err(problem), "{text:?}");
        }
        let long = |n: usize| format!("https://a.example/{}", "x".repeat(n - 18));
        assert!(UrlText::parse(&long(UrlText::MAX)).is_ok());
        assert_eq!(UrlText::parse(&long(UrlText::MAX + 1)), Err(InvalidUrl::TooLong));
    }
}
