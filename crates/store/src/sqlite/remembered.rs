//! What questions about an owner have answered, remembered until what they read is written.
//!
//! One process writes the file, and one thread in it. So what that thread is about to commit is known before it
//! can be seen: from then on until the commit has ended, nothing that it may have changed is remembered, and
//! what was remembered of that before never is again. Whoever is given a remembered answer is told what the
//! database would have answered at that instant, and whoever has been told of a commit never hears what was
//! before it.
//!
//! What a commit may have changed is everything of the owners it is about, but for one thing: who may ask, and
//! about what, which jobs seldom write and tell of where they do.
//!
//! Nobody else is to write the file while the service runs. Where somebody does, by hand, it is seen within a
//! second.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use domain::ids::OwnerId;

use crate::job::Job;
use crate::sql::Sql;
use crate::value::{Row, Value};

/// How many counters owners share. Whoever shares one is forgotten together, which costs a statement.
const COUNTERS: usize = 4096;

/// How many locks owners share.
const SHELVES: usize = 16;

/// How many subjects a generation of a shelf holds: an owner is one for each kind of answer. There are two generations.
/// Most have an answer or two, of some hundred bytes.
const SUBJECTS_MAX: usize = 256;

/// How many answers of a kind are remembered of one owner: more of its keys are seldom in use at once.
const ANSWERS_MAX: usize = 16;

/// How long the text and bytes of an answer may be. A key that is limited to many accounts is asked for each
/// time.
const ANSWER_BYTES_MAX: usize = 1024;

/// How long an answer is given though nothing is known to have been written.
pub(crate) const AGE_MAX: Duration = Duration::from_secs(1);

/// The rows of a statement.
pub(crate) type Rows = Arc<[Row]>;

/// The answers, and what has been written since.
pub(crate) struct Remembered {
    /// How long they are given.
    age_max: Duration,
    of_owners: Box<[Counters]>,
    /// By jobs that belong to no owner, which may write anybody's rows.
    of_all: Counters,
    shelves: [Mutex<Generations>; SHELVES],
}

/// What a job is about to commit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// Whose rows; `None` where they may be anybody's.
    owner: Option<OwnerId>,
    /// Who may ask, or about what, is among it.
    writes_access: bool,
}

/// The commits about the owners that share a counter: all of them, and those that write who may ask.
#[derive(Default)]
struct Counters {
    anything: Commits,
    access: Commits,
}

/// How many commits have begun and how many have ended. Between the two it is open which rows there are.
#[derive(Default)]
struct Commits {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// Whose answers, and of which kind: those about who may ask outlive commits about anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Subject {
    owner: OwnerId,
    is_access: bool,
}

/// An instant at which no commit was under way that may change what the subject is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since {
    subject: Subject,
    of_subject: u64,
    of_all: u64,
    at: Instant,
}

/// What was used since the young generation was last full, and what was used in the time before.
#[derive(Default)]
struct Generations {
    young: HashMap<Subject, Answers>,
    old: HashMap<Subject, Answers>,
}

/// A subject's answers, all of the same time.
struct Answers {
    since: Since,
    /// What was used last comes last.
    answers: Vec<Answer>,
}

struct Answer {
    sql: &'static Sql,
    params: Vec<Value>,
    rows: Rows,
}

impl Written {
    /// What this job writes, which has run.
    pub(crate) fn by(job: &dyn Job) -> Self {
        Self { owner: job.owner(), writes_access: job.writes_access() }
    }
}

impl Remembered {
    /// Nothing yet, and nothing for longer than that.
    pub(crate) fn new(age_max: Duration) -> Self {
        Self {
            age_max,
            of_owners: (0..COUNTERS).map(|_| Counters::default()).collect(),
            of_all: Counters::default(),
            shelves: Default::default(),
        }
    }

    /// Says that this is about to be committed.
    pub(crate) fn begin(&self, written: &[Written]) {
        self.commits(written).for_each(|commits| {
            commits.begun.fetch_add(1, Ordering::SeqCst);
        });
    }

    /// Says that the commit that was told of in [`Remembered::begin`] has ended, however it did.
    pub(crate) fn end(&self, written: &[Written]) {
        self.commits(written).for_each(|commits| {
            commits.ended.fetch_add(1, Ordering::SeqCst);
        });
    }

