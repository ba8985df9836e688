//! Statements: the days of an account, as far as a bank lists them.

use std::fmt;
use std::pin::Pin;

use domain::ids::IdentityId;
use domain::matching::Sighting;
use domain::reference::BankReference;
use domain::time::CaracasDate;
use domain::verification::Failure;

use crate::{Access, Tokens};

/// A day of an account that is to be read to its end, since a person wants to see it.
#[derive(Clone, Copy, Debug)]
pub struct DayReading<'a> {
    /// The real account.
    pub identity: IdentityId,
    /// Access to the account; `None` where it was linked without.
    pub access: Option<Access<'a>>,
    /// The place where the account's token is kept, for a bank that gives tokens.
    pub tokens: &'a dyn Tokens,
    /// The day.
    pub day: CaracasDate,
}

/// Rows that a bank has shown of an account and nobody has kept yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unkept {
    /// Credits.
    pub rows: Vec<Sighting>,
    /// Days of which rows that may be credits could not be read.
    pub unread: Vec<UnreadRows>,
}

impl Unkept {
    /// Answers whether all of it is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.unread.is_empty()
    }
}

/// How many rows of a day are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayRows {
    /// Credits.
    pub read: usize,
    /// Rows that may be credits and could not be read.
    pub unread: usize,
}

/// Rows of a day that may be credits and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadRows {
    /// The day that they are listed on.
    pub day: CaracasDate,
    /// Those that were not handed over before: the reference of each, where that could be read.
    pub new: Vec<Option<BankReference>>,
    /// How many there are of the day, with those that were.
    pub count: usize,
}

/// A day that was read to its end. Its rows stay in memory while this is held, whatever else wants their room.
#[derive(Debug)]
pub struct HeldDay {
    _day: Box<dyn fmt::Debug + Send + Sync>,
}

impl HeldDay {
    /// The hold on what a connector has of the day.
    #[must_use]
    pub fn new(day: impl fmt::Debug + Send + Sync + 'static) -> Self {
        Self { _day: Box::new(day) }
    }
}

/// A day being read.
pub type ReadingDay<'a> = Pin<Box<dyn Future<Output = Result<HeldDay, Failure>> + Send + 'a>>;

/// A bank that lists every movement of a day.
pub trait Statements: Sync {
    /// Reads a day to its end, unless somebody does already, and behind whatever is asked about payments: no
    /// question waits for it, and its failures say nothing to questions.
    fn read_day<'a>(&'a self, reading: DayReading<'a>) -> ReadingDay<'a>;

    /// How many credits of the day are known, and how many rows that may be credits could not be read.
    fn rows_of(&self, identity: IdentityId, day: CaracasDate) -> DayRows;

    /// At most so many rows that were shown for any question or reading and have not been
    /// [noted as kept](Self::note_kept), and every day with rows that could not be read. It looks no further than what is
    /// remembered of the account, and asks nobody.
    fn unkept(&self, identity: IdentityId, limit: usize) -> Unkept;

    /// Notes that these are kept, so that they are not handed over again.
    fn note_kept(&self, identity: IdentityId, kept: &Unkept);
}
