//! How to reach a PostgreSQL, and the limits that every session begins with.

use std::net::IpAddr;
use std::time::Duration;

use domain::secret::SecretText;
use tokio_postgres::Config;
use tokio_postgres::config::{
    ChannelBinding, Host, LoadBalanceHosts, SslMode, SslNegotiation, TargetSessionAttrs,
};

use super::socket::Place;
use super::tls::TlsError;

/// How long one address may take to answer, and then each message until the session has begun.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long data may stay unacknowledged before the connection counts as lost.
pub(super) const UNACKNOWLEDGED: Duration = Duration::from_secs(10);
pub(super) const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
pub(super) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
pub(super) const KEEPALIVE_RETRIES: u32 = 3;

const PORT: u16 = 5432;

/// The server gives up on what takes longer, so that neither a lock nor a lost node holds up the
/// others. The limits come with the connection: a `set` later would be lost in a pooler.
const LIMITS: &str = "-c lock_timeout=5s -c statement_timeout=15s \
     -c idle_in_transaction_session_timeout=10s";

/// A PostgreSQL and how to use it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address, user, password and database, as a URL or as `key=value` pairs. TLS is used
    /// where it says `sslmode=require` or `prefer`.
    pub url: SecretText,
    /// How many connections write. An owner's writes all take the same one, but taking its deliveries and
    /// keeping what came of them, which have another each.
    pub connections: usize,
    /// How many connections read.
    pub readers: usize,
    /// Which jobs may share a transaction.
    pub batch: Batch,
}

impl Settings {
    /// The usual settings for the database at `url`.
    #[must_use]
    pub fn at(url: impl Into<SecretText>) -> Self {
        Self { url: url.into(), connections: 8, readers: 8, batch: Batch::AcrossOwners }
    }
}

/// Which jobs may share a transaction, and so one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// Any: the best use of a single server.
    AcrossOwners,
    /// Those of one owner: what a distributed database can commit in one place.
    PerOwner,
    /// None: a transaction for every job.
    Off,
}

