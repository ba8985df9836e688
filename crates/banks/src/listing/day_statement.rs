//! What a bank has shown of one account on one day.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bank::{DayRows, Unkept, UnreadRows};
use domain::matching::{Query, STRONG_DIGITS, Sighting, confirms, knows_payer};
use domain::payer::{BankCode, Phone};
use domain::reference::BankReference;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::Failure;
use futures_util::future::WeakShared;
use tokio::sync::watch;

use super::scan::{Scan, ScanFuture};
use super::{MayMean, Page, Unreadable, fits};

/// How many credits of one day are kept. A day with more cannot be read.
pub(crate) const ROWS_OF_A_DAY_MAX: usize = 20_000;

/// A credit, and whether somebody keeps it.
#[derive(Debug)]
struct Row {
    seen: Sighting,
    is_kept: bool,
}

/// The credits of one account on one day, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct DayStatement {
    /// Ordered, so that what is shown again stands beside what was shown before, and references that
    /// end alike beside each other.
    rows: Vec<Row>,
    /// How many of them nobody keeps yet.
    unkept: usize,
    /// The references of rows that could not be read and were handed over as such; none of one without.
    reported: BTreeSet<Option<String>>,
    /// What may be credits and could not be read, until a scan of the whole day has read it.
    pub(super) unreadable: Unreadable,
    /// The mark behind which a scan for what is new goes on; `None`: from the beginning. It is that
    /// of the last full page: to read the one behind it again costs no more than to ask for what is
    /// new. What is posted late may stand before it all the same, so that a scan that began here
    /// does not say what is not there.
    pub(super) resume: Option<String>,
    /// How many rows of whatever kind stand before that mark, itself included, and what the row of it says.
    rows_before_mark: usize,
    content_at_mark: Option<u64>,
    /// Says whether the row of the mark was shown again behind it: the bank has numbered its rows anew, and counting them
    /// says nothing.
    is_renumbered: bool,
    /// How many rows of whatever kind stand before the page that the scan reads next.
    pub(super) position: usize,
    /// Says whether every row that the bank has is known: the latest scan read the whole day, or what it read behind the
    /// mark and what stands before it are as many rows as the bank says that the day has.
    pub(super) is_counted: bool,
    /// Whether rows run from the latest back. One page is enough to say so, since others may not
    /// show it; and then there is no mark behind which new rows come.
    is_latest_first: bool,
    /// How many scans have begun.
    pub(super) scans_begun: u64,
    /// Pages that the latest scan has read so far. A waiting question subscribes to it.
    pub(super) pages_read: watch::Sender<usize>,
    /// When the latest one began.
    pub(super) begun_at: Option<Timestamp>,
    /// When the latest one began that came to the end of the day.
    pub(super) read_at: Option<Timestamp>,
    /// The scan that runs.
    pub(super) running: Option<Running>,
    /// Questions that wait for it now; a person who wants to see the day is none.
    pub(super) questions: usize,
    /// When somebody last asked.
    pub(super) used_at: Option<Timestamp>,
}

impl DayStatement {
    /// How many rows it keeps.
    pub(super) fn len(&self) -> usize {
        self.rows.len() + self.unreadable.references.len()
    }

    /// How many credits it has, and how many rows that may be credits and could not be read.
    pub(super) fn rows(&self) -> DayRows {
        let nameless = usize::from(self.unreadable.has_nameless || self.unreadable.has_zeros);
        DayRows { read: self.rows.len(), unread: self.unreadable.references.len() + nameless }
    }

    /// Tells whether the day was read to its end so recently that the bank must not be asked yet.
    pub(super) fn is_current(&self, now: Timestamp, interval: Duration) -> bool {
        self.read_at.is_some_and(|at| at <= now && now < at.plus(interval))
    }

    /// Tells whether the day has a movement that fits the question. For a stranger's question, the movement's payer
    /// must also be one whom the stranger knows.
    pub(super) fn has(&self, query: &Query, is_strangers: bool) -> bool {
        let counts = |row: &Sighting| !is_strangers || knows_payer(query, &row.payer);
        self.ending_alike(query).iter().any(|row| fits(query, &row.seen) && counts(&row.seen))
    }

    /// Answers whether the latest scan need not be waited for: it has read something, so that its credentials are good, and
    /// beside a movement that is known no other can be meant.
    pub(super) fn has_settled(&self, query: &Query, is_strangers: bool) -> bool {
        let is_read = *self.pages_read.borrow() > 0;
        is_read && self.has(query, is_strangers) && self.has_certain(query)
    }

    /// Answers whether it has one beside which no other can be meant, not even one that the bank has put among those that were
    /// read before: by its whole reference, or by six digits and its payer.
    pub(super) fn has_certain(&self, query: &Query) -> bool {
        let is_strong = query.reference.digits().len() >= STRONG_DIGITS;
        self.ending_alike(query).iter().any(|Row { seen, .. }| {
            fits(query, seen)
                && (query.reference.names_whole(&seen.reference)
                    || (is_strong && confirms(query, &seen.payer)))
        })
    }

    /// The rows whose references end as the one that was typed. All that it can mean are among them,
    /// so that a day of many thousands costs a question hardly more than one of a few.
    fn ending_alike(&self, query: &Query) -> &[Row] {
        let tail = query.reference.tail();
        let before = |row: &Row| from_behind(row.seen.reference.digits()).lt(from_behind(tail));
        let (_, rows) = self.rows.split_at(self.rows.partition_point(before));
        let count = rows.partition_point(|row| row.seen.reference.digits().ends_with(tail));
        rows.split_at(count).0
    }

