//! The configuration: read once at the start, checked whole, and typed from then on.

mod banks;
mod keys;
mod layers;
mod mail;
mod rates;

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use app::settings::{PasswordCost, Settings};
use domain::money::Credits;
use domain::network::Network;
use domain::secret::SecretText;
use domain::url::UrlText;
use domain::webhooks::HeaderWord;
use egress::{MailSettings, Reach};
use store::{Batch, PostgresSettings, SqliteSettings};
use tracing_subscriber::filter::Targets;

pub use self::banks::OpenBank;
use self::keys::{Value, keys};
use self::layers::{Layers, Source, variable};
pub use self::rates::Rates;

/// The file of the master key in the data folder.
const MASTER_KEY: &str = "master.key";

/// True if password hashes may cost next to nothing, as tests want it: only in builds for development. No setting of a
/// released program changes this.
const CHEAP_PASSWORDS: bool = cfg!(debug_assertions);

/// True if commits may be answered before they are on the disk, as tests that lose no power want it: only in builds for
/// development, and by no key of the configuration.
const MAY_SKIP_SYNCS: bool = cfg!(debug_assertions);

/// How long a read may take where commits are not synced: whether a test passes is not for its machine to decide.
const TEST_READ_LIMIT: Duration = Duration::from_secs(60);

/// Everything that the operator can set, and what tests set besides.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where HTTP is served.
    pub listen: SocketAddr,
    /// The data folder.
    pub data: PathBuf,
    /// The PostgreSQL to use instead of a file, with its pool.
    pub postgres: Option<PostgresSettings>,
    /// Whether a commit to the file is on the disk before it is answered. No key leads here.
    pub syncs: bool,
    /// How many bytes SQLite's write-ahead log may have before a program that holds it keeps this one from being ready.
    pub wal_bytes_max: u64,
    /// Where the master key is.
    pub master_key_file: PathBuf,
    /// Whether somebody said where it is.
    pub names_master_key: bool,
    /// What is logged, and how.
    pub log: Log,
    /// Limits of the HTTP server.
    pub http: Http,
    /// The banks that are open here.
    pub banks: Vec<OpenBank>,
    /// How webhooks go out.
    pub webhooks: Webhooks,
    /// The mail server, where mail is sent.
    pub mail: Option<MailSettings>,
    /// The address that returns exchange rates, where one is asked.
    pub rates: Option<Rates>,
    /// Prices and switches.
    pub settings: Settings,
}

/// Levels and form of the log.
#[derive(Clone, Debug)]
pub struct Log {
    /// From which level, by part of the program.
    pub level: Targets,
    /// In which form.
    pub format: LogFormat,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Plain on a terminal, JSON elsewhere.
    Auto,
    /// For people.
    Plain,
    /// One JSON object for each line.
    Json,
}

/// Limits of the HTTP server.
#[derive(Clone, Debug)]
pub struct Http {
    /// How many connections are open at once.
    pub connections_max: usize,
    /// How many of them one address may have; `None`: a quarter.
    pub connections_per_address: Option<usize>,
    /// How many there may be besides, for health and metrics alone.
    pub connections_reserved: usize,
    /// How long a client may take to send the head of a request.
    pub header_timeout: Duration,
    /// How long the next byte of an answer may wait to be taken.
    pub write_timeout: Duration,
    /// How long the whole of an answer may wait to be taken.
    pub answer_timeout: Duration,
    /// How many bytes of an answer the system keeps for a connection.
    pub send_buffer_len: usize,
    /// Whose word about client addresses is believed.
    pub trusted_proxies: Vec<Network>,
    /// Logins, failed credentials and payers' references of one address in a minute, each; `None`: no
    /// limit.
    pub attempts_per_minute: Option<NonZeroU32>,
    /// Requests of one key in a minute; `None`: no limit.
    pub key_requests_per_minute: Option<NonZeroU32>,
}

/// The least that is a quarter of the places: an office behind one address opens so many.
const SHARE_MIN: usize = 8;

impl Http {
    /// How many connections one address may have.
    #[must_use]
    pub fn share(&self) -> usize {
        let share = self.connections_per_address;
        share.unwrap_or((self.connections_max / 4).max(SHARE_MIN)).min(self.connections_max)
    }
}

