//! Banks that show every movement of a day: one look answers many questions.
//!
//! For each account and day there is a [`Book`] of the credits that the bank has shown. A *scan*
//! reads on where the last one ended, or the whole day. However many ask, one scan of a book runs at
//! a time, and the next begins no sooner than the bank's interval allows.
//!
//! What a scan may say depends on when and where it began. One that began before the question may
//! bring the payment to light, but that it has not is no answer: the payment may have been booked
//! behind its back. Nor is it one where the scan read on from the last one's end: the bank shows a
//! row that it posts late at its own hour, among those that were read before. So *not found* is said
//! only after a scan that began later, and at the beginning of the day. And it is said only of days
//! that were read to the end, all of them: what was not seen may be the payment, or another one
//! that fits as well.
//!
//! Scans are carried by whoever waits for them. One that is given up by one asker goes on with the
//! others; one that nobody waits for is dropped, and what it had read stays.

mod book;
mod scan;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bank::SIGHTINGS_MAX;
use domain::ids::IdentityId;
use domain::matching::{PayerFacts, Query, Sighting};
use domain::reference::BankReference;
use domain::secret::SecretText;
use domain::time::CaracasDate;
use domain::verification::{Answer, Failure};
use futures_util::FutureExt;
use futures_util::future::try_join_all;

use self::book::{Book, Running};
use self::scan::{Begin, Scan, ScanEnd, scan};
use crate::breaker::Breakers;
use crate::clock::Clock;

/// How many books are kept. The ones that were not asked about for longest go first.
const BOOKS_MAX: usize = 512;

/// How many movements are kept in all books together; a scan that runs may go beyond it.
const ROWS_MAX: usize = 100_000;

/// One page of a day, as the bank gave it.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The credits on it.
    pub(crate) rows: Vec<Sighting>,
    /// The references of credits of which the rest could not be read.
    pub(crate) unreadable: Vec<BankReference>,
    /// How many rows it has, of whatever kind.
    pub(crate) count: usize,
    /// How many rows of whatever kind the bank says that the day has, if it says so.
    pub(crate) total: Option<usize>,
    /// The bank's mark of the last row, of whatever kind; `None` where there is none.
    pub(crate) last: Option<String>,
    /// Whether it has as many rows as fit, so that another one may follow.
    pub(crate) is_full: bool,
    /// Whether the rows run from the latest back, so that new ones come before and not behind.
    pub(crate) is_latest_first: bool,
}

/// Where the pages of one account come from.
pub(crate) trait Extract: Send + Sync + 'static {
    /// The page of that day behind the row of that mark, or the first.
    fn page(
        &self,
        day: CaracasDate,
        after: Option<&str>,
    ) -> impl Future<Output = Result<Page, Failure>> + Send;

    /// What the account is read with. Scans by other credentials prove nothing about these.
    fn secret(&self) -> &SecretText;
}

/// A question to a listing.
pub(crate) struct Ask<'a, E> {
    /// The account.
    pub(crate) identity: IdentityId,
    /// Where its pages come from.
    pub(crate) extract: Arc<E>,
    /// What is looked for.
    pub(crate) query: &'a Query,
    /// What else may be meant than movements whose reference fits: for a person to decide about.
    pub(crate) may_mean: fn(&Query, &Sighting) -> bool,
}

/// The books of all accounts of one bank.
#[derive(Debug)]
pub(crate) struct Listing {
    clock: Clock,
    interval: Duration,
    breakers: Arc<Breakers>,
    books: Mutex<Books>,
}

type Books = HashMap<(IdentityId, CaracasDate), Shelved>;

type Shelved = Arc<Mutex<Book>>;

impl Listing {
    /// The books of a bank that wants so much time between two scans of a day.
    pub(crate) fn new(clock: Clock, interval: Duration) -> Self {
        Self { clock, interval, breakers: Arc::default(), books: Mutex::default() }
    }

    /// Asks what the bank shows on these days.
    pub(crate) async fn ask<E: Extract>(
        &self,
        ask: &Ask<'_, E>,
        days: impl Iterator<Item = CaracasDate>,
    ) -> Answer {
        let Some(_pass) = self.breakers.admit(ask.identity, self.clock.now()) else {
            return Answer::Failed(Failure::Unavailable);
        };
        let days: Vec<Day> = days.map(|date| self.day(ask.identity, date)).collect();
        match self.read(ask, &days).await.and_then(|()| shown(ask, &days)) {
            Ok(sightings) => Answer::Shown(sightings),
            Err(failure) => Answer::Failed(failure),
        }
    }

    /// Reads the days until they are known well enough to answer the question.
    async fn read<E: Extract>(&self, ask: &Ask<'_, E>, days: &[Day]) -> Result<(), Failure> {
        let known = try_join_all(days.iter().map(|day| self.look(ask, day))).await?;
        let is_hit = || days.iter().any(|day| lock(&day.book).has(ask.query));
        if !known.contains(&Known::Nothing) && is_hit() {
            return Ok(());
        }
        let behind = days.iter().zip(known).filter(|(_, known)| *known != Known::AsOfNow);
        try_join_all(behind.map(|(day, _)| self.look_anew(ask, day))).await?;
        Ok(())
    }

