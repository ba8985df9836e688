//! Banks that show every movement of a day: one look answers many questions.
//!
//! For each account and day there is a [`DayStatement`] of the credits that the bank has shown. A *scan*
//! reads on where the last one ended, or the whole day. However many ask, one scan of a day statement runs at
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
//! Scans are carried by the callers that wait for them. One that is given up by one asker goes on
//! with the others; one that nobody waits for is dropped, and what it had read stays.

mod day_cache;
mod day_statement;
mod scan;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bank::{DayRows, HeldDay, SIGHTINGS_MAX, Unkept};
use domain::ids::IdentityId;
use domain::matching::{PayerFacts, Query, Sighting, confirms};
use domain::reference::BankReference;
use domain::secret::SecretText;
use domain::time::CaracasDate;
use domain::verification::{Answer, Failure};
use futures_util::FutureExt;
use futures_util::future::{Either, select, select_all, try_join_all};

use self::day_cache::{CachedDay, DayCache};
use self::day_statement::{DayStatement, Running};
use self::scan::{Begin, Pages, Scan, ScanEnd, scan};
use crate::breaker::Breakers;
use crate::clock::Clock;

/// One page of a day, as the bank gave it.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The credits on it.
    pub(crate) rows: Vec<Sighting>,
    /// What may be credits and could not be read.
    pub(crate) unreadable: Unreadable,
    /// How many rows it has, of whatever kind.
    pub(crate) count: usize,
    /// How many rows of whatever kind the bank says that the day has, if it says so.
    pub(crate) total: Option<usize>,
    /// The bank's mark of the last row, of whatever kind; `None` where there is none.
    pub(crate) last: Option<String>,
    /// The content of each row, of whatever kind, but for its mark and what other rows change of it.
    pub(crate) contents: Vec<u64>,
    /// Whether it has as many rows as fit, so that another one may follow.
    pub(crate) is_full: bool,
    /// Whether the rows run from the latest back, so that new ones come before and not behind.
    pub(crate) is_latest_first: bool,
}

/// The content of a row, as a number by which the same is known again.
pub(crate) fn content(row: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish()
}

/// Rows that may be credits, as far as they could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// The references of those of which the rest could not be read.
    pub(crate) references: Vec<BankReference>,
    /// Whether there are some of which not even that could be: each may be any.
    pub(crate) has_nameless: bool,
    /// True if there are some whose reference is nothing but zeros: they are what no question asks for, and a person is
    /// to hear of them.
    pub(crate) has_zeros: bool,
    /// Whether there are credits that must show who paid, and do so in a way that could not be read. By their
    /// references these are found all the same.
    pub(crate) has_payerless: bool,
}

/// Source of the pages of one account.
pub(crate) trait Extract: Send + Sync + 'static {
    /// The page of that day behind the row of that mark, or the first.
    fn page(
        &self,
        day: CaracasDate,
        after: Option<&str>,
    ) -> impl Future<Output = Result<Page, Unread>> + Send;

    /// Returns the secret that the account is read with. Scans with other credentials prove nothing about this one.
    fn secret(&self) -> &SecretText;
}

/// Why a page was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The bank has failed.
    Failed(Failure),
    /// Too much goes on here, so that the bank was not asked. That says nothing about it.
    Busy,
}

impl Unread {
    /// Returns the failure that the caller is told.
    pub(crate) const fn failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Busy => Failure::Unavailable,
        }
    }
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A question to a listing.
pub(crate) struct Ask<'a, E> {
    /// The account.
    pub(crate) identity: IdentityId,
    /// Where its pages come from.
    pub(crate) extract: Arc<E>,
    /// What is looked for.
    pub(crate) query: &'a Query,
    /// Whether a stranger asks, to whom a movement of a payer that it does not know is none.
    pub(crate) is_strangers: bool,
    /// What must be shown besides movements whose reference fits, if anything. Every movement of the days is looked at
    /// for it, and none is a hit: it is shown once the days are known as of now.
    pub(crate) may_mean: Option<MayMean<'a>>,
}

/// How long a question waits for the end of a scan that others carry before a page is enough: well within the time that
/// a caller waits.
const SETTLED_AFTER: Duration = Duration::from_secs(5);

/// The one who has a day read.
struct Reader<'a, E> {
    identity: IdentityId,
    extract: &'a Arc<E>,
}

impl<'a, E> Reader<'a, E> {
    fn of(ask: &'a Ask<'_, E>) -> Self {
        Self { identity: ask.identity, extract: &ask.extract }
    }
}