/// Why the database's address is of no use. It never repeats the text, which holds a password.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// The text is neither a URL nor `key=value` pairs, or says something unknown.
    #[error("the database's address is not one of PostgreSQL")]
    Unreadable,
    /// It leaves out what must be said.
    #[error("the database's address says no {0}")]
    Missing(&'static str),
    /// It asks for what there is not.
    #[error("the database's address asks for {0}, which there is not")]
    Unsupported(&'static str),
    /// TLS was asked for and cannot be had.
    #[error("TLS to the database is not possible")]
    Tls(#[from] TlsError),
}

/// What a session needs to know, from the settings.
pub(super) fn config(settings: &Settings) -> Result<Config, AddressError> {
    let text = settings.url.expose();
    let mut config: Config = text.parse().map_err(|_| AddressError::Unreadable)?;
    if config.get_user().is_none() {
        return Err(AddressError::Missing("user"));
    }
    refuse_what_there_is_not(&config)?;
    // TLS unasked would refuse the self-made certificates that many servers on a private network
    // carry.
    if !text.contains("sslmode") {
        config.ssl_mode(SslMode::Disable);
    }
    let options = match config.get_options() {
        // The installation's own come last, so that they win.
        Some(own) => format!("{LIMITS} {own}"),
        None => LIMITS.to_owned(),
    };
    config.options(options).application_name("cotejo");
    Ok(config)
}

/// What would not be done is refused instead of being passed over.
fn refuse_what_there_is_not(config: &Config) -> Result<(), AddressError> {
    let asked = [
        (config.get_channel_binding() == ChannelBinding::Require, "channel_binding=require"),
        (config.get_ssl_negotiation() == SslNegotiation::Direct, "sslnegotiation=direct"),
        (config.get_load_balance_hosts() == LoadBalanceHosts::Random, "load_balance_hosts=random"),
        (
            config.get_target_session_attrs() == TargetSessionAttrs::ReadOnly,
            "target_session_attrs=read-only",
        ),
    ];
    match asked.into_iter().find(|(is_asked, _)| *is_asked) {
        Some((_, what)) => Err(AddressError::Unsupported(what)),
        None => Ok(()),
    }
}

/// Where servers listen, in the order of the address: its hosts, or the addresses in their stead, each
/// with its port or the one port of all.
pub(super) fn places(config: &Config) -> Result<Vec<Place>, AddressError> {
    let (hosts, addresses, ports) =
        (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let place = |index: usize| {
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(PORT);
        let address = addresses.get(index).map(IpAddr::to_string);
        match (hosts.get(index), address) {
            (Some(Host::Unix(folder)), None) => {
                Ok(Place::Unix(folder.join(format!(".s.PGSQL.{port}"))))
            }
            (Some(Host::Tcp(name)), address) => Ok(Place::Tcp {
                host: address.unwrap_or_else(|| name.clone()),
                name: name.clone(),
                port,
            }),
            (_, Some(address)) => Ok(Place::Tcp { name: address.clone(), host: address, port }),
            (None, None) => Err(AddressError::Missing("host")),
        }
    };
    (0..hosts.len().max(addresses.len()).max(1)).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_cannot_be_read_is_not_repeated() {
        for url in ["postgres://me:hunter2@[::1", "password=hunter2 colour=red", "hunter2"] {
            let settings = Settings::at(url);
            let error = config(&settings).unwrap_err();
            assert!(!format!("{error:?} {error} {settings:?}").contains("hunter2"), "{url}");
        }
    }

    #[test]
    fn what_is_missing_or_cannot_be_had_is_said() {
        for (url, error) in [
            ("postgres://db/cotejo", "the database's address says no user"),
            ("user=me", "the database's address says no host"),
            (
                "postgres://me@db/cotejo?channel_binding=require",
                "the database's address asks for channel_binding=require, which there is not",
            ),
        ] {
            let result = config(&Settings::at(url)).and_then(|config| places(&config));
            assert_eq!(result.unwrap_err().to_string(), error, "{url}");
        }
    }

    #[test]
    fn every_server_of_the_address_has_its_place() {
        let tcp = |host: &str, name: &str, port| {
            let (host, name) = (host.to_owned(), name.to_owned());
            Place::Tcp { host, name, port }
        };
        for (url, expected) in [
            ("postgres://me@db/cotejo", vec![tcp("db", "db", 5432)]),
            ("postgres://me@one:1,two:2/x", vec![tcp("one", "one", 1), tcp("two", "two", 2)]),
            ("user=me host=db hostaddr=127.0.0.1 port=7", vec![tcp("127.0.0.1", "db", 7)]),
            ("user=me hostaddr=127.0.0.1", vec![tcp("127.0.0.1", "127.0.0.1", 5432)]),
            ("user=me host=/run/pg port=9", vec![Place::Unix("/run/pg/.s.PGSQL.9".into())]),
        ] {
            let config = config(&Settings::at(url)).unwrap();
            assert_eq!(places(&config).unwrap(), expected, "{url}");
        }
    }

    #[test]
    fn tls_is_used_where_it_is_asked_for() {
        for (url, mode) in [
            ("postgres://me@db/cotejo", SslMode::Disable),
            ("postgres://me@db/cotejo?sslmode=prefer", SslMode::Prefer),
            ("postgres://me@db/cotejo?sslmode=require", SslMode::Require),
        ] {
            assert_eq!(config(&Settings::at(url)).unwrap().get_ssl_mode(), mode, "{url}");
        }
    }

    #[test]
    fn limits_of_the_installation_win() {
        let settings = Settings::at("postgres://me@db/cotejo?options=-c%20lock_timeout%3D1s");
        let config = config(&settings).unwrap();
        assert!(config.get_options().unwrap().ends_with("-c lock_timeout=1s"));
    }
}
