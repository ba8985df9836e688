//! Reading one day to its end: from where it was read before, or the whole of it.

use std::sync::Mutex;
use std::time::Duration;

use domain::ids::IdentityId;
use domain::time::CaracasDate;
use domain::verification::Failure;
use futures_util::future::{BoxFuture, Shared};
use tokio::sync::Semaphore;

use super::day_cache::{DayCache, EXCHANGES_MAX};
use super::day_statement::DayStatement;
use super::{Extract, Page, Unread, Unreadable, lock};
use crate::clock::Clock;

/// How many pages one scan reads. A day that has more is read on by the next, and nothing is ever
/// said not to be there.
pub(crate) const PAGES_MAX: usize = 400;

/// How long a scan that no question waits for looks on before each of its pages while others ask the bank, and how
/// often it does at most.
const GIVE_WAY: Duration = Duration::from_millis(250);
const GIVE_WAY_MAX: u32 = 40;

/// A scan that several wait for.
pub(super) type Scan = Shared<ScanFuture>;

/// A scan.
pub(super) type ScanFuture = BoxFuture<'static, ScanEnd>;

/// Place in a day where a scan begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// At the mark, if there is one: what is new comes to light soon.
    AtMark,
    /// At the beginning of the day, whatever is known of it: a row that is posted late may stand
    /// among those that were read before.
    AtStart,
}

/// How a scan ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScanEnd {
    /// Which scan of its day statement it was, counted from one.
    pub(super) number: u64,
    /// Whether it began at the beginning of the day.
    pub(super) is_whole: bool,
    /// Whether it came to the end of the day.
    pub(super) went: Result<(), Unread>,
}

/// Source of the pages of one day.
pub(super) struct Pages<'a, E> {
    pub(super) extract: &'a E,
    pub(super) identity: IdentityId,
    pub(super) date: CaracasDate,
    pub(super) line: &'a Semaphore,
    pub(super) day_cache: &'a DayCache,
    pub(super) day_statement: &'a Mutex<DayStatement>,
    pub(super) clock: &'a Clock,
}

impl<E: Extract> Pages<'_, E> {
    /// A page, once the account has a place, and if there is room for its rows.
    async fn page(&self, after: Option<&str>) -> Result<Page, Unread> {
        self.give_way().await;
        // A semaphore that nobody closes always has a place in the end.
        let _place = self.line.acquire().await.ok();
        if !self.day_cache.has_room(self.identity) {
            return Err(Unread::Busy);
        }
        self.extract.page(self.date, after).await
    }

    /// Waits while the account's places are used, as long as no question waits for this scan: a person who looks at
    /// a day keeps no payer waiting.
    async fn give_way(&self) {
        for _ in 0..GIVE_WAY_MAX {
            let is_free = self.line.available_permits() == EXCHANGES_MAX;
            if is_free || lock(self.day_statement).questions > 0 {
                return;
            }
            self.clock.wait(GIVE_WAY).await;
        }
    }
}

/// Reads a day as soon as the bank's interval allows. Every page is kept as it comes, so that a scan
/// that does not get to the end was not for nothing.
pub(super) async fn scan<E: Extract>(
    pages: &Pages<'_, E>,
    interval: Duration,
    begin: Begin,
) -> ScanEnd {
    let Pages { day_statement, clock, .. } = *pages;
    let before = lock(day_statement).begun_at;
    if let Some(begun_at) = before {
        // Not longer, though the clock was set back meanwhile.
        clock.wait(begun_at.plus(interval).since(clock.now()).min(interval)).await;
    }
    let begun_at = clock.now();
    let (number, after) = lock(day_statement).begin(begin == Begin::AtMark, begun_at);
    let first = pages.page(after.as_deref()).await;
    let (after, first) = match (after, first) {
        // Rows are numbered anew, or that one is gone: a bank that fails for that alone would do so
        // for ever.
        (Some(_), Err(Unread::Failed(Failure::BadResponse | Failure::InvalidInput))) => {
            {
                let mut day_statement = lock(day_statement);
                (day_statement.resume, day_statement.position) = (None, 0);
            }
            (None, pages.page(None).await)
        }
        other => other,
    };
    let is_whole = after.is_none();
    let went = read(pages, after, first).await;
    if went.is_ok() {
        lock(day_statement).read_at = Some(begun_at);
    }
    ScanEnd { number, is_whole, went }
}

/// Reads on from the page behind that mark until one is the last. A page that is not full is, unless
/// the day has more rows than were read, which only a scan of the whole day can show. What counts is
/// how many the first page spoke of, since others may be booked meanwhile.
async fn read<E: Extract>(
    pages: &Pages<'_, E>,
    mut after: Option<String>,
    mut page: Result<Page, Unread>,
) -> Result<(), Unread> {
    let day_statement = pages.day_statement;
    let is_whole = after.is_none();
    let (mut rows_read, mut total, mut unreadable) = (0, None, Unreadable::default());
    let mut pages_read = 0;
    loop {
        pages_read += 1;
        let read = page?;
        rows_read += read.count;
        total = total.or(read.total);
        let is_short = is_whole && total.is_some_and(|total| rows_read < total);
        let (next, is_last) = (read.last.clone(), !read.is_full && !is_short);
        let of_day = read.total;
        unreadable.add(read.unreadable.clone());
        lock(day_statement).add_page(read)?;
        if is_last {
            let mut day_statement = lock(day_statement);
            if is_whole {
                // What could not be read before was corrected.
                day_statement.unreadable = unreadable;
            }
            day_statement.end(is_whole, of_day);
            return Ok(());
        }
        // Rows without a mark, or none: there is no way to the others. A page that leads to itself
        // would be read for ever.
        if next.is_none() || next == after || pages_read == PAGES_MAX {
            return Err(Failure::BadResponse.into());
        }
        page = pages.page(next.as_deref()).await;
        after = next;
    }
}