/// A question that waits for a day, counted for as long as it does.
struct Waiting<'a>(&'a CachedDay);

impl<'a> Waiting<'a> {
    fn begin(day: &'a Day) -> Self {
        lock(&day.cached_day.day_statement).questions += 1;
        Self(&day.cached_day)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.0.day_statement).questions -= 1;
    }
}

/// Predicate for movements that must be shown although their reference does not fit.
pub(crate) type MayMean<'a> = &'a (dyn Fn(&Sighting) -> bool + Sync);

/// The day statements of all accounts of one bank.
#[derive(Debug)]
pub(crate) struct Listing {
    clock: Clock,
    interval: Duration,
    breakers: Arc<Breakers>,
    day_cache: Arc<DayCache>,
}

impl Listing {
    /// The listing of a bank that wants so much time between two scans of a day.
    pub(crate) fn new(clock: Clock, interval: Duration) -> Self {
        Self { clock, interval, breakers: Arc::default(), day_cache: Arc::default() }
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
        let days: Option<Vec<Day>> = days.map(|date| self.day(ask.identity, date)).collect();
        let Some(days) = days else {
            tracing::warn!(identity = %ask.identity, "day cache full: the question failed as busy");
            return Answer::Failed(Unread::Busy.failure());
        };
        let read = self.read(ask, &days).await.map_err(Unread::failure);
        read.and_then(|()| shown(ask, &days)).unwrap_or_else(Answer::Failed)
    }

    /// Reads the days until they are known well enough to answer the question.
    async fn read<E: Extract>(&self, ask: &Ask<'_, E>, days: &[Day]) -> Result<(), Unread> {
        let known = try_join_all(days.iter().map(|day| self.look(ask, day, days))).await?;
        // A stranger who tries references out learns of a hit as late as of nothing, unless it
        // knows who paid: otherwise the time that it takes would show which references are there.
        let has = |day_statement: &DayStatement| day_statement.has(ask.query, ask.is_strangers);
        // What could not be read is read anew, in case that the bank has corrected it.
        let has_unreadable = |day_statement: &DayStatement| day_statement.has_unreadable(ask.query);
        let is_hit = is_any(days, has) && !is_any(days, has_unreadable);
        let is_read = is_hit && !known.contains(&Known::Nothing);
        // Among the rows that were read before, the bank may have put another one that fits.
        let is_certain = is_any(days, |day_statement| day_statement.has_certain(ask.query));
        let is_enough =
            |day: &Day| is_read && (is_certain || lock(&day.cached_day.day_statement).is_counted);
        let behind = days
            .iter()
            .zip(known)
            .filter(|(day, known)| *known != Known::AsOfNow && !is_enough(day));
        try_join_all(behind.map(|(day, _)| self.look_anew(ask, day))).await?;
        Ok(())
    }

    /// Takes what is known of a day: from the running scan, or from the last one while the bank may not be asked yet; else
    /// asks. Leaves a scan that others carry once one of the days settles the question, since a person may be reading a
    /// long day of a slow bank.
    async fn look<E: Extract>(
        &self,
        ask: &Ask<'_, E>,
        day: &Day,
        days: &[Day],
    ) -> Result<Known, Unread> {
        if lock(&day.cached_day.day_statement).is_current(self.clock.now(), self.interval) {
            return Ok(Known::AsOfBefore);
        }
        let _waiting = Waiting::begin(day);
        let (scan, is_ours) = self.join(&Reader::of(ask), day, Begin::AtMark);
        let end = if is_ours && scan.strong_count() > Some(1) {
            match select(scan, pin!(self.wait_until_settled(ask, days))).await {
                Either::Left((end, _)) => end,
                Either::Right(_) => return Ok(Known::AsOfBefore),
            }
        } else {
            scan.await
        };
        match end {
            end if is_ours && end.number > day.scans_before => {
                end.went.map(|()| if end.is_whole { Known::AsOfNow } else { Known::AsOfBefore })
            }
            ScanEnd { went: Ok(()), .. } if is_ours => Ok(Known::AsOfBefore),
            _ => Ok(Known::Nothing),
        }
    }