/// Configuration given on the command line.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The configuration file.
    pub config: Option<PathBuf>,
    /// Where HTTP is served.
    pub listen: Option<String>,
    /// The data folder.
    pub data: Option<PathBuf>,
    /// The PostgreSQL to use.
    pub database: Option<SecretText>,
    /// Where the master key is.
    pub master_key_file: Option<PathBuf>,
    /// Whether logs are JSON also on a terminal.
    pub json_logs: bool,
    /// Whether webhooks may go to this machine and private networks.
    pub allow_private_webhooks: bool,
}

/// How webhooks go out.
#[derive(Clone, Debug)]
pub struct Webhooks {
    /// The word in the names of their headers.
    pub header_word: HeaderWord,
    /// Whom they may go to.
    pub reach: Reach,
    /// Networks that they may not go to, besides.
    pub refuse: Vec<Network>,
    /// Whether this process sends them.
    pub deliver: bool,
}

/// Why the configuration is of no use.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration file {} cannot be read: {error}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The file is not TOML. Its own lines are not part of the message: they may hold passwords.
    #[error("{place} is not TOML: line {line}, column {column}: {problem}")]
    Toml {
        /// Where the text is from.
        place: Source,
        /// The line, counted from 1.
        line: usize,
        /// The character of the line, counted from 1.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
    /// The file has a key that means nothing.
    #[error("unknown key {given} in the configuration{right}")]
    UnknownKey {
        /// The key.
        given: String,
        /// What was probably meant.
        right: String,
    },
    /// The environment has a variable that means nothing.
    #[error("unknown variable {given} in the environment{right}")]
    UnknownVariable {
        /// The variable.
        given: String,
        /// What was probably meant.
        right: String,
    },
    /// A section or a variable is of a bank that there is no connector for.
    #[error("unknown bank {given} in {place}; banks are: {known}")]
    UnknownBank {
        /// The bank.
        given: String,
        /// Where it is named.
        place: Source,
        /// The banks that there are.
        known: String,
    },
    /// A value is not what it must be.
    #[error("{name}: {problem}")]
    Value {
        /// The key, variable or flag.
        name: String,
        /// What is wrong with its value, without the value.
        problem: String,
    },
}

impl Config {
    /// Lays file, environment and flags over the defaults, and checks what comes of it.
    ///
    /// # Errors
    /// [`ConfigError`] names the key and says what is wrong; it never repeats a value.
    pub fn load(
        flags: &Flags,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let environment: Vec<_> = environment.into_iter().collect();
        let mut layers = Layers::new()?;
        let named = environment.iter().find(|(name, _)| name == layers::CONFIG_VARIABLE);
        let file = flags.config.clone().or_else(|| named.map(|(_, path)| path.into()));
        if let Some(file) = file {
            layers.add_file(&file)?;
        }
        layers.add_environment(environment)?;
        for (path, value) in [
            ("listen", flags.listen.clone()),
            ("data", flags.data.as_ref().map(|path| path.display().to_string())),
            ("database", flags.database.as_ref().map(|url| url.expose().to_owned())),
            (
                "master_key_file",
                flags.master_key_file.as_ref().map(|path| path.display().to_string()),
            ),
            ("webhooks.allow_private", flags.allow_private_webhooks.then(|| "true".to_owned())),
            ("log.format", flags.json_logs.then(|| "json".to_owned())),
        ] {
            if let Some(value) = value {
                layers.set_flag(path, value);
            }
        }
        Self::read(&layers)
    }

    /// The store in that file.
    pub(crate) fn sqlite(&self, file: PathBuf) -> SqliteSettings {
        let settings =
            SqliteSettings { wal_bytes_max: self.wal_bytes_max, ..SqliteSettings::new(file) };
        if self.syncs || !MAY_SKIP_SYNCS {
            return settings;
        }
        SqliteSettings { syncs: false, read_limit: TEST_READ_LIMIT, ..settings }
    }

