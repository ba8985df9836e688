//! What questions about an owner have answered, remembered until something of that owner is written.
//!
//! One process writes the file, and one thread in it. So what that thread is about to commit is known before it
//! can be seen: from then on until the commit has ended, nothing of the owners it is about is remembered, and
//! what was remembered of them before never is again. Whoever is given a remembered answer is told what the
//! database would have answered at that instant, and whoever has been told of a commit never hears what was
//! before it.
//!
//! Nobody else is to write the file while the service runs. Where somebody does, by hand, it is seen within a
//! second.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use domain::ids::OwnerId;

use crate::sql::Sql;
use crate::value::{Row, Value};

/// How many counters owners share. Whoever shares one is forgotten together, which costs a statement.
const COUNTERS: usize = 4096;

/// How many locks owners share.
const SHELVES: usize = 16;

/// How many owners a generation of a shelf holds; there are two generations. Most have an answer or two, of
/// some hundred bytes.
const OWNERS_MAX: usize = 128;

/// How many answers are remembered of one owner: more of its keys are seldom in use at once.
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
    written: Box<[Written]>,
    /// By jobs that belong to no owner.
    written_of_all: Written,
    shelves: [Mutex<Generations>; SHELVES],
}

/// How many commits have begun and how many have ended. Between the two it is open which rows there are.
#[derive(Default)]
struct Written {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// An instant at which no commit about an owner was under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since {
    of_owner: u64,
    of_all: u64,
    at: Instant,
}

/// What was used since the young generation was last full, and what was used in the time before.
#[derive(Default)]
struct Generations {
    young: HashMap<OwnerId, Answers>,
    old: HashMap<OwnerId, Answers>,
}

/// An owner's answers, all of the same time.
struct Answers {
    since: Since,
    answers: Vec<Answer>,
}

struct Answer {
    sql: &'static Sql,
    params: Vec<Value>,
    rows: Rows,
}

impl Remembered {
    /// Nothing yet, and nothing for longer than that.
    pub(crate) fn new(age_max: Duration) -> Self {
        Self {
            age_max,
            written: (0..COUNTERS).map(|_| Written::default()).collect(),
            written_of_all: Written::default(),
            shelves: Default::default(),
        }
    }

    /// Says that jobs of these owners are about to be committed, of all owners where there is none.
    pub(crate) fn begin(&self, owners: &[Option<OwnerId>]) {
        self.counters(owners).for_each(|written| {
            written.begun.fetch_add(1, Ordering::SeqCst);
        });
    }

    /// Says that the commit that was told of in [`Remembered::begin`] has ended, however it did.
    pub(crate) fn end(&self, owners: &[Option<OwnerId>]) {
        self.counters(owners).for_each(|written| {
            written.ended.fetch_add(1, Ordering::SeqCst);
        });
    }

    /// The present, unless something of the owner is being committed. What is read from now on may be kept
    /// as of this instant.
    #[expect(clippy::disallowed_methods, reason = "the store bounds what it remembers")]
    pub(crate) fn now(&self, owner: OwnerId) -> Option<Since> {
        let at = Instant::now();
        let of_owner = self.counter(owner).at_rest()?;
        Some(Since { of_owner, of_all: self.written_of_all.at_rest()?, at })
    }

    /// What these statements have answered, if that of all of them is known at present.
    pub(crate) fn find(
        &self,
        owner: OwnerId,
        now: Since,
        statements: &[(&'static Sql, &[Value])],
    ) -> Option<Vec<Rows>> {
        let mut shelf = self.shelf(owner);
        let known = shelf.find(owner)?;
        if !known.since.holds(now, self.age_max) {
            return None;
        }
        statements.iter().map(|(sql, params)| known.of(sql, params)).collect()
    }

    /// Remembers what these statements have answered, which were asked at or after that instant.
    pub(crate) fn keep(
        &self,
        owner: OwnerId,
        since: Since,
        statements: &[(&'static Sql, &[Value])],
        answers: &[Rows],
    ) {
        let mut shelf = self.shelf(owner);
        let known =
            shelf.young.get_mut(&owner).filter(|known| known.since.holds(since, self.age_max));
        let known = match known {
            Some(known) => known,
            None => shelf.renew(owner, since),
        };
        // Whoever asked earlier may be the later one to tell.
        known.since.at = known.since.at.min(since.at);
        for ((sql, params), rows) in statements.iter().zip(answers) {
            let len: usize = rows.iter().map(Row::len).sum();
            if len > ANSWER_BYTES_MAX || known.of(sql, params).is_some() {
                continue;
            }
            if known.answers.len() >= ANSWERS_MAX {
                known.answers.clear();
            }
            known.answers.push(Answer { sql, params: params.to_vec(), rows: Arc::clone(rows) });
        }
    }

    fn counter(&self, owner: OwnerId) -> &Written {
        // The end of an id is chance.
        let [.., high, low] = owner.to_bytes();
        &self.written[usize::from(u16::from_be_bytes([high, low])) % COUNTERS]
    }

    fn counters<'a>(
        &'a self,
        owners: &'a [Option<OwnerId>],
    ) -> impl Iterator<Item = &'a Written> + 'a {
        owners.iter().map(|owner| match owner {
            Some(owner) => self.counter(*owner),
            None => &self.written_of_all,
        })
    }

    fn shelf(&self, owner: OwnerId) -> MutexGuard<'_, Generations> {
        let [.., low] = owner.to_bytes();
        // Nothing panics between two halves of a change, so what is behind a poisoned lock is whole.
        self.shelves[usize::from(low) % SHELVES].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Since {
    /// Whether what was answered then is the answer `now`.
    fn holds(self, now: Self, age_max: Duration) -> bool {
        (self.of_owner, self.of_all) == (now.of_owner, now.of_all)
            && now.at.saturating_duration_since(self.at) < age_max
    }
}

impl Written {
    /// How many commits there were, unless one is under way. What ended is counted first: whatever begins
    /// between the two looks makes them differ.
    fn at_rest(&self) -> Option<u64> {
        let ended = self.ended.load(Ordering::SeqCst);
        (self.begun.load(Ordering::SeqCst) == ended).then_some(ended)
    }
}

impl Generations {
    fn find(&mut self, owner: OwnerId) -> Option<&Answers> {
        if let Some(known) = self.old.remove(&owner) {
            self.put(owner, known);
        }
        self.young.get(&owner)
    }

    /// Begins anew with an owner.
    fn renew(&mut self, owner: OwnerId, since: Since) -> &mut Answers {
        self.old.remove(&owner);
        self.put(owner, Answers { since, answers: Vec::new() })
    }

    fn put(&mut self, owner: OwnerId, known: Answers) -> &mut Answers {
        if self.young.len() >= OWNERS_MAX && !self.young.contains_key(&owner) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.entry(owner).insert_entry(known).into_mut()
    }
}

impl Answers {
    fn of(&self, sql: &'static Sql, params: &[Value]) -> Option<Rows> {
        let is_it = |answer: &&Answer| std::ptr::eq(answer.sql, sql) && answer.params == params;
        self.answers.iter().find(is_it).map(|answer| Arc::clone(&answer.rows))
    }
}

#[cfg(test)]
mod tests;
