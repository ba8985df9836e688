//! How to reach a server, and how a session with it begins.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use rustls::RootCertStore;
use tokio_postgres::Config as Address;
use tokio_postgres::config::{
    ChannelBinding, Host as AddressHost, LoadBalanceHosts, SslMode, SslNegotiation,
    TargetSessionAttrs,
};

use crate::socket::Encryption;
use crate::tls::{self, TlsError};

const PORT: u16 = 5432;

/// How long connecting to one address may take, where the address does not say.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Configuration of sessions: where the servers are, who we are, and what every session begins with.
#[derive(Clone)]
pub struct Config {
    address: Address,
    hosts: Vec<Host>,
    encryption: Encryption,
    answer_limit: Option<Duration>,
}

/// Place where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// The host to call, the name that its certificate must carry, and the port.
    Tcp { host: String, name: String, port: u16 },
    /// A socket of the file system.
    Unix(PathBuf),
}

/// Why an address is of no use. It never repeats the text, which holds a password.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// The text is neither a URL nor `key=value` pairs, or says something unknown.
    #[error("the database's address is not one of PostgreSQL")]
    Unreadable,
    /// It leaves out what must be said.
    #[error("the database's address has no {0}")]
    Missing(&'static str),
    /// It asks for what there is not.
    #[error("the database's address asks for {0}, which is not supported")]
    Unsupported(&'static str),
    /// TLS was asked for and cannot be had.
    #[error("TLS to the database is not possible")]
    Tls(#[from] TlsError),
}

impl Config {
    /// Reads an address: a URL, or `key=value` pairs. TLS is used where it says `sslmode=require` or `prefer`, and
    /// the server's certificate is checked against the authorities that the machine trusts then.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        Self::read(text, tls::machine_roots)
    }

    /// Reads the address as [`Config::parse`] does, but trusts these authorities instead of the machine's.
    ///
    /// # Errors
    /// As [`Config::parse`].
    pub fn parse_trusting(text: &str, authorities: RootCertStore) -> Result<Self, AddressError> {
        Self::read(text, || Ok(authorities))
    }

    fn read(
        text: &str,
        roots: impl FnOnce() -> Result<RootCertStore, TlsError>,
    ) -> Result<Self, AddressError> {
        let mut address: Address = text.parse().map_err(|_| AddressError::Unreadable)?;
        if address.get_user().is_none() {
            return Err(AddressError::Missing("user"));
        }
        // TLS unasked would refuse the self-made certificates that many servers on a private network
        // carry.
        if !text.contains("sslmode") {
            address.ssl_mode(SslMode::Disable);
        }
        refuse_what_there_is_not(&address)?;
        let encryption = match address.get_ssl_mode() {
            SslMode::Disable => Encryption::Off,
            SslMode::Prefer => Encryption::Preferred(tls::config(roots()?)?),
            _ => Encryption::Required(tls::config(roots()?)?),
        };
        Ok(Self { hosts: hosts(&address)?, address, encryption, answer_limit: None })
    }

    /// Sets the name that the session calls itself.
    #[must_use]
    pub fn application_name(mut self, name: &str) -> Self {
        self.address.application_name(name);
        self
    }

    /// Settings of every session, as `-c name=value`, unless the address sets them itself.
    #[must_use]
    pub fn default_options(mut self, options: &str) -> Self {
        let options = match self.address.get_options() {
            // The last one wins.
            Some(own) => format!("{options} {own}"),
            None => options.to_owned(),
        };
        self.address.options(options);
        self
    }

    /// A setting of every session, as `name=value`, whatever the address says.
    #[must_use]
    pub fn option(mut self, option: &str) -> Self {
        let options = self.address.get_options().unwrap_or_default();
        let options = format!("{options} -c {option}");
        self.address.options(options);
        self
    }

    /// The settings that every session begins with.
    #[must_use]
    pub fn options(&self) -> &str {
        self.address.get_options().unwrap_or_default()
    }

    /// How long the server may be silent while it owes an answer, after which the connection is given up; without one
    /// it may take any time. Longer than the server's own limits, so that it usually says itself what it gave up.
    #[must_use]
    pub fn answer_limit(mut self, limit: Option<Duration>) -> Self {
        self.answer_limit = limit;
        self
    }

    /// Passes over servers that take no writes, as `target_session_attrs=read-write` in the address does: those that
    /// follow another one.
    #[must_use]
    pub fn writable(mut self) -> Self {
        self.address.target_session_attrs(TargetSessionAttrs::ReadWrite);
        self
    }

    pub(crate) fn settings(&self) -> &Address {
        &self.address
    }

    pub(crate) fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Returns the places where servers are looked for, for people: hosts and ports, and nothing else of the address.
    #[must_use]
    pub fn places(&self) -> String {
        let place = |host: &Host| match host {
            Host::Tcp { host, port, .. } => format!("{host}:{port}"),
            Host::Unix(path) => path.display().to_string(),
        };
        self.hosts.iter().map(place).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn encryption(&self) -> &Encryption {
        &self.encryption
    }

    pub(crate) fn silence(&self) -> Option<Duration> {
        self.answer_limit
    }

    /// How long looking a host up may take, and then connecting to each of its addresses.
    pub(crate) fn connect_limit(&self) -> Duration {
        let said = self.address.get_connect_timeout().copied();
        said.filter(|limit| !limit.is_zero()).unwrap_or(CONNECT_LIMIT)
    }

    pub(crate) fn must_write(&self) -> bool {
        self.address.get_target_session_attrs() == TargetSessionAttrs::ReadWrite
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address holds a password.
        f.debug_struct("Config").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

/// Refuses what would not be done, instead of passing it over.
fn refuse_what_there_is_not(address: &Address) -> Result<(), AddressError> {
    let is_bound = address.get_channel_binding() == ChannelBinding::Require;
    let asked = [
        (
            is_bound && address.get_ssl_mode() == SslMode::Disable,
            "channel_binding=require without sslmode=require",
        ),
        (address.get_ssl_negotiation() == SslNegotiation::Direct, "sslnegotiation=direct"),
        (address.get_load_balance_hosts() == LoadBalanceHosts::Random, "load_balance_hosts=random"),
        (
            address.get_target_session_attrs() == TargetSessionAttrs::ReadOnly,
            "target_session_attrs=read-only",
        ),
    ];
    match asked.into_iter().find(|(is_asked, _)| *is_asked) {
        Some((_, what)) => Err(AddressError::Unsupported(what)),
        None => Ok(()),
    }
}

/// Returns the places where servers listen, in the order of the address: its hosts, or the addresses in their stead,
/// each with its port or the one port of all.
fn hosts(address: &Address) -> Result<Vec<Host>, AddressError> {
    let (hosts, addresses, ports) =
        (address.get_hosts(), address.get_hostaddrs(), address.get_ports());
    let host = |index: usize| {
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(PORT);
        let numbers = addresses.get(index).map(IpAddr::to_string);
        match (hosts.get(index), numbers) {
            (Some(AddressHost::Unix(folder)), None) => {
                Ok(Host::Unix(folder.join(format!(".s.PGSQL.{port}"))))
            }
            (Some(AddressHost::Tcp(name)), numbers) => Ok(Host::Tcp {
                host: numbers.unwrap_or_else(|| name.clone()),
                name: name.clone(),
                port,
            }),
            (_, Some(numbers)) => Ok(Host::Tcp { name: numbers.clone(), host: numbers, port }),
            (None, None) => Err(AddressError::Missing("host")),
        }
    };
    (0..hosts.len().max(addresses.len()).max(1)).map(host).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the machine's authorities, which a test machine need not have.
    fn parse(text: &str) -> Result<Config, AddressError> {
        Config::parse_trusting(text, RootCertStore::empty())
    }

    #[test]
    fn an_address_that_cannot_be_read_is_not_repeated() {
        for url in ["postgres://me:hunter2@[::1", "password=hunter2 colour=red", "hunter2"] {
            let error = parse(url).unwrap_err();
            assert!(!format!("{error:?} {error}").contains("hunter2"), "{url}");
        }
        let config = parse("postgres://me:hunter2@db/cotejo").unwrap();
        assert_eq!(config.places(), "db:5432");
        assert!(!format!("{config:?}").contains("hunter2"));
    }

    #[test]
    fn what_is_missing_or_cannot_be_had_is_said() {
        for (url, error) in [
            ("postgres://db/cotejo", "the database's address has no user"),
            ("user=me", "the database's address has no host"),
            (
                "postgres://me@db/cotejo?channel_binding=require",
                "the database's address asks for channel_binding=require without sslmode=require, \
                 which is not supported",
            ),
            (
                "postgres://me@db/cotejo?load_balance_hosts=random",
                "the database's address asks for load_balance_hosts=random, which is not supported",
            ),
        ] {
            assert_eq!(parse(url).unwrap_err().to_string(), error, "{url}");
        }
    }

    #[test]
    fn every_host_of_the_address_is_known() {
        let tcp = |host: &str, name: &str, port| {
            let (host, name) = (host.to_owned(), name.to_owned());
            Host::Tcp { host, name, port }
        };
        for (url, expected) in [
            ("postgres://me@db/cotejo", vec![tcp("db", "db", 5432)]),
            ("postgres://me@one:1,two:2/x", vec![tcp("one", "one", 1), tcp("two", "two", 2)]),
            ("user=me host=db hostaddr=127.0.0.1 port=7", vec![tcp("127.0.0.1", "db", 7)]),
            ("user=me hostaddr=127.0.0.1", vec![tcp("127.0.0.1", "127.0.0.1", 5432)]),
            ("user=me host=/run/pg port=9", vec![Host::Unix("/run/pg/.s.PGSQL.9".into())]),
        ] {
            assert_eq!(parse(url).unwrap().hosts(), expected, "{url}");
        }
    }

    #[test]
    fn tls_is_used_where_it_is_asked_for() {
        let mode = |url| match parse(url).unwrap().encryption() {
            Encryption::Off => "off",
            Encryption::Preferred(_) => "preferred",
            Encryption::Required(_) => "required",
        };
        assert_eq!(mode("postgres://me@db/cotejo"), "off");
        assert_eq!(mode("postgres://me@db/cotejo?sslmode=prefer"), "preferred");
        assert_eq!(mode("postgres://me@db/cotejo?sslmode=require"), "required");
    }

    #[test]
    fn the_address_wins_over_defaults_and_nothing_over_an_option() {
        let config = parse("postgres://me@db/cotejo?options=-c%20lock_timeout%3D1s").unwrap();
        let config = config.default_options("-c lock_timeout=5s").option("lock_timeout=2s");
        assert_eq!(config.options(), "-c lock_timeout=5s -c lock_timeout=1s -c lock_timeout=2s");
    }

    #[test]
    fn the_time_to_connect_is_the_addresss() {
        let limit = |url| parse(url).unwrap().connect_limit().as_secs();
        assert_eq!(limit("postgres://me@db/cotejo"), 5);
        assert_eq!(limit("postgres://me@db/cotejo?connect_timeout=3"), 3);
    }
}
