//! Every key of the configuration, those of banks among them, with the value that it has unless something else is
//! said. The example file and the defaults are both made from this list, so that they cannot disagree.

use std::borrow::Cow;

use banks::{BANKS, SettingValue};

/// A key, its value, and what it is for.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// Its place in the file: `section.name`.
    pub(super) path: Cow<'static, str>,
    /// Its value as TOML.
    pub(super) value: Value,
    /// What it is for.
    pub(super) doc: &'static str,
}

/// Value of a key that nobody has set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// This.
    Default(&'static str),
    /// Nothing; the text is an example.
    Absent(&'static str),
}

const fn key(path: &'static str, default: &'static str, doc: &'static str) -> Key {
    Key { path: Cow::Borrowed(path), value: Value::Default(default), doc }
}

const fn absent(path: &'static str, example: &'static str, doc: &'static str) -> Key {
    Key { path: Cow::Borrowed(path), value: Value::Absent(example), doc }
}

/// Prefix of the sections of banks: `[banks.NAME]`.
pub(super) const BANKS_SECTION: &str = "banks.";

/// All of them: keys without a section first, those of a section together, banks last.
pub(super) fn keys() -> Vec<Key> {
    let of_banks = BANKS.iter().flat_map(|bank| {
        bank.settings.iter().map(|setting| Key {
            path: Cow::Owned(format!("{BANKS_SECTION}{}.{}", bank.name, setting.name)),
            value: match setting.value {
                SettingValue::Default(value) => Value::Default(value),
                SettingValue::Absent(example) => Value::Absent(example),
            },
            doc: setting.doc,
        })
    });
    KEYS.iter().cloned().chain(of_banks).collect()
}

/// Keys of the program itself, without those of banks.
const KEYS: &[Key] = &[
    key("listen", r#""127.0.0.1:8080""#, "Where HTTP is served: address and port."),
    key(
        "data",
        r#""./data""#,
        "The folder of the database file, the master key, the lock and the admin socket.",
    ),
    absent(
        "database",
        r#""postgres://cotejo@localhost/cotejo""#,
        "A PostgreSQL instead of the file in the data folder. The address may hold a password:\n\
         prefer COTEJO_DATABASE, which other users of the machine cannot read.",
    ),
    absent(
        "master_key_file",
        r#""/etc/cotejo/master.key""#,
        "The master key, where it is not DATA/master.key. Several nodes share one; keep a copy\n\
         apart from the backups of the database.",
    ),
    absent(
        "base_url",
        r#""https://cobros.example.com""#,
        "Where payers reach this service: payment links begin with it. Without it, what it listens at.",
    ),
    key(
        "log.level",
        r#""info""#,
        "error, warn, info, debug or trace; also by part: \"info,egress=debug\".",
    ),
    key("log.format", r#""auto""#, "plain, json, or auto: plain on a terminal, else json."),
    key(
        "http.connections_max",
        "10000",
        "How many connections are open at once. The limit of open files must be higher.",
    ),
    absent(
        "http.connections_per_address",
        "2500",
        "How many of them one address may have, or one /64 of IPv6; trusted proxies have no limit.\n\
         Without it, a quarter of http.connections_max, and 8 at least.",
    ),
    key(
        "http.connections_reserved",
        "16",
        "How many connections there may be besides, for health and metrics alone.",
    ),
    key("http.header_seconds", "10", "How long a client may take to send the head of a request."),
    key(
        "http.write_seconds",
        "10",
        "How long a client may take no byte of an answer before its connection is closed.",
    ),
    key(
        "http.answer_seconds",
        "60",
        "How long a client may take for a whole answer once it is slow. Of a page that follows\n\
         changes, for each change.",
    ),
    key(
        "http.send_buffer_kib",
        "128",
        "How much of an answer the system keeps for a client that is slow: 4 to 4096 KiB. Linux takes\n\
         up to twice as much memory.",
    ),
    key(
        "http.trusted_proxies",
        "[]",
        "Addresses and networks whose X-Forwarded-For is believed, such as \"10.0.0.0/8\".",
    ),
    key(
        "http.attempts_per_minute",
        "10",
        "Logins, failed credentials and payers' references of one address in a minute, each; 0: no limit.",
    ),
    key(
        "http.key_requests_per_minute",
        "0",
        "Requests of one API key in a minute, counted by each process alone; 0: no limit. With a\n\
         limit, every answer to a key says in RateLimit what is left.",
    ),
    key("verification.price", "1", "The credits that a new verification costs."),
    key(
        "verification.allow_test_bank",
        "true",
        "Whether the sandbox bank BANK_TEST is open. Better false where money is real.",
    ),
    key(
        "movements.retention_days",
        "90",
        "For how many days movements are kept that the bank has shown and that no question named, no notice of\n\
         the bank brought and nothing claimed: 7 to 3650. All others stay.",
    ),
    key(
        "movements.unnamed_for_keys",
        "false",
        "Whether API keys see such movements, too. Otherwise people alone do.",
    ),
    key("links.price", "1", "The credits that a payment link costs once it is paid."),
    key(
        "webhooks.header_word",
        r#""Service""#,
        "The word in the headers of webhooks: X-Service-Signature and the others. Receivers of an\n\
         installation under another name may expect its own.",
    ),
    key(
        "webhooks.allow_private",
        "false",
        "Whether webhooks may go to this machine and to private networks. For development alone:\n\
         otherwise the maker of a payment link could have anything inside be called.",
    ),
    key(
        "webhooks.refuse",
        "[]",
        "Addresses and networks that webhooks may not go to, such as your own public ones. Those that\n\
         are not on the internet need not be named.",
    ),
    key(
        "webhooks.deliver",
        "true",
        "Whether this process sends webhooks. False on a node that is to send none, where others on\n\
         the same database do, or as long as nothing is to go out.",
    ),
    key(
        "webhooks.retention_days",
        "90",
        "For how many days is kept what was sent to receivers and what they answered: 7 to 3650. What\n\
         proves it, its states, times and numbers stay.",
    ),
    absent(
        "mail.server",
        r#""smtp.example.com""#,
        "The mail server that takes invitations, resets of passwords and notices. Without it no mail is\n\
         sent, and one-time addresses are shown to the inviter.",
    ),
    absent(
        "mail.port",
        "587",
        "Its port. Without it 587, or 465 where mail.tls is implicit, or 25 where it is off.",
    ),
    key(
        "mail.tls",
        r#""starttls""#,
        "starttls, implicit (from the connection's beginning), or off, for a server on this machine alone.",
    ),
    absent(
        "mail.ca_file",
        r#""/etc/cotejo/mail-ca.pem""#,
        "Who vouches for the server's certificate, where nobody does whom the machine trusts: a file of\n\
         certificates (PEM), which are trusted in place of the machine's. It is read at the start.",
    ),
    absent("mail.user", r#""cobros""#, "Whom it knows us as, where it asks."),
    absent(
        "mail.password",
        r#""secreto""#,
        "The password of mail.user: prefer COTEJO_MAIL_PASSWORD, which other users of the machine cannot\n\
         read.",
    ),
    absent(
        "mail.from",
        r#""Cobros <cobros@example.com>""#,
        "Whom mail is from. A must where mail.server is set.",
    ),
    absent(
        "rates.url",
        r#""https://rates.example.com/bcv.json""#,
        "An address that reports exchange rates, as docs/guide/operate.md says. Without it they come by cotejo\n\
         rates add and cotejo rates import alone.",
    ),
    key("rates.interval_seconds", "600", "How often it is asked: 60 to 86400."),
    key("rates.timeout_seconds", "10", "How long it may take to answer: 1 to 60."),
    key(
        "rates.jump_percent",
        "10",
        "By how much a rate may differ from the one before, in percent of that: 1 to 1000. One that\n\
         differs by more is not taken until the operator records it by cotejo rates add --accept-jump.",
    ),
    key("password.memory_kib", "19456", "The memory that hashing a password takes (Argon2id)."),
    key("password.passes", "2", "The passes over that memory."),
    key(
        "sqlite.wal_max_mib",
        "4096",
        "How many MiB SQLite's write-ahead log may have while another program keeps it from being\n\
         checkpointed, or reads without a pause keep it from starting over (then 1024 at least); from\n\
         there on this service is not ready: 192 to 1048576. Nor is it where the log has taken more of\n\
         the disk than is left.",
    ),
    key(
        "postgres.connections",
        "8",
        "Connections that write. An owner's writes share one; claiming its deliveries and recording their results go by two others.",
    ),
    key("postgres.readers", "8", "Connections that read."),
    key(
        "postgres.batch",
        r#""across_owners""#,
        "Which writes may share a commit: across_owners, per_owner, or off.",
    ),
];
