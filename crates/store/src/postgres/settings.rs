//! How to reach a PostgreSQL, and the limits that every session begins with.

use std::time::Duration;

use domain::secret::SecretText;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::tls::TlsError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long data may stay unacknowledged before the connection counts as lost.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;

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
    /// How many connections write. An owner's writes all take the same one.
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
    /// TLS was asked for and cannot be had.
    #[error("TLS to the database is not possible")]
    Tls(#[from] TlsError),
}

/// What the driver needs to know, from the settings.
pub(super) fn driver(settings: &Settings) -> Result<Config, AddressError> {
    let text = settings.url.expose();
    let mut config: Config = text.parse().map_err(|_| AddressError::Unreadable)?;
    // The driver would try TLS unasked, and then refuse the self-made certificates that many
    // servers on a private network carry.
    if !text.contains("sslmode") {
        config.ssl_mode(SslMode::Disable);
    }
    let options = match config.get_options() {
        // The installation's own come last, so that they win.
        Some(own) => format!("{LIMITS} {own}"),
        None => LIMITS.to_owned(),
    };
    config
        .options(options)
        .application_name("cotejo")
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(UNACKNOWLEDGED)
        .keepalives(true)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_RETRIES);
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_cannot_be_read_is_not_repeated() {
        for url in ["postgres://me:hunter2@[::1", "password=hunter2 colour=red", "hunter2"] {
            let settings = Settings::at(url);
            let error = driver(&settings).unwrap_err();
            assert!(!format!("{error:?} {error} {settings:?}").contains("hunter2"), "{url}");
        }
    }

    #[test]
    fn tls_is_used_where_it_is_asked_for() {
        for (url, mode) in [
            ("postgres://db/cotejo", SslMode::Disable),
            ("postgres://db/cotejo?sslmode=prefer", SslMode::Prefer),
            ("postgres://db/cotejo?sslmode=require", SslMode::Require),
        ] {
            assert_eq!(driver(&Settings::at(url)).unwrap().get_ssl_mode(), mode, "{url}");
        }
    }

    #[test]
    fn limits_of_the_installation_win() {
        let settings = Settings::at("postgres://db/cotejo?options=-c%20lock_timeout%3D1s");
        let config = driver(&settings).unwrap();
        assert!(config.get_options().unwrap().ends_with("-c lock_timeout=1s"));
    }
}
