//! The operations on bank accounts.

mod change_secret;
mod link;
mod list;
mod move_account;
mod movements;
mod platforms;
mod push;
mod reach;
mod rotate_push_secret;
mod settings;
mod take_notice;
mod trash;

use std::time::Duration;

pub use bank::names::wire_name;
pub use bank::{AccountFact, Bank, Capabilities, Heard, Requirement};
use domain::ids::{BankId, OwnerId};
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::time::Timestamp;
use domain::verification::Failure;
use futures_util::future::{Either, select};
use store::accounts::Account;
use store::bank_access;
use store::fault::Fault;

pub use self::change_secret::change_secret;
pub use self::link::{Description, LinkRequest, Username, link};
pub use self::list::list;
pub use self::move_account::{Moved, move_account};
pub use self::movements::list_movements;
pub use self::platforms::{Platform, platforms};
pub use self::push::PushAccess;
pub(crate) use self::push::hash as push_hash;
pub use self::reach::check_reach;
pub(crate) use self::reach::{Reached, reached, scope, shown_since};
pub use self::rotate_push_secret::rotate_push_secret;
pub use self::settings::{AccountSettings, AccountSettingsChange, set_settings, show_settings};
pub use self::take_notice::{Sender, find_sender, pushing_bank, take_notice};
pub use self::trash::trash;
use crate::App;
use crate::vault::Place;

/// A linked account and what its bank can do.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The account.
    pub account: Account,
    /// Its bank; `None` where the connector is closed here.
    pub bank: Option<Capabilities>,
    /// What may be shown of what it is reached with.
    pub facts: Option<bank_access::Facts>,
}

impl Linked {
    /// Whether payers can pay links on this account now.
    #[must_use]
    pub fn takes_links(&self) -> bool {
        let Account { is_trashed, is_disabled, client_is_active, .. } = self.account;
        self.bank.is_some() && !is_trashed && !is_disabled && client_is_active != Some(false)
    }
}

/// What an account is reached with, opened for one use.
pub(crate) struct Opened {
    facts: bank_access::Facts,
    secret: SecretText,
}

impl Opened {
    /// Opens what the store keeps of an account.
    ///
    /// # Errors
    /// A secret that does not open is a fault: the master key is not the one it was sealed under.
    pub(crate) fn of(app: &App, owner: OwnerId, kept: bank_access::Access) -> Result<Self, Fault> {
        let bank = kept.facts.bank.to_bytes();
        let broken =
            |error: &dyn std::fmt::Display| Fault::broken(format!("a bank secret: {error}"));
        let plain = app.vault.open(place(owner, &bank), &kept.sealed);
        let plain = plain.map_err(|error| broken(&error))?;
        let secret = String::from_utf8(plain).map_err(|_| broken(&"no text"))?;
        Ok(Self { facts: kept.facts, secret: SecretText::new(secret) })
    }

    /// As a connector takes it.
    pub(crate) fn access(&self) -> bank::Access<'_> {
        bank::Access {
            account: &self.facts.number,
            secret: &self.secret,
            phone: self.facts.phone.as_ref(),
        }
    }
}

/// Where the secret of an account is sealed to.
pub(crate) fn place(owner: OwnerId, bank: &[u8; 16]) -> Place<'_> {
    Place { table: "bank_access", column: "secret", owner: Some(owner), row: bank }
}

/// Where the metadata that an account was linked with is sealed to.
pub(crate) fn metadata_place(owner: OwnerId, bank: &[u8; 16]) -> Place<'_> {
    Place { column: "metadata", ..place(owner, bank) }
}

/// Seals the metadata that an account was linked with.
fn seal_metadata(app: &App, owner: OwnerId, bank: BankId, metadata: &SecretText) -> Vec<u8> {
    let bank = bank.to_bytes();
    app.vault.seal(&*app.ids, metadata_place(owner, &bank), metadata.expose().as_bytes())
}

/// Seals the secret of an account.
fn seal(app: &App, owner: OwnerId, bank: BankId, secret: &SecretText) -> Vec<u8> {
    app.vault.seal(&*app.ids, place(owner, &bank.to_bytes()), secret.expose().as_bytes())
}

/// How long a bank may take to say whether it takes what an account would be reached with: less
/// than callers wait.
const TRY_MAX: Duration = Duration::from_secs(10);

/// Asks the bank whether it takes what an account would be reached with.
async fn check_access(
    app: &App,
    bank: &dyn Bank,
    access: bank::Access<'_>,
    now: Timestamp,
) -> Result<(), Failure> {
    match select(bank.check_access(access, now), app.clock.sleep(TRY_MAX)).await {
        Either::Left((tried, _)) => tried,
        Either::Right(_) => Err(Failure::TimedOut),
    }
}

/// What the caller is told of a bank that did not take what an account would be reached with.
fn untaken(failure: &Failure) -> Refusal {
    match failure {
        Failure::RejectedCredentials => Refusal::BankBadPassword,
        _ => Refusal::BankNotAvailable,
    }
}
