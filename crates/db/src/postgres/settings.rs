//! How to reach a PostgreSQL, and the limits that every session begins with.

use std::time::Duration;

use domain::secret::SecretText;
use pg::{AddressError, Config};

/// The server gives up on what takes longer, so that neither a lock nor a lost node holds up the
/// others. They come with the connection: a `set` later would be lost in a pooler.
///
/// Every statement has an index, and none is to read a whole table instead. A new database has no statistics: what is
/// prepared while its tables are empty would read them whole until the server has gathered some, which takes it up to a
/// minute (measured: a third to a half of the rate until then).
const SESSION: &str = "-c lock_timeout=5s -c statement_timeout=15s \
     -c idle_in_transaction_session_timeout=10s -c enable_seqscan=off";

/// How long a server may be silent that owes an answer. One that is well has given the statement up long before.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// A PostgreSQL and how to use it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address, user, password and database, as a URL or as `key=value` pairs. TLS is used
    /// where it says `sslmode=require` or `prefer`.
    pub url: SecretText,
    /// How many connections write. An owner's writes all take the same one, but claiming its deliveries and
    /// recording their results, which have another each.
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

/// How every session begins, from the settings.
pub(super) fn config(settings: &Settings) -> Result<Config, AddressError> {
    let config = Config::parse(settings.url.expose())?;
    // An installation that sets its own limit for statements may wait longer than we would.
    let has_own_limit = config.options().contains("statement_timeout");
    let limit = (!has_own_limit).then_some(ANSWER_LIMIT);
    Ok(config.application_name("cotejo").default_options(SESSION).answer_limit(limit))
}

/// For sessions that cannot write outside a transaction either.
pub(super) fn read_only(config: &Config) -> Config {
    config.clone().option("default_transaction_read_only=on")
}

/// For statements that may take as long as they need, and may read whole tables.
pub(super) fn without_time_limit(config: &Config) -> Config {
    config.clone().option("statement_timeout=0").option("enable_seqscan=on").answer_limit(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_installation_win() {
        let settings = Settings::at("postgres://me@db/cotejo?options=-c%20lock_timeout%3D1s");
        let config = config(&settings).unwrap();
        assert!(config.options().ends_with("-c lock_timeout=1s"));
    }

    #[test]
    fn no_statement_of_the_service_reads_a_whole_table() {
        let config = config(&Settings::at("postgres://me@db/cotejo")).unwrap();
        assert!(config.options().ends_with("-c enable_seqscan=off"));
        assert!(read_only(&config).options().contains("-c enable_seqscan=off"));
        assert!(without_time_limit(&config).options().ends_with("-c enable_seqscan=on"));
    }

    #[test]
    fn an_address_that_cannot_be_read_is_not_repeated() {
        let settings = Settings::at("postgres://me:hunter2@[::1");
        let error = config(&settings).unwrap_err();
        assert!(!format!("{error:?} {error} {settings:?}").contains("hunter2"));
    }
}
