//! Where a webhook goes, read from the text that its owner gave.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use domain::webhooks::Trouble;
use http::Uri;

/// The longest address that is read, in bytes.
const URL_LEN_MAX: usize = 8_192;

/// The longest name of a host, and of one of its parts (RFC 1035).
const NAME_LEN_MAX: usize = 253;
const LABEL_LEN_MAX: usize = 63;

/// Ports at which other protocols are spoken, so that a request could be taken for something else: the
/// list that browsers keep to (Fetch, "port blocking").
const BAD_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

/// Destination of a webhook: an address of `http` or `https` with a host that is beyond doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    is_tls: bool,
    host: Host,
    port: u16,
    /// Path and query, as they are asked for.
    path: String,
}

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// An address.
    Address(IpAddr),
    /// A name in lower case, without a dot at its end.
    Name(String),
}

impl Destination {
    /// Reads an address such as `https://shop.example/hook?a=b`. What readers of addresses do not
    /// agree about is refused: user info, backslashes, spaces, and numbers for a host that some
    /// take for an address in decimal, octal or hexadecimal.
    ///
    /// # Errors
    /// [`Trouble::InvalidUrl`], or [`Trouble::ForbiddenPort`].
    pub fn parse(text: &str) -> Result<Self, Trouble> {
        let read = Self::read(text.trim()).ok_or(Trouble::InvalidUrl)?;
        if BAD_PORTS.contains(&read.port) { Err(Trouble::ForbiddenPort) } else { Ok(read) }
    }

    fn read(text: &str) -> Option<Self> {
        let is_unclear = |c: char| c.is_control() || c.is_whitespace() || "\\\"<>`".contains(c);
        if text.len() > URL_LEN_MAX || text.contains(is_unclear) {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end)?;
        let (host, port) = host_and_port(authority)?;
        let port = match port {
            None | Some("") => {
                if is_tls {
                    443
                } else {
                    80
                }
            }
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
            Some(_) => return None,
        };
        let path = path_of(rest);
        path.parse::<Uri>().ok()?;
        (port != 0).then_some(Self { is_tls, host, port, path })
    }

    /// Whom it goes to, for code that counts by receiver: scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.authority())
    }

    pub(crate) const fn is_tls(&self) -> bool {
        self.is_tls
    }

    pub(crate) const fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value of the `Host` header.
    pub(crate) fn authority(&self) -> String {
        let host = match &self.host {
            Host::Address(IpAddr::V6(address)) => format!("[{address}]"),
            Host::Address(address) => address.to_string(),
            Host::Name(name) => name.clone(),
        };
        let usual = if self.is_tls { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

fn host_and_port(authority: &str) -> Option<(Host, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let address: Ipv6Addr = address.parse().ok()?;
        let port = if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) };
        return Some((Host::Address(address.into()), port));
    }
    match authority.split_once(':') {
        Some((name, port)) => Some((host(name)?, Some(port))),
        None => Some((host(authority)?, None)),
    }
}

fn host(text: &str) -> Option<Host> {
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let is_label = |label: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=LABEL_LEN_MAX).contains(&label.len()) && label.bytes().all(plain)
    };
    if name.len() > NAME_LEN_MAX || !name.split('.').all(is_label) {
        return None;
    }
    // No name of the internet ends in a number, and whatever does is an address to some reader.
    let last = name.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x");
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || hexadecimal.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if is_number {
        let address: Ipv4Addr = name.parse().ok()?;
        return Some(Host::Address(address.into()));
    }
    Some(Host::Name(name))
}

/// Path and query, without the fragment, which is nobody's but a browser's.
fn path_of(rest: &str) -> String {
    let asked = rest.split('#').next().unwrap_or_default();
    let mut path = String::with_capacity(asked.len() + 1);
    if !asked.starts_with('/') {
        path.push('/');
    }
    for byte in asked.bytes() {
        // Only ASCII goes over the line; the rest is written as browsers do.
        if byte.is_ascii() && !b"{}|^".contains(&byte) {
            path.push(char::from(byte));
        } else {
            path.push_str(&format!("%{byte:02X}"));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        for (text, origin, path) in [
            ("https://Shop.Example", "https://shop.example", "/"),
            (" http://shop.example:80/a?b=c#d ", "http://shop.example", "/a?b=c"),
            ("https://shop.example.:444?b=%20", "https://shop.example:444", "/?b=%20"),
            ("HTTP://10.1.2.3:8080/ñ", "http://10.1.2.3:8080", "/%C3%B1"),
            ("http://[::1]:9000/a", "http://[::1]:9000", "/a"),
            ("https://[2001:DB8::1]", "https://[2001:db8::1]", "/"),
            ("http://localhost:3000/a@b", "http://localhost:3000", "/a@b"),
            ("http://a_b.example/{x}", "http://a_b.example", "/%7Bx%7D"),
            ("https://0xshop.example/", "https://0xshop.example", "/"),
        ] {
            let read = Destination::parse(text).unwrap();
            assert_eq!((read.origin().as_str(), read.path()), (origin, path), "{text}");
        }
    }

    #[test]
    fn ports_of_other_protocols_are_refused() {
        for port in [1, 22, 25, 110, 587, 993, 6000, 6667, 10080] {
            let url = format!("https://shop.example:{port}/a");
            assert_eq!(Destination::parse(&url), Err(Trouble::ForbiddenPort), "{url}");
        }
        for port in [80, 443, 3000, 8080, 8443, 9000, 65535] {
            assert!(
                Destination::parse(&format!("https://shop.example:{port}/a")).is_ok(),
                "{port}"
            );
        }
    }

    #[test]
    fn what_readers_of_addresses_disagree_about_is_refused() {
        for text in [
            "",
            "shop.example/a",
            "ftp://shop.example",
            "https://",
            "https:///a",
            "https://user@shop.example",
            "https://shop.example\\@10.0.0.1/",
            "https://shop.example/a b",
            "https://shop.example/\nb",
            "https://shop..example",
            "https://.example",
            "https://peña.example",
            "https://shop.example:0",
            "https://shop.example:+80",
            "https://shop.example:65536",
            "https://[::1",
            "https://[::1]80",
            "https://[fe80::1%25eth0]/",
            "https://[127.0.0.1]",
            // Addresses in words that only some understand: decimal, octal, hexadecimal, short.
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://0x7F.1/",
            "http://0177.0.0.1/",
            "http://017700000001/",
            "http://127.1/",
            "http://127.0.0.01/",
            "http://127.0.0.1.5/",
            "http://shop.example.1/",
            "http://0x/",
        ] {
            assert_eq!(Destination::parse(text), Err(Trouble::InvalidUrl), "{text}");
        }
        let long = format!("https://shop.example/{}", "a".repeat(URL_LEN_MAX));
        assert_eq!(Destination::parse(&long), Err(Trouble::InvalidUrl));
        assert!(Destination::parse(&format!("https://{}.example", "a".repeat(64))).is_err());
    }
}
