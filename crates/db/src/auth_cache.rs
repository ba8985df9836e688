//! A cache of authentication answers: rows of keys, sessions and linked accounts, as point queries read them.
//!
//! One thread of one process writes the file, so every change of these rows is known here before it can be seen.
//! The writer counts each commit that touches a table of authentication ([`Sql::writes_auth`](crate::sql::Sql::writes_auth)) as
//! begun before it commits, and as ended after. A reader takes a [`CacheStamp`] before it looks into the cache or
//! reads the database, and gets none while such a commit is under way. An answer is stored with the stamp that was
//! taken before it was read, and is used only under a stamp of the same epoch: between the two no such commit has
//! begun, so it is what the database would answer. A reader that read the old row, and stores it when the commit is
//! over, stores nothing, and what it stored would never be used.
//!
//! The times that end a key or a session by themselves are columns like others. Callers compare them with the
//! present whenever they use an answer.
//!
//! Nobody else is to write the file while the service runs. A change by hand is seen within a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::point_query::BoundStatement;
use crate::value::Row;

/// How long an answer is used at most.
pub(crate) const MAX_AGE: Duration = Duration::from_secs(1);

/// How many bytes the cache holds: some eight thousand answers, most of which have a kilobyte.
const BYTES_MAX: u64 = 8 * 1024 * 1024;

/// How many bytes an answer has beside its texts: its key, its columns, and what the cache needs for an entry.
const BYTES_OF_ENTRY: usize = 1024;

/// The rows of a statement.
pub(crate) type Rows = Arc<[Row]>;

/// The answers, and how many commits have touched what they were read from.
pub(crate) struct AuthCache {
    max_age: Duration,
    /// Commits that touch the tables of authentication, when they begin.
    begun: AtomicU64,
    /// The same commits, when they have ended, however they did.
    ended: AtomicU64,
    answers: Cache<BoundStatement, Answer, AnswerBytes>,
}

/// An instant at which no commit that touches the tables of authentication was under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheStamp {
    /// How many such commits there had been.
    epoch: u64,
    at: Instant,
}

#[derive(Clone)]
struct Answer {
    /// Taken before the rows were read.
    stamp: CacheStamp,
    rows: Rows,
}

/// Weighs answers by their size in memory.
#[derive(Clone)]
struct AnswerBytes;

impl Weighter<BoundStatement, Answer> for AnswerBytes {
    fn weight(&self, _: &BoundStatement, answer: &Answer) -> u64 {
        let texts: usize = answer.rows.iter().map(Row::len).sum();
        u64::try_from(BYTES_OF_ENTRY + texts).unwrap_or(u64::MAX)
    }
}

impl AuthCache {
    /// An empty cache, whose answers are used for so long at most.
    pub(crate) fn new(max_age: Duration) -> Self {
        let answers_max = usize::try_from(BYTES_MAX).unwrap_or(usize::MAX) / BYTES_OF_ENTRY;
        let answers = Cache::with_weighter(answers_max, BYTES_MAX, AnswerBytes);
        Self { max_age, begun: AtomicU64::new(0), ended: AtomicU64::new(0), answers }
    }

    /// Runs a commit that touches the tables of authentication. From before it can be seen until it has ended, no
    /// answer is used or stored; of those that were stored before, none is used again.
    pub(crate) fn during_commit<T>(&self, commit: impl FnOnce() -> T) -> T {
        self.begun.fetch_add(1, Ordering::SeqCst);
        // Where it panics it counts as under way for good, and the cache is not used any more.
        let outcome = commit();
        self.ended.fetch_add(1, Ordering::SeqCst);
        outcome
    }

    /// The present, unless such a commit is under way. What is read from now on may be stored under this stamp.
    #[expect(clippy::disallowed_methods, reason = "the store bounds the age of its cache")]
    pub(crate) fn stamp(&self) -> Option<CacheStamp> {
        let at = Instant::now();
        Some(CacheStamp { epoch: self.quiescent_epoch()?, at })
    }

    /// How many such commits there were, unless one is under way. What has ended is read first: a commit that begins
    /// between the two reads makes them differ.
    fn quiescent_epoch(&self) -> Option<u64> {
        let ended = self.ended.load(Ordering::SeqCst);
        (self.begun.load(Ordering::SeqCst) == ended).then_some(ended)
    }

    /// Returns the cached answer of the statement, if it may be used now.
    pub(crate) fn get(&self, now: CacheStamp, statement: &BoundStatement) -> Option<Rows> {
        let answer = self.answers.get(statement)?;
        answer.stamp.is_current(now, self.max_age).then_some(answer.rows)
    }

    /// Stores what the statement has answered, which was read after the stamp was taken, unless a commit that touches
    /// the tables of authentication has begun since.
    pub(crate) fn insert(&self, stamp: CacheStamp, statement: &BoundStatement, rows: &Rows) {
        if self.quiescent_epoch() == Some(stamp.epoch) {
            self.answers.insert(statement.clone(), Answer { stamp, rows: Arc::clone(rows) });
        }
    }
}

impl CacheStamp {
    /// Tells whether an answer that was read then is used `now`.
    fn is_current(self, now: Self, max_age: Duration) -> bool {
        self.epoch == now.epoch && now.at.saturating_duration_since(self.at) < max_age
    }
}

#[cfg(test)]
mod tests;
