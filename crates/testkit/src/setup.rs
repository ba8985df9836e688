//! How a service under test is set up: like a real one, but for the price of a password and a clock
//! that stands still.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::Mutex;

use app::settings::PasswordCost;
use cotejo::{Config, Flags, Webhooks};
use domain::ids::IdSource;
use domain::money::Credits;
use domain::time::Timestamp;
use domain::webhooks::HeaderWord;
use egress::{Internet, MailSettings, Reach};

use crate::VirtualClock;
use crate::bank::SimulatedBank;
use crate::clock::START;
use crate::database::Engine;
use crate::folder::Folder;

/// The least that Argon2id takes.
const CHEAP: PasswordCost = PasswordCost { memory_kib: 8, passes: 1 };

/// Connections to PostgreSQL. A test server has to be enough for many tests at once.
const CONNECTIONS: usize = 2;

/// How a service under test is set up.
#[derive(Clone, Debug)]
pub struct Setup {
    pub(crate) engine: Engine,
    pub(crate) start: Option<Timestamp>,
    pub(crate) seed: Option<u64>,
    pub(crate) clock: Option<VirtualClock>,
    bdv: Option<SocketAddr>,
    rates: Option<SocketAddr>,
    attempts_per_minute: Option<NonZeroU32>,
    key_requests_per_minute: Option<NonZeroU32>,
    is_behind_a_proxy: bool,
    pub(crate) has_database_proxy: bool,
    allow_test_bank: bool,
    unnamed_for_keys: bool,
    is_without_charge: bool,
    webhooks: Webhooks,
    mail: Option<MailSettings>,
    pub(crate) internet: Internet,
}

impl Setup {
    /// The usual setup: time stands still, and nobody is counted who fails to get in.
    #[must_use]
    pub fn on(engine: Engine) -> Self {
        Self {
            engine,
            start: Some(START),
            seed: None,
            clock: None,
            bdv: None,
            rates: None,
            attempts_per_minute: None,
            key_requests_per_minute: None,
            is_behind_a_proxy: false,
            has_database_proxy: false,
            allow_test_bank: true,
            unnamed_for_keys: false,
            is_without_charge: false,
            webhooks: Webhooks {
                header_word: HeaderWord::default(),
                reach: Reach::Anywhere,
                refuse: Vec::new(),
                deliver: true,
            },
            mail: None,
            internet: Internet::default(),
        }
    }

    /// With the clock of the wall, where many calls wait for one another.
    #[must_use]
    pub fn in_real_time(self) -> Self {
        Self { start: None, ..self }
    }

    /// With a clock that shows this instant.
    #[must_use]
    pub fn from(self, start: Timestamp) -> Self {
        Self { start: Some(start), ..self }
    }

    /// With ids and secrets that follow from a number.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// With so many attempts of one address to get in, in a minute.
    #[must_use]
    pub fn attempts_per_minute(self, limit: u32) -> Self {
        Self { attempts_per_minute: NonZeroU32::new(limit), ..self }
    }

    /// With so many requests of one key in a minute.
    #[must_use]
    pub fn key_requests_per_minute(self, limit: u32) -> Self {
        Self { key_requests_per_minute: NonZeroU32::new(limit), ..self }
    }

    /// Behind a proxy on this machine, whose word about the client's address is taken.
    #[must_use]
    pub fn behind_a_proxy(self) -> Self {
        Self { is_behind_a_proxy: true, ..self }
    }

    /// With a proxy before its database server, which cuts connections where a test says so.
    #[must_use]
    pub fn with_database_proxy(self) -> Self {
        Self { has_database_proxy: true, ..self }
    }

    /// With the sandbox closed.
    #[must_use]
    pub fn without_test_bank(self) -> Self {
        Self { allow_test_bank: false, ..self }
    }

    /// With keys that see what nobody asked about, too.
    #[must_use]
    pub fn with_unnamed_for_keys(self) -> Self {
        Self { unnamed_for_keys: true, ..self }
    }

    /// With verifications and links that cost nothing.
    #[must_use]
    pub fn without_charge(self) -> Self {
        Self { is_without_charge: true, ..self }
    }

    /// With webhooks to the internet alone, as in production.
    #[must_use]
    pub fn without_private_webhooks(mut self) -> Self {
        self.webhooks.reach = Reach::Internet;
        self
    }

    /// With that known of the internet.
    #[must_use]
    pub fn in_internet(self, internet: Internet) -> Self {
        Self { internet, ..self }
    }

    /// With that word in the headers of webhooks.
    ///
    /// # Panics
    /// Where it is none.
    #[must_use]
    pub fn header_word(mut self, word: &str) -> Self {
        self.webhooks.header_word = HeaderWord::parse(word).expect("a word");
        self
    }

    /// With mail by a server of these settings.
    #[must_use]
    pub fn with_mail(self, mail: MailSettings) -> Self {
        Self { mail: Some(mail), ..self }
    }

    /// With Banco de Venezuela at this simulated bank, in the bank's own time.
    #[must_use]
    pub fn with_bank(self, bank: &SimulatedBank) -> Self {
        Self { clock: Some(bank.clock().clone()), bdv: Some(bank.address()), ..self }
    }

    /// With the exchange rates that are served beside this simulated bank, in the bank's own time.
    #[must_use]
    pub fn with_rates_of(self, bank: &SimulatedBank) -> Self {
        Self { clock: Some(bank.clock().clone()), rates: Some(bank.address()), ..self }
    }

    pub(crate) fn config(&self, folder: &Folder, database: Option<String>) -> Config {
        let flags = Flags {
            listen: Some("127.0.0.1:0".to_owned()),
            data: Some(folder.path().to_owned()),
            database: database.map(Into::into),
            ..Flags::default()
        };
        let bdv =
            self.bdv.map(|bank| ("COTEJO_BANKS_BDV_URL".to_owned(), format!("http://{bank}")));
        let rates =
            self.rates.map(|at| ("COTEJO_RATES_URL".to_owned(), format!("http://{at}/rates")));
        let mut config = Config::load(&flags, bdv.into_iter().chain(rates))
            .expect("a configuration of defaults");
        config.settings.password_cost = CHEAP;
        config.settings.allow_test_bank = self.allow_test_bank;
        config.settings.unnamed_movements_for_keys = self.unnamed_for_keys;
        if self.is_without_charge {
            config.settings.verification_price = Credits::ZERO;
            config.settings.link_price = Credits::ZERO;
        }
        config.webhooks = self.webhooks.clone();
        config.mail = self.mail.clone();
        // Services are ended here, and machines are not.
        config.syncs = false;
        config.http.attempts_per_minute = self.attempts_per_minute;
        config.http.key_requests_per_minute = self.key_requests_per_minute;
        if self.is_behind_a_proxy {
            config.http.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
        }
        if let Some(postgres) = &mut config.postgres {
            (postgres.connections, postgres.readers) = (CONNECTIONS, CONNECTIONS);
        }
        config
    }
}

/// Ids and secrets that follow from a number: splitmix64.
#[derive(Clone, Debug)]
pub(crate) struct SeededIds(Arc<Mutex<u64>>);

impl SeededIds {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(seed)))
    }
}

impl IdSource for SeededIds {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.0.lock().expect("nobody panics with the number in hand");
        for chunk in bytes.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            chunk.copy_from_slice(&mixed.to_le_bytes()[..chunk.len()]);
        }
    }
}
