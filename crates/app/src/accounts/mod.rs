//! The operations on bank accounts.

mod change_secret;
mod close_review;
mod credentials;
pub(crate) mod find_movements;
mod link;
mod link_request;
mod list;
mod move_account;
mod movements;
mod platforms;
mod push;
mod reach;
mod rotate_push_secret;
mod settings;
mod take_notification;
mod trash;

use std::time::Duration;

pub use bank::{Bank, Banks, Capabilities, CredentialFact, Field, PushOutcome, Requirement};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::verification::Failure;
use futures_util::future::{Either, select};
use store::accounts::Account;
use store::bank_access;

pub use self::change_secret::change_secret;
pub use self::close_review::close_review;
pub(crate) use self::credentials::{Opened, metadata_place, place};
pub use self::find_movements::{FoundMovement, find_movements};
pub use self::link::{link, wants_credentials};
pub use self::link_request::{Description, LinkRequest, Username};
pub use self::list::list;
pub use self::move_account::{Moved, move_account};
pub use self::movements::{ListedMovements, list_movements};
pub use self::platforms::{Platform, platforms};
pub use self::push::PushAccess;
pub use self::reach::check_reach;
pub(crate) use self::reach::{reached, scope, scope_of, sees, shown_since, unnamed_shown};
pub use self::rotate_push_secret::rotate_push_secret;
pub use self::settings::{AccountSettings, AccountSettingsChange, set_settings, show_settings};
pub use self::take_notification::{Sender, find_sender, pushing_bank, take_notification};
pub use self::trash::trash;
use crate::App;

/// A linked account and what its bank can do.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The account.
    pub account: Account,
    /// The name of its provider on the wire.
    pub wire_name: String,
    /// Says that its money does not exist, also where the connector is closed here.
    pub is_test: bool,
    /// Its bank; `None` where the connector is closed here.
    pub bank: Option<&'static Capabilities>,
    /// What may be shown of what it is reached with.
    pub facts: Option<bank_access::Facts>,
}

impl Linked {
    fn new(app: &App, account: Account, facts: Option<bank_access::Facts>) -> Self {
        let wire_name = app.banks.wire_name(&account.provider).to_owned();
        let bank = app.open_bank(&account.provider).map(|bank| bank.capabilities());
        let is_test = app.banks.is_sandbox(&account.provider);
        Self { account, wire_name, is_test, bank, facts }
    }

    /// Tells whether payers can pay links on this account now.
    #[must_use]
    pub fn takes_links(&self) -> bool {
        let Account { is_trashed, is_disabled, client_is_active, .. } = self.account;
        self.bank.is_some() && !is_trashed && !is_disabled && client_is_active != Some(false)
    }
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

/// Returns the refusal for a bank that did not take what an account would be reached with.
fn untaken(failure: &Failure) -> Refusal {
    match failure {
        Failure::RejectedCredentials => Refusal::BankBadPassword,
        _ => Refusal::BankNotAvailable,
    }
}
