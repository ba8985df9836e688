//! The port to banks: what a connector must offer, as data and as one question.
//!
//! A connector tells what the bank shows; it decides nothing. Which movement it is, whether it was
//! claimed and what is charged is decided by rules that are the same for every bank.

mod capabilities;
mod credentials;
mod directory;
mod statements;
mod tokens;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use domain::ids::{BankId, IdentityId, OwnerId};
use domain::matching::{PayerFacts, Query, SameBankNotice, Sighting};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, Phone};
use domain::reference::BankReference;
use domain::secret::PersonalText;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failure};

pub use self::capabilities::{Capabilities, PayerFact, Requirement};
pub use self::credentials::{CredentialFact, Credentials, Field, Format, Label};
pub use self::directory::Banks;
pub use self::statements::{
    DayReading, DayRows, HeldDay, ReadingDay, Statements, Unkept, UnreadRows,
};
pub use self::tokens::{Getting, IssuedToken, Obtaining, Token, Tokens};

/// How many sightings one answer may hold.
pub const SIGHTINGS_MAX: usize = 64;

/// A future that a connector returns.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// Future of [`Bank::check_access`].
pub type Checking<'a> = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 'a>>;

/// Access to one account, opened for one question.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The receiving account's number.
    pub account: &'a AccountNumber,
    /// The phone that receives mobile payments for it, where it is known.
    pub phone: Option<&'a Phone>,
    /// The other facts that the bank declares.
    pub credentials: &'a Credentials,
}

/// A question to a bank about one account.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Whose account it is.
    pub owner: OwnerId,
    /// The account as the owner linked it.
    pub bank: BankId,
    /// The real account.
    pub identity: IdentityId,
    /// What the account is reached with; `None` where it was linked without.
    pub access: Option<Access<'a>>,
    /// Where the account's token is kept, for a bank that gives tokens.
    pub tokens: &'a dyn Tokens,
    /// What is looked for.
    pub query: &'a Query,
    /// The notices that the query may mean, of payments that the bank lists under another reference: the rows that
    /// may be the same payments are to be shown too.
    pub notices: &'a [SameBankNotice],
    /// Whether a stranger asks, who has to know who paid. Then a movement whose payer the query does
    /// not name must not be answered about any sooner than one that is not there.
    pub is_strangers: bool,
    /// When the caller asked: the days that are searched go by it, however late the bank is.
    pub asked_at: Timestamp,
    /// When the bank is asked.
    pub now: Timestamp,
}

/// A bank that can be asked.
pub trait Bank: fmt::Debug + Send + Sync {
    /// Returns what the bank can do and wants.
    fn capabilities(&self) -> &'static Capabilities;

    /// Asks the bank what it shows, at most [`SIGHTINGS_MAX`] movements. Whatever goes wrong is an
    /// [`Answer::Failed`]. Dropping the future gives the question up.
    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a>;

    /// Asks whether the bank lets this account be read with these credentials, before they are kept.
    /// What it cannot tell is a failure, too. A bank whose accounts are linked with nothing has
    /// nothing to check. One that gives tokens is asked for one, which is not kept.
    fn check_access<'a>(&'a self, _access: Access<'a>, _now: Timestamp) -> Checking<'a> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// How it tells of payments by itself, if it does.
    fn push(&self) -> Option<&dyn Push> {
        None
    }

    /// How it lists the movements of a day, if it does.
    fn statements(&self) -> Option<&dyn Statements> {
        None
    }
}

/// A payment that a bank told of by itself.
#[derive(Clone, Debug)]
pub struct Notice {
    /// The bank's reference.
    pub reference: BankReference,
    /// What came in.
    pub amount: Bolivars,
    /// The bank's day of it.
    pub paid_on: CaracasDate,
    /// The bank's instant of it, where it tells the time.
    pub paid_at: Option<Timestamp>,
    /// What the bank tells of the payer.
    pub payer: PayerFacts,
    /// Whether it is of a payment between two customers of the bank, which the bank lists under another reference.
    pub is_same_bank: bool,
    /// The same in a sentence for the account's owner, in Spanish.
    pub message: PersonalText,
    /// The movement that it is about, as far as the notice shows it; nothing where the bank will
    /// show the same money under another reference, so that it would become a second movement.
    pub movement: Option<Sighting>,
}

/// The outcome of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// It was taken in.
    Taken,
    /// It is known already.
    Again,
    /// It is not heard: the secret is wrong, or nobody knows what it is about.
    Refused,
}

/// A bank that tells of payments by itself. Pure: it reads notices and writes answers.
pub trait Push: Sync {
    /// The headers, in lower case, in one of which the bank shows the account's secret.
    fn secret_headers(&self) -> &'static [&'static str];

    /// Reads a notice; nothing where its reference, amount or day cannot be read.
    fn read(&self, body: &[u8]) -> Option<Notice>;

    /// The answer in the bank's own format, which is JSON.
    fn answer(&self, outcome: PushOutcome) -> &'static str;
}
