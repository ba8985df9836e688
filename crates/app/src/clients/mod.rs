//! The operations on an owner's clients.

mod change;
mod create;
mod list;
mod names;
mod show;

use domain::ids::{BankId, ClientId};
use domain::money::Credits;
use domain::payer::Document;
use domain::quota::{Limit, Usage};
use domain::refusal::Refusal;
use domain::secret::PersonalText;
use domain::text::{EmailAddress, Text};
use domain::time::CaracasMonth;
use store::clients::Client;

pub use self::change::{ClientChange, change};
pub use self::create::{ClientRequest, Render, create};
pub use self::list::list;
pub use self::names::{NAMES_MAX, names};
pub use self::show::show;

/// A client's name.
pub type ClientName = Text<1, 120>;

const NOT_FOUND: Refusal = Refusal::NotFound("client");

/// A client's record as it is shown.
#[derive(Clone, Debug)]
pub struct ClientRecord {
    /// The client.
    pub client: Client,
    /// Its accounts outside the trash, oldest first.
    pub accounts: Vec<BankId>,
    /// The month in which it is shown.
    pub month: CaracasMonth,
    /// What its keys and people have used of its quota in that month.
    pub usage: Usage,
}

impl ClientRecord {
    /// Returns the client's quota, and what was used of it in the month.
    #[must_use]
    pub fn quota(&self) -> Limit {
        Limit { cap: self.client.monthly_credit_limit.map(Credits::new), usage: self.usage }
    }
}

/// Converts an address into the form in which the store keeps it.
fn kept_email(email: &EmailAddress) -> PersonalText {
    PersonalText::new(email.as_str().to_owned())
}

/// Converts a document into the form in which the store keeps it.
fn kept_document(document: &Document) -> PersonalText {
    PersonalText::new(document.to_string())
}

/// Returns those of the accounts that are one client's.
fn of_client(accounts: &[(BankId, ClientId)], client: ClientId) -> Vec<BankId> {
    accounts.iter().filter(|(_, of)| *of == client).map(|(bank, _)| *bank).collect()
}
