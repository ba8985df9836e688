//! What a bank has shown of one account on one day.

use std::cmp::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::matching::{Query, Sighting, knows_payer};
use domain::payer::{BankCode, Phone};
use domain::secret::SecretText;
use domain::time::Timestamp;
use domain::verification::Failure;
use futures_util::future::WeakShared;

use super::scan::{Scan, ScanFuture};
use super::{MayMean, Page, Unreadable, fits};

/// How many credits of one day are kept. A day with more cannot be read.
pub(crate) const ROWS_OF_A_DAY_MAX: usize = 20_000;

/// The credits of one account on one day, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct DayStatement {
    /// Ordered, so that what is shown again stands beside what was shown before, and references that
    /// end alike beside each other.
    rows: Vec<Sighting>,
    /// What may be credits and could not be read, until a scan of the whole day has read it.
    pub(super) unreadable: Unreadable,
    /// The mark behind which a scan for what is new goes on; `None`: from the beginning. It is that
    /// of the last full page: to read the one behind it again costs no more than to ask for what is
    /// new. What is posted late may stand before it all the same, so that a scan that began here
    /// does not say what is not there.
    pub(super) resume: Option<String>,
    /// Whether rows run from the latest back. One page is enough to say so, since others may not
    /// show it; and then there is no mark behind which new rows come.
    is_latest_first: bool,
    /// How many scans have begun.
    pub(super) scans_begun: u64,
    /// When the latest one began.
    pub(super) begun_at: Option<Timestamp>,
    /// When the latest one began that came to the end of the day.
    pub(super) read_at: Option<Timestamp>,
    /// The scan that runs.
    pub(super) running: Option<Running>,
    /// When somebody last asked.
    pub(super) used_at: Option<Timestamp>,
}

impl DayStatement {
    /// How many rows it keeps.
    pub(super) fn len(&self) -> usize {
        self.rows.len() + self.unreadable.references.len()
    }

    /// Whether it was read to the end so lately that the bank is not to be asked yet.
    pub(super) fn is_current(&self, now: Timestamp, interval: Duration) -> bool {
        self.read_at.is_some_and(|at| at <= now && now < at.plus(interval))
    }

    /// Whether it has a movement that is what the question asks for, and, where a stranger asks,
    /// of a payer whom that one knows.
    pub(super) fn has(&self, query: &Query, is_strangers: bool) -> bool {
        let counts = |row: &Sighting| !is_strangers || knows_payer(query, &row.payer);
        self.ending_alike(query).iter().any(|row| fits(query, row) && counts(row))
    }

    /// The rows whose references end as the one that was typed. All that it can mean are among them,
    /// so that a day of many thousands costs a question hardly more than one of a few.
    fn ending_alike(&self, query: &Query) -> &[Sighting] {
        let tail = query.reference.tail();
        let before = |row: &Sighting| from_behind(row.reference.digits()).lt(from_behind(tail));
        let (_, rows) = self.rows.split_at(self.rows.partition_point(before));
        let count = rows.partition_point(|row| row.reference.digits().ends_with(tail));
        rows.split_at(count).0
    }

    /// Whether one that may be meant could not be read.
    pub(super) fn has_unreadable(&self, query: &Query) -> bool {
        self.unreadable.references.iter().any(|reference| query.reference.matches(reference))
    }

    /// The movements that may be meant: those whose references fit, and those that `may_mean` takes.
    ///
    /// # Errors
    ///
    /// [`Failure::BadResponse`] where the one that is meant may be one that could not be read.
    pub(super) fn shown(
        &self,
        query: &Query,
        may_mean: Option<MayMean<'_>>,
    ) -> Result<Vec<Sighting>, Failure> {
        if self.has_unreadable(query) {
            return Err(Failure::BadResponse);
        }
        let is_match = |row: &&Sighting| query.reference.matches(&row.reference);
        let matching = self.ending_alike(query).iter().filter(is_match);
        let others = may_mean.into_iter().flat_map(|may_mean| {
            self.rows.iter().filter(move |row| !is_match(row) && may_mean(row))
        });
        Ok(matching.chain(others).cloned().collect())
    }

    /// Takes a page in. What was shown before is known already, whatever mark it has this time.
    ///
    /// # Errors
    ///
    /// [`Failure::BadResponse`] where the day has more than can be kept.
    pub(super) fn add_page(&mut self, page: Page) -> Result<(), Failure> {
        self.rows.extend(page.rows);
        self.rows.sort_by(in_order);
        self.rows.dedup_by(|later, former| is_repeated(former, later));
        self.unreadable.add(page.unreadable);
        self.is_latest_first |= page.is_latest_first;
        if self.is_latest_first {
            self.resume = None;
        } else if page.is_full {
            self.resume = page.last;
        }
        if self.len() > ROWS_OF_A_DAY_MAX { Err(Failure::BadResponse) } else { Ok(()) }
    }
}

impl Unreadable {
    /// Takes these in too.
    pub(super) fn add(&mut self, other: Self) {
        self.references.extend(other.references);
        self.references.sort_by(|one, other| one.digits().cmp(other.digits()));
        self.references.dedup();
        self.has_nameless |= other.has_nameless;
        self.has_payerless |= other.has_payerless;
    }

    /// Whether everything could be read.
    pub(super) fn is_empty(&self) -> bool {
        self.references.is_empty() && !self.has_nameless && !self.has_payerless
    }
}

/// The digits of a reference, the last one first.
fn from_behind(digits: &str) -> impl Iterator<Item = u8> + '_ {
    digits.bytes().rev()
}

/// By reference, read from behind, and amount, then by what distinguishes payers, then by time.
fn in_order(one: &Sighting, other: &Sighting) -> Ordering {
    fn key(row: &Sighting) -> impl Ord + '_ {
        let payer = &row.payer;
        (
            row.amount,
            payer.bank.as_ref().map(BankCode::as_str),
            payer.phone.as_ref().map(Phone::as_str),
            payer.document.as_ref().map(|document| (document.letter(), document.number())),
            row.paid_on,
            row.paid_at,
        )
    }
    let by_reference =
        from_behind(one.reference.digits()).cmp(from_behind(other.reference.digits()));
    by_reference.then_with(|| key(one).cmp(&key(other)))
}

/// Whether the bank has shown one payment twice. The same reference, amount, payer and day are the
/// same payment; the bank repeats rows, at times with another hour.
fn is_repeated(one: &Sighting, other: &Sighting) -> bool {
    one.reference.is_same(&other.reference)
        && one.amount == other.amount
        && one.paid_on == other.paid_on
        && one.payer == other.payer
}

/// A scan that runs, and by which credentials; it lasts no longer than somebody carries it.
#[derive(Debug)]
pub(super) struct Running {
    scan: WeakShared<ScanFuture>,
    secret: Weak<SecretText>,
}

impl Running {
    pub(super) fn of(scan: &Scan, secret: &Arc<SecretText>) -> Option<Self> {
        Some(Self { scan: scan.downgrade()?, secret: Arc::downgrade(secret) })
    }

    /// The scan, if anybody still carries it.
    pub(super) fn join(&self) -> Option<(Scan, Arc<SecretText>)> {
        Some((self.scan.upgrade()?, self.secret.upgrade()?))
    }
}