    fn read(layers: &Layers) -> Result<Self, ConfigError> {
        let data: PathBuf = layers.parse("data")?;
        let master_key_file = layers.read("master_key_file", |text| Ok(PathBuf::from(text)))?;
        Ok(Self {
            listen: layers.read_with("listen", listen)?,
            names_master_key: master_key_file.is_some(),
            master_key_file: master_key_file.unwrap_or_else(|| data.join(MASTER_KEY)),
            data,
            postgres: postgres(layers)?,
            syncs: true,
            wal_bytes_max: layers.read_with("sqlite.wal_max_mib", wal_max)?,
            log: Log {
                level: layers.read_with("log.level", log_level)?,
                format: layers.read_with("log.format", log_format)?,
            },
            http: http(layers)?,
            banks: banks::read(layers)?,
            webhooks: Webhooks {
                header_word: layers.parse("webhooks.header_word")?,
                reach: match layers.parse("webhooks.allow_private")? {
                    true => Reach::Anywhere,
                    false => Reach::Internet,
                },
                refuse: layers.read_with("webhooks.refuse", networks)?,
                deliver: layers.parse("webhooks.deliver")?,
            },
            mail: mail::read(layers)?,
            rates: rates::read(layers)?,
            settings: Settings {
                verification_price: layers.read_with("verification.price", price)?,
                link_price: layers.read_with("links.price", price)?,
                base_url: base_url(layers)?,
                allow_test_bank: layers.parse("verification.allow_test_bank")?,
                password_cost: password_cost(layers, CHEAP_PASSWORDS)?,
                delivery_retention: layers.read_with("webhooks.retention_days", retention)?,
                movement_retention: layers.read_with("movements.retention_days", retention)?,
                unnamed_movements_for_keys: layers.parse("movements.unnamed_for_keys")?,
            },
        })
    }

    /// The text of `config.example.toml`: every key with its value, commented out.
    #[must_use]
    pub fn example() -> String {
        let mut text = String::from(
            "# The configuration of Cotejo. Every line that is commented out shows what holds\n\
             # without it, or an example where nothing does. A variable COTEJO_<KEY> of the\n\
             # environment wins over this file, and a flag of the command line over both.\n",
        );
        let mut section = String::new();
        for key in keys() {
            let (of, name) = key.path.rsplit_once('.').unwrap_or(("", &key.path));
            if of != section {
                text.push_str(&format!("\n[{of}]\n"));
                of.clone_into(&mut section);
            }
            let (Value::Default(value) | Value::Absent(value)) = key.value;
            let doc = key.doc.replace('\n', "\n# ");
            let variable = variable(&key.path);
            text.push_str(&format!("\n# {doc}\n# {variable}\n#{name} = {value}\n"));
        }
        text
    }
}

/// Returns the address where payers reach the service. By default it is the address that it listens at.
fn base_url(layers: &Layers) -> Result<String, ConfigError> {
    let said = layers.read("base_url", |text| {
        let url = UrlText::parse(text).map_err(|error| error.to_string())?;
        Ok(url.as_str().trim_end_matches('/').to_owned())
    })?;
    match said {
        Some(url) => Ok(url),
        None => Ok(format!("http://{}", layers.parse::<SocketAddr>("listen")?)),
    }
}

/// How much work one password hash takes, which is not less than guessing must cost.
fn password_cost(layers: &Layers, is_cheap_allowed: bool) -> Result<PasswordCost, ConfigError> {
    let passes: u32 = layers.read_with("password.passes", at_least_one)?;
    let memory_kib = layers.read_with("password.memory_kib", |text| {
        let memory_kib: u32 = at_least_one(text)?;
        let least = PasswordCost::least_memory_kib(passes);
        match memory_kib < least && !is_cheap_allowed {
            true => Err(format!(
                "must be at least {least} with password.passes = {passes}, so that a stolen hash is hard to guess"
            )),
            false => Ok(memory_kib),
        }
    })?;
    Ok(PasswordCost { memory_kib, passes })
}

fn postgres(layers: &Layers) -> Result<Option<PostgresSettings>, ConfigError> {
    let connections = layers.read_with("postgres.connections", at_least_one)?;
    let readers = layers.read_with("postgres.readers", at_least_one)?;
    let batch = layers.read_with("postgres.batch", batch)?;
    let url = layers.read("database", |text| {
        // Whether the rest makes sense, the driver says when it connects.
        let is_postgres = ["postgres://", "postgresql://"].iter().any(|p| text.starts_with(p));
        if is_postgres {
            Ok(SecretText::from(text))
        } else {
            Err("must begin with postgres://; without it, the data folder has the database"
                .to_owned())
        }
    })?;
    Ok(url.map(|url| PostgresSettings { connections, readers, batch, ..PostgresSettings::at(url) }))
}

