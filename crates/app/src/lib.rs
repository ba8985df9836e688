//! The use cases, one file each: authorize, decide, persist. Nothing here knows HTTP, reads a
//! clock or the environment, or spawns a task by itself.

pub mod access;
pub mod accounts;
pub mod act;
pub mod activity;
pub mod admin;
pub mod audit;
mod audit_entry;
pub mod bank_tokens;
mod changes;
pub mod client_webhook_secrets;
pub mod clients;
mod clock_skew;
pub mod credit_limits;
pub mod credits;
pub mod credits_events;
pub mod delivery_audit;
pub mod delivery_days;
mod emails;
pub mod employees;
pub mod error;
pub mod evidence;
mod ingestion;
pub mod kept_answers;
pub mod key_uses;
pub mod keys;
pub mod ledger_audit;
pub mod lineage;
pub mod links;
mod locator;
pub mod logos;
pub mod mail_counts;
pub mod mails;
pub mod me;
pub mod notice_mails;
pub mod notice_settings;
pub mod notices;
pub mod notifications;
mod outcome;
pub mod own_rates;
pub mod paging;
pub mod passwords;
pub mod payments;
mod people;
pub mod plans;
pub mod ports;
mod precondition;
mod present;
pub mod profile;
pub mod queue;
pub mod rate_address;
pub mod rates;
pub mod receipts;
pub mod refusals;
pub mod review;
pub mod second_factor;
pub mod session_tokens;
pub mod sessions;
pub mod settings;
pub mod sign_in_failures;
pub mod statement;
pub mod statistics;
pub mod subscriptions;
pub mod sweep;
pub mod test_mode;
pub mod vault;
pub mod verification;
pub mod webhook_secrets;
pub mod webhooks;
pub mod wire;
pub mod works;

use std::fmt;
use std::sync::Arc;

use bank::{Bank, Banks, Capabilities};
use domain::ids::IdSource;
use domain::review::ReviewWindow;
use store::Store;

pub use store::Meter;
pub use store::idempotency::Slot;

pub use crate::act::{Act, RequestContext};
pub use crate::audit_entry::caller_id;
pub use crate::error::Error;
pub use crate::ports::{Clock, Tasks};
pub use crate::precondition::Precondition;
pub use crate::settings::Settings;

/// State that every use case works with, made once when the process starts.
pub struct App {
    /// The only way to the data.
    pub store: Store,
    /// Where keys' texts led.
    pub key_locations: access::KeyLocationCache,
    /// When keys were last used.
    pub key_uses: key_uses::KeyUses,
    /// What was refused and is not in the audit trail yet.
    pub refusals: refusals::Refusals,
    /// What obtains tokens of banks at present.
    pub token_flights: bank_tokens::TokenFlights,
    /// Statements that are read and kept at present.
    pub statements: statement::Statements,
    /// Wrong passwords, by account.
    pub sign_in_failures: sign_in_failures::SignInFailures,
    /// What time it is, and how to wait.
    pub clock: Arc<dyn Clock>,
    /// Where ids and secrets come from.
    pub ids: Arc<dyn IdSource>,
    /// Where work goes that outlives the request that began it.
    pub tasks: Arc<dyn Tasks>,
    /// The banks, and the connectors of those that are open here.
    pub banks: Arc<Banks>,
    /// Seals and opens secrets at rest.
    pub vault: vault::Vault,
    /// Signs and checks session tokens.
    pub sessions: session_tokens::SessionTokens,
    /// Hashes and checks passwords.
    pub passwords: passwords::Passwords,
    /// Draws the pictures that owners send.
    pub drawing: logos::drawing::Drawing,
    /// The way to receivers of webhooks.
    pub webhooks: webhooks::Webhooks,
    /// The way to the operator's mail server, where mail is sent.
    pub mail: Option<egress::MailServer>,
    /// The window in which movements may have been claimed that the store does not know as claimed, where it was put back
    /// from a copy.
    pub review: Option<ReviewWindow>,
    /// Prices and switches.
    pub settings: Settings,
}

impl App {
    /// The connector of that name, unless it is the sandbox and the sandbox is closed.
    pub(crate) fn open_bank(&self, provider: &str) -> Option<&Arc<dyn Bank>> {
        self.banks.get(provider).filter(|bank| self.is_open(bank.capabilities()))
    }

    /// Tells whether a bank that is connected here is open: the sandbox may be closed.
    pub(crate) fn is_open(&self, bank: &Capabilities) -> bool {
        bank.livemode || self.settings.allow_test_bank
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("settings", &self.settings).finish_non_exhaustive()
    }
}