    /// Waits until a page has settled the question on one of the days, whatever the others are found to have: not before
    /// [`SETTLED_AFTER`], so that of a bank that answers in time nothing is left unread.
    async fn wait_until_settled<E>(&self, ask: &Ask<'_, E>, days: &[Day]) {
        self.clock.wait(SETTLED_AFTER).await;
        let pages = |day: &Day| lock(&day.cached_day.day_statement).pages_read.subscribe();
        let mut pages: Vec<_> = days.iter().map(pages).collect();
        loop {
            let has_unreadable =
                is_any(days, |day_statement| day_statement.has_unreadable(ask.query));
            let has_settled = |day_statement: &DayStatement| {
                day_statement.has_settled(ask.query, ask.is_strangers)
            };
            if !has_unreadable && is_any(days, has_settled) {
                return;
            }
            let read = pages.iter_mut().map(|pages| pages.changed().boxed());
            // The senders live as long as the days that are held here.
            let _ = select_all(read).await;
        }
    }

    /// Waits for a scan of the whole day that begins after the question was asked.
    async fn look_anew<E: Extract>(&self, ask: &Ask<'_, E>, day: &Day) -> Result<(), Unread> {
        loop {
            let _waiting = Waiting::begin(day);
            let (scan, is_ours) = self.join(&Reader::of(ask), day, Begin::AtStart);
            let end = scan.await;
            if is_ours && end.is_whole && end.number > day.scans_before {
                return end.went;
            }
        }
    }

    /// Reads a whole day for a person who wants to see it. It takes its place behind the questions, and how it goes
    /// says nothing to them: no breaker opens by it. The day stays in memory while the answer is held.
    pub(crate) async fn read_day<E: Extract>(
        &self,
        identity: IdentityId,
        extract: Arc<E>,
        date: CaracasDate,
    ) -> Result<HeldDay, Failure> {
        if self.breakers.is_open(identity, self.clock.now()) {
            return Err(Failure::Unavailable);
        }
        let day = self.day(identity, date).ok_or(Unread::Busy.failure())?;
        let reader = Reader { identity, extract: &extract };
        loop {
            let (scan, is_ours) = self.join(&reader, &day, Begin::AtStart);
            let end = scan.await;
            if is_ours && end.is_whole {
                return end.went.map(|()| HeldDay::new(day.cached_day)).map_err(Unread::failure);
            }
        }
    }

    /// How many rows of the day are known.
    pub(crate) fn rows_of(&self, identity: IdentityId, date: CaracasDate) -> DayRows {
        let mut rows = DayRows::default();
        self.day_cache.of_account(identity, |day, day_statement| {
            if day == date {
                rows = day_statement.rows();
            }
            0
        });
        rows
    }

    /// Rows that are known of the account and nobody keeps yet, at most so many rows.
    pub(crate) fn unkept(&self, identity: IdentityId, limit: usize) -> Unkept {
        let mut unkept = Unkept::default();
        self.day_cache.of_account(identity, |day, day_statement| {
            day_statement.add_unkept(day, limit, &mut unkept);
            0
        });
        unkept
    }

    /// Notes that these are kept.
    pub(crate) fn note_kept(&self, identity: IdentityId, kept: &Unkept) {
        self.day_cache.of_account(identity, |day, day_statement| {
            kept.rows.iter().for_each(|row| day_statement.note_kept(row));
            let unread = kept.unread.iter().filter(|rows| rows.day == day);
            unread.for_each(|rows| day_statement.note_reported(rows));
            0
        });
    }

    /// The scan that runs, wherever it began, or else the next one; and whether it reads by the same
    /// credentials.
    fn join<E: Extract>(&self, reader: &Reader<'_, E>, day: &Day, begin: Begin) -> (Scan, bool) {
        let mut day_statement = lock(&day.cached_day.day_statement);
        if let Some((scan, secret)) = day_statement.running.as_ref().and_then(Running::join) {
            return (scan, *secret == *reader.extract.secret());
        }
        let secret = Arc::new(reader.extract.secret().clone());
        let scan = self.scan(reader, day, Arc::clone(&secret), begin).boxed().shared();
        day_statement.running = Running::of(&scan, &secret);
        // It may wait for the bank's interval before it begins, and has read nothing until then.
        day_statement.pages_read.send_replace(0);
        (scan, true)
    }