    /// Tells whether a row that the question may mean could not be read.
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
        let matching = self.ending_alike(query).iter().map(|row| &row.seen).filter(is_match);
        let others = may_mean.into_iter().flat_map(|may_mean| {
            let rows = self.rows.iter().map(|row| &row.seen);
            rows.filter(move |row| !is_match(row) && may_mean(row))
        });
        Ok(matching.chain(others).cloned().collect())
    }

    /// Takes a page in. What was shown before is known already, whatever mark it has this time.
    ///
    /// # Errors
    ///
    /// [`Failure::BadResponse`] where the day has more than can be kept.
    pub(super) fn add_page(&mut self, page: Page) -> Result<(), Failure> {
        self.rows.extend(page.rows.into_iter().map(|seen| Row { seen, is_kept: false }));
        self.rows.sort_by(|one, other| in_order(&one.seen, &other.seen));
        self.rows.dedup_by(|later, former| is_repeated(&former.seen, &later.seen));
        self.unkept = self.rows.iter().filter(|row| !row.is_kept).count();
        self.unreadable.add(page.unreadable);
        self.position += page.count;
        self.pages_read.send_modify(|pages| *pages += 1);
        let at_mark = self.content_at_mark.filter(|_| self.resume.is_some());
        self.is_renumbered |= at_mark.is_some_and(|content| page.contents.contains(&content));
        self.is_latest_first |= page.is_latest_first;
        if self.is_latest_first {
            self.resume = None;
        } else if page.is_full {
            self.resume = page.last;
            self.rows_before_mark = self.position;
            self.content_at_mark = page.contents.last().copied();
        }
        if self.len() > ROWS_OF_A_DAY_MAX { Err(Failure::BadResponse) } else { Ok(()) }
    }

    /// Begins a scan, at the mark if it is to go on there and there is one: answers its number and the mark.
    pub(super) fn begin(&mut self, at_mark: bool, now: Timestamp) -> (u64, Option<String>) {
        self.scans_begun += 1;
        self.begun_at = Some(now);
        self.pages_read.send_replace(0);
        (self.is_counted, self.is_renumbered) = (false, false);
        let mark = self.resume.clone().filter(|_| at_mark);
        self.position = if mark.is_some() { self.rows_before_mark } else { 0 };
        (self.scans_begun, mark)
    }

    /// Ends a scan that came to the end of the day: by then every row is known, where it read the whole day, or where
    /// the bank says that the day has as many as stand before the mark and behind it.
    pub(super) fn end(&mut self, is_whole: bool, total: Option<usize>) {
        let is_complete = total == Some(self.position) && !self.is_renumbered;
        self.is_counted = is_whole || is_complete;
    }

    /// Answers whether some of it is to be handed over to be kept.
    pub(super) fn has_unkept(&self) -> bool {
        self.unkept > 0
    }

    /// Adds what nobody keeps yet, until there are `limit` rows; `day` is its own.
    pub(super) fn add_unkept(&self, day: CaracasDate, limit: usize, to: &mut Unkept) {
        if self.unkept > 0 {
            let room = limit.saturating_sub(to.rows.len());
            let unkept = self.rows.iter().filter(|row| !row.is_kept).take(room);
            to.rows.extend(unkept.map(|row| row.seen.clone()));
        }
        let named = self.unreadable.references.iter().map(Some);
        let nameless = (self.unreadable.has_nameless || self.unreadable.has_zeros).then_some(None);
        let is_new = |row: &Option<&_>| !self.reported.contains(&digits_of(*row));
        let new: Vec<_> =
            named.chain(nameless).filter(is_new).map(Option::<&BankReference>::cloned).collect();
        if !new.is_empty() {
            to.unread.push(UnreadRows { day, count: self.reported.len() + new.len(), new });
        }
    }

    /// Notes that a credit is kept.
    pub(super) fn note_kept(&mut self, kept: &Sighting) {
        let begin = self.rows.partition_point(|row| in_order(&row.seen, kept).is_lt());
        let (_, rows) = self.rows.split_at_mut(begin);
        let alike = rows.iter_mut().take_while(|row| in_order(&row.seen, kept).is_eq());
        for row in alike.filter(|row| !row.is_kept && row.seen == *kept) {
            row.is_kept = true;
            self.unkept -= 1;
        }
    }

    /// Notes that its owner was notified of rows that could not be read.
    pub(super) fn note_reported(&mut self, rows: &UnreadRows) {
        self.reported.extend(rows.new.iter().map(|row| digits_of(row.as_ref())));
    }
}

fn digits_of(reference: Option<&BankReference>) -> Option<String> {
    reference.map(|reference| reference.digits().to_owned())
}

impl Unreadable {
    /// Takes these in too.
    pub(super) fn add(&mut self, other: Self) {
        self.references.extend(other.references);
        self.references.sort_by(|one, other| one.digits().cmp(other.digits()));
        self.references.dedup();
        self.has_nameless |= other.has_nameless;
        self.has_zeros |= other.has_zeros;
        self.has_payerless |= other.has_payerless;
    }

    /// Tells whether everything could be read.
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
            row.bank_key.as_deref(),
        )
    }
    let by_reference =
        from_behind(one.reference.digits()).cmp(from_behind(other.reference.digits()));
    by_reference.then_with(|| key(one).cmp(&key(other)))
}

/// Tells whether the bank has shown one payment twice. The same reference, amount, payer and day are the same payment,
/// unless two stable ids say otherwise; the bank repeats rows, at times with another hour.
fn is_repeated(one: &Sighting, other: &Sighting) -> bool {
    one.reference.is_same(&other.reference)
        && one.amount == other.amount
        && one.paid_on == other.paid_on
        && one.payer == other.payer
        && one.bank_key == other.bank_key
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