    /// The present, unless something is being committed that may change what this statement answers about the
    /// owner. What is read from now on may be kept as of this instant.
    #[expect(clippy::disallowed_methods, reason = "the store bounds what it remembers")]
    pub(crate) fn now(&self, owner: OwnerId, sql: &Sql) -> Option<Since> {
        let at = Instant::now();
        let subject = Subject { owner, is_access: sql.reads_access() };
        let of_subject = self.counters(owner).about(subject).at_rest()?;
        Some(Since { subject, of_subject, of_all: self.of_all.about(subject).at_rest()?, at })
    }

    /// What this statement has answered, if that is known at present.
    pub(crate) fn find(&self, now: Since, sql: &'static Sql, params: &[Value]) -> Option<Rows> {
        let mut shelf = self.shelf(now.subject.owner);
        let known = shelf.find(now.subject);
        known.filter(|known| known.since.holds(now, self.age_max))?.of(sql, params)
    }

    /// Remembers what this statement has answered, which was asked at or after that instant.
    pub(crate) fn keep(&self, since: Since, sql: &'static Sql, params: &[Value], rows: &Rows) {
        let mut shelf = self.shelf(since.subject.owner);
        let known = shelf.young.get_mut(&since.subject);
        let known = match known.filter(|known| known.since.holds(since, self.age_max)) {
            Some(known) => known,
            None => shelf.renew(since),
        };
        // Whoever asked earlier may be the later one to tell.
        known.since.at = known.since.at.min(since.at);
        let len: usize = rows.iter().map(Row::len).sum();
        if len > ANSWER_BYTES_MAX || known.of(sql, params).is_some() {
            return;
        }
        if known.answers.len() >= ANSWERS_MAX {
            known.answers.remove(0);
        }
        known.answers.push(Answer { sql, params: params.to_vec(), rows: Arc::clone(rows) });
    }

    fn counters(&self, owner: OwnerId) -> &Counters {
        // The end of an id is chance.
        let [.., high, low] = owner.to_bytes();
        &self.of_owners[usize::from(u16::from_be_bytes([high, low])) % COUNTERS]
    }

    /// Where these commits are counted.
    fn commits<'a>(&'a self, written: &'a [Written]) -> impl Iterator<Item = &'a Commits> + 'a {
        let of_each = written.iter().flat_map(|written| {
            let of = written.owner.map_or(&self.of_all, |owner| self.counters(owner));
            [Some(&of.anything), written.writes_access.then_some(&of.access)]
        });
        of_each.flatten()
    }

    fn shelf(&self, owner: OwnerId) -> MutexGuard<'_, Generations> {
        let [.., low] = owner.to_bytes();
        // Nothing panics between two halves of a change, so what is behind a poisoned lock is whole.
        self.shelves[usize::from(low) % SHELVES].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counters {
    fn about(&self, subject: Subject) -> &Commits {
        if subject.is_access { &self.access } else { &self.anything }
    }
}

impl Since {
    /// Whether what was answered then is the answer `now`.
    fn holds(self, now: Self, age_max: Duration) -> bool {
        (self.of_subject, self.of_all) == (now.of_subject, now.of_all)
            && now.at.saturating_duration_since(self.at) < age_max
    }
}

impl Commits {
    /// How many there were, unless one is under way. What ended is counted first: whatever begins
    /// between the two looks makes them differ.
    fn at_rest(&self) -> Option<u64> {
        let ended = self.ended.load(Ordering::SeqCst);
        (self.begun.load(Ordering::SeqCst) == ended).then_some(ended)
    }
}

impl Generations {
    fn find(&mut self, subject: Subject) -> Option<&mut Answers> {
        if let Some(known) = self.old.remove(&subject) {
            self.put(known);
        }
        self.young.get_mut(&subject)
    }

    /// Begins anew with a subject.
    fn renew(&mut self, since: Since) -> &mut Answers {
        self.old.remove(&since.subject);
        self.put(Answers { since, answers: Vec::new() })
    }

    fn put(&mut self, known: Answers) -> &mut Answers {
        let subject = known.since.subject;
        if self.young.len() >= SUBJECTS_MAX && !self.young.contains_key(&subject) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.entry(subject).insert_entry(known).into_mut()
    }
}

impl Answers {
    fn of(&mut self, sql: &'static Sql, params: &[Value]) -> Option<Rows> {
        let is_it = |answer: &Answer| std::ptr::eq(answer.sql, sql) && answer.params == params;
        let at = self.answers.iter().rposition(is_it)?;
        if let Some(behind) = self.answers.get_mut(at..) {
            behind.rotate_left(1);
        }
        self.answers.last().map(|answer| Arc::clone(&answer.rows))
    }
}

#[cfg(test)]
mod tests;