    /// The next scan of a day. It holds the secret for as long as it runs.
    fn scan<E: Extract>(
        &self,
        reader: &Reader<'_, E>,
        day: &Day,
        secret: Arc<SecretText>,
        begin: Begin,
    ) -> impl Future<Output = ScanEnd> + Send + use<E> {
        let (CachedDay { day_statement, line }, day_cache) =
            (day.cached_day.clone(), Arc::clone(&self.day_cache));
        let (clock, breakers) = (self.clock.clone(), Arc::clone(&self.breakers));
        let (extract, identity) = (Arc::clone(reader.extract), reader.identity);
        let (interval, date) = (self.interval, day.date);
        async move {
            let _secret = secret;
            let pages = Pages {
                extract: &*extract,
                identity,
                date,
                line: &line,
                day_cache: &day_cache,
                day_statement: &day_statement,
                clock: &clock,
            };
            let end = scan(&pages, interval, begin).await;
            match end.went {
                // What a person reads to look at it says nothing to questions.
                _ if lock(&day_statement).questions == 0 => {}
                Ok(()) => breakers.note(identity, &Ok(()), clock.now()),
                Err(Unread::Failed(failure)) => {
                    breakers.note::<()>(identity, &Err(failure), clock.now());
                }
                Err(Unread::Busy) => {}
            }
            if let Err(reason) = end.went {
                tracing::warn!(%identity, %date, ?reason, "a bank's statement could not be read");
            }
            lock(&day_statement).running = None;
            end
        }
    }

    /// That day, unless there is no room for its day statement.
    fn day(&self, identity: IdentityId, date: CaracasDate) -> Option<Day> {
        let cached_day = self.day_cache.open(identity, date, self.clock.now())?;
        let scans_before = lock(&cached_day.day_statement).scans_begun;
        Some(Day { date, cached_day, scans_before })
    }
}

/// Answers whether something holds of one of the days.
fn is_any(days: &[Day], is: impl Fn(&DayStatement) -> bool) -> bool {
    days.iter().any(|day| is(&lock(&day.cached_day.day_statement)))
}

/// A day as a question finds it.
struct Day {
    date: CaracasDate,
    cached_day: CachedDay,
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
///
/// # Errors
///
/// [`Failure::BadResponse`] where the one that is meant may be one that could not be read.
fn shown<E>(ask: &Ask<'_, E>, days: &[Day]) -> Result<Answer, Failure> {
    let (mut rows, mut has_nameless, mut is_readable) = (Vec::new(), false, true);
    for day in days {
        let day_statement = lock(&day.cached_day.day_statement);
        rows.extend(day_statement.shown(ask.query, ask.may_mean)?);
        has_nameless |= day_statement.unreadable.has_nameless;
        is_readable &= day_statement.unreadable.is_empty();
    }
    let is_hit = rows.iter().any(|row| fits(ask.query, row));
    if has_nameless && !is_hit {
        return Err(Failure::BadResponse);
    }
    // A hit is answered without another look at the days.
    let is_complete = !is_hit && is_readable && rows.len() <= SIGHTINGS_MAX;
    Ok(Answer::Shown { sightings: most_likely(ask.query, rows), is_complete })
}

/// At most [`SIGHTINGS_MAX`] of them: those of the payer and amount asked about first, then those that fit in every
/// respect, then the latest.
fn most_likely(query: &Query, mut rows: Vec<Sighting>) -> Vec<Sighting> {
    rows.sort_by_cached_key(|row| {
        let is_agreed = query.amount == Some(row.amount) && confirms(query, &row.payer);
        let named = [
            query.reference.matches_as_typed(&row.reference),
            query.reference.matches(&row.reference),
        ];
        let is_described = describes(query, row);
        let fitting = named.map(|is_named| is_named && is_described);
        Reverse((is_agreed, fitting, named, row.paid_at))
    });
    rows.truncate(SIGHTINGS_MAX);
    rows
}

/// Answers whether a movement is what the question asks for in every respect. One that the reference means without the zeros in
/// front alone may yet turn out to be another's.
fn fits(query: &Query, row: &Sighting) -> bool {
    query.reference.matches_as_typed(&row.reference) && describes(query, row)
}

/// Answers whether a movement has the amount that is asked for, and no other payer.
fn describes(query: &Query, row: &Sighting) -> bool {
    let payer = || PayerFacts {
        bank: query.bank_origin.clone(),
        phone: query.phone.clone(),
        document: query.document.clone(),
        account: query.account.clone(),
        ..PayerFacts::default()
    };
    query.amount.is_none_or(|amount| amount == row.amount) && !payer().contradict(&row.payer)
}

fn lock(day_statement: &Mutex<DayStatement>) -> MutexGuard<'_, DayStatement> {
    day_statement.lock().unwrap_or_else(PoisonError::into_inner)
}