    /// Takes what is known of a day, from the scan that runs or, where the bank may not be asked
    /// yet, from the last one; else asks.
    async fn look<E: Extract>(&self, ask: &Ask<'_, E>, day: &Day) -> Result<Known, Failure> {
        if lock(&day.book).is_current(self.clock.now(), self.interval) {
            return Ok(Known::AsOfBefore);
        }
        let (scan, is_ours) = self.join(ask, day, Begin::AtMark);
        match scan.await {
            end if is_ours && end.number > day.scans_before => {
                end.went.map(|()| if end.is_whole { Known::AsOfNow } else { Known::AsOfBefore })
            }
            ScanEnd { went: Ok(()), .. } if is_ours => Ok(Known::AsOfBefore),
            _ => Ok(Known::Nothing),
        }
    }

    /// Waits for a scan of the whole day that begins after the question was asked.
    async fn look_anew<E: Extract>(&self, ask: &Ask<'_, E>, day: &Day) -> Result<(), Failure> {
        loop {
            let (scan, is_ours) = self.join(ask, day, Begin::AtStart);
            let end = scan.await;
            if is_ours && end.is_whole && end.number > day.scans_before {
                return end.went;
            }
        }
    }

    /// The scan that runs, wherever it began, or else the next one; and whether it reads by the same
    /// credentials.
    fn join<E: Extract>(&self, ask: &Ask<'_, E>, day: &Day, begin: Begin) -> (Scan, bool) {
        let mut book = lock(&day.book);
        if let Some((scan, secret)) = book.running.as_ref().and_then(Running::join) {
            return (scan, *secret == *ask.extract.secret());
        }
        let secret = Arc::new(ask.extract.secret().clone());
        let scan = self.scan(ask, day, Arc::clone(&secret), begin).boxed().shared();
        book.running = Running::of(&scan, &secret);
        drop(book);
        self.make_room();
        (scan, true)
    }

    /// The next scan of a day. It holds the secret for as long as it runs.
    fn scan<E: Extract>(
        &self,
        ask: &Ask<'_, E>,
        day: &Day,
        secret: Arc<SecretText>,
        begin: Begin,
    ) -> impl Future<Output = ScanEnd> + Send + use<E> {
        let (book, extract) = (Arc::clone(&day.book), Arc::clone(&ask.extract));
        let (clock, breakers) = (self.clock.clone(), Arc::clone(&self.breakers));
        let (identity, interval, date) = (ask.identity, self.interval, day.date);
        async move {
            let _secret = secret;
            let end = scan(&book, &*extract, date, &clock, interval, begin).await;
            breakers.note(identity, &end.went, clock.now());
            if let Err(failure) = end.went {
                tracing::warn!(%identity, %date, ?failure, "a bank's extract was not read");
            }
            lock(&book).running = None;
            end
        }
    }

    /// The book of that day.
    fn day(&self, identity: IdentityId, date: CaracasDate) -> Day {
        let now = self.clock.now();
        let book = Arc::clone(self.books().entry((identity, date)).or_default());
        let scans_before = {
            let mut book = lock(&book);
            book.used_at = Some(now);
            book.scans_begun
        };
        Day { date, book, scans_before }
    }

    /// Every book begins with a scan and grows by scans, so that this is done before each.
    fn make_room(&self) {
        make_room(&mut self.books(), (BOOKS_MAX, ROWS_MAX));
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A day as a question finds it.
struct Day {
    date: CaracasDate,
    book: Shelved,
    /// How many scans of it had begun when the question was asked.
    scans_before: u64,
}

/// How well a day is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// By a scan of the whole day that began after the question was asked.
    AsOfNow,
    /// By a scan that began before, or did not read the whole day: what it has not shown may be
    /// there.
    AsOfBefore,
    /// Not at all: a scan that others began has failed.
    Nothing,
}

/// The movements of those days that may be meant.
fn shown<E>(ask: &Ask<'_, E>, days: &[Day]) -> Result<Vec<Sighting>, Failure> {
    let mut rows = Vec::new();
    for day in days {
        rows.extend(lock(&day.book).shown(ask.query, ask.may_mean)?);
    }
    Ok(most_likely(ask.query, rows))
}

/// Takes books away, the ones that were not asked about for longest first, until no more are kept
/// than that, with no more rows. One that somebody holds is not taken away.
fn make_room(books: &mut Books, (books_max, rows_max): (usize, usize)) {
    let mut rows: usize = books.values().map(|book| lock(book).len()).sum();
    while books.len() > books_max || rows > rows_max {
        let unused = books.iter().filter(|(_, book)| Arc::strong_count(book) == 1);
        let oldest = unused.min_by_key(|(key, book)| (lock(book).used_at, **key));
        let Some(key) = oldest.map(|(key, _)| *key) else { return };
        rows -= books.remove(&key).map_or(0, |book| lock(&book).len());
    }
}

/// At most [`SIGHTINGS_MAX`] of them: those that fit in every respect first, the latest first.
fn most_likely(query: &Query, mut rows: Vec<Sighting>) -> Vec<Sighting> {
    rows.sort_by_cached_key(|row| {
        std::cmp::Reverse((fits(query, row), query.reference.matches(&row.reference), row.paid_at))
    });
    rows.truncate(SIGHTINGS_MAX);
    rows
}

/// Whether a movement is what the question asks for in every respect.
fn fits(query: &Query, row: &Sighting) -> bool {
    let told = || PayerFacts {
        bank: query.bank_origin.clone(),
        phone: query.phone.clone(),
        document: query.document.clone(),
        account: query.account.clone(),
    };
    query.reference.matches(&row.reference)
        && query.amount.is_none_or(|amount| amount == row.amount)
        && !told().contradict(&row.payer)
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}