fn http(layers: &Layers) -> Result<Http, ConfigError> {
    let seconds = |path| layers.read_with(path, at_least_one).map(Duration::from_secs);
    let kibibytes: usize = layers.read_with("http.send_buffer_kib", buffer)?;
    Ok(Http {
        connections_max: layers.read_with("http.connections_max", at_least_one)?,
        connections_per_address: layers.read("http.connections_per_address", at_least_one)?,
        connections_reserved: layers.read_with("http.connections_reserved", at_least_one)?,
        header_timeout: seconds("http.header_seconds")?,
        write_timeout: seconds("http.write_seconds")?,
        answer_timeout: seconds("http.answer_seconds")?,
        send_buffer_len: kibibytes * 1024,
        trusted_proxies: layers.read_with("http.trusted_proxies", networks)?,
        attempts_per_minute: NonZeroU32::new(layers.parse("http.attempts_per_minute")?),
        key_requests_per_minute: NonZeroU32::new(layers.parse("http.key_requests_per_minute")?),
    })
}

/// A length of the write-ahead log that is beyond the one at which it is checkpointed, in bytes.
fn wal_max(text: &str) -> Result<u64, String> {
    let mebibytes = text.parse::<u64>().ok().filter(|number| (192..=1_048_576).contains(number));
    mebibytes
        .map(|mebibytes| mebibytes << 20)
        .ok_or_else(|| "must be a whole number of MiB from 192 to 1048576".to_owned())
}

fn buffer(text: &str) -> Result<usize, String> {
    let kibibytes = text.parse().ok().filter(|kibibytes| (4..=4_096).contains(kibibytes));
    kibibytes.ok_or_else(|| "must be a whole number of KiB from 4 to 4096".to_owned())
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    let problem =
        "must be an address and a port, such as 127.0.0.1:8080, or [::]:8080 for every address";
    text.parse().map_err(|_| problem.to_owned())
}

/// The levels that there are, as they are written.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// A level, or one for each part. A word that is no level would be taken for the name of a part, and everything else
/// would be off.
fn log_level(text: &str) -> Result<Targets, String> {
    let problem =
        || format!("must be one of {}, also by part: \"info,egress=debug\"", LEVELS.join(", "));
    let is_level = |word: &str| LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
    let mut parts = text.split(',').map(|part| part.rsplit('=').next().unwrap_or(part).trim());
    if !parts.all(is_level) {
        return Err(problem());
    }
    text.parse().map_err(|_| problem())
}

fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "auto" => Ok(LogFormat::Auto),
        "plain" => Ok(LogFormat::Plain),
        "json" => Ok(LogFormat::Json),
        _ => Err("must be auto, plain or json".to_owned()),
    }
}

fn batch(text: &str) -> Result<Batch, String> {
    match text {
        "across_owners" => Ok(Batch::AcrossOwners),
        "per_owner" => Ok(Batch::PerOwner),
        "off" => Ok(Batch::Off),
        _ => Err("must be across_owners, per_owner or off".to_owned()),
    }
}

fn networks(text: &str) -> Result<Vec<Network>, String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(|item| item.parse().map_err(|_| format!("{item} is no network"))).collect()
}

fn price(text: &str) -> Result<Credits, String> {
    let credits = text.parse().ok().map(Credits::new);
    credits
        .filter(|price| (Credits::ZERO..=Credits::MAX).contains(price))
        .ok_or_else(|| "must be a whole number of credits".to_owned())
}

fn retention(text: &str) -> Result<Duration, String> {
    let days = text.parse::<u64>().ok().filter(|days| (7..=3_650).contains(days));
    days.map(|days| Duration::from_secs(days * 24 * 60 * 60))
        .ok_or_else(|| "must be a number of days from 7 to 3650".to_owned())
}

fn at_least_one<T: TryFrom<u32>>(text: &str) -> Result<T, String> {
    let number = text.parse::<u32>().ok().filter(|number| *number > 0);
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| "must be a whole number above 0".to_owned())
}

#[cfg(test)]
mod tests;
