//! The statement is kept whole: every credit of a day that was read becomes a movement, once, whichever question or
//! person had it read.
//!
//! The rows by which a question is answered are written by the transaction that ends it. The rest follows in small slices behind
//! it, and nothing waits for that: if the process dies before, the next question about the day has it read again.

mod keep;
mod read;

use std::collections::{BTreeMap, HashSet};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::ids::IdentityId;
use tokio::sync::Notify;

pub(crate) use self::keep::{Kept, keep};
use self::read::Readings;
pub use self::read::{DAYS_BACK, Reading, ReadingState, find_reading, read};
use crate::App;

/// Answers whether the bank of that provider lists what came on a day.
#[must_use]
pub fn has_statement(app: &App, provider: &str) -> bool {
    app.open_bank(provider).is_some_and(|bank| bank.statements().is_some())
}

/// The statements that this process reads and keeps at present.
#[derive(Debug, Default)]
pub struct Statements {
    /// The accounts whose rows are being written.
    keeping: Mutex<HashSet<IdentityId>>,
    /// Notified whenever a turn is given back.
    turn_ended: Notify,
    readings: Readings,
    /// How many rows could not be read, by provider.
    unread: Mutex<BTreeMap<&'static str, u64>>,
}

impl Statements {
    /// How many rows of statements could not be read since the process started, by provider.
    #[must_use]
    pub fn unread_rows(&self) -> BTreeMap<&'static str, u64> {
        lock(&self.unread).clone()
    }

    fn count_unread(&self, provider: &'static str, rows: usize) {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        let mut unread = lock(&self.unread);
        let count = unread.entry(provider).or_default();
        *count = count.saturating_add(rows);
    }

    /// The turn to write the rows of an account, unless somebody has it.
    fn take_turn(&self, identity: IdentityId) -> Option<Turn<'_>> {
        let is_free = lock(&self.keeping).insert(identity);
        // A turn that is made gives the place back, and so is made only by who has it.
        is_free.then(|| Turn { statements: self, identity })
    }

    /// The same, once its holder gives it back.
    async fn wait_for_turn(&self, identity: IdentityId) -> Turn<'_> {
        loop {
            // A turn that is given back from here on is noticed.
            let mut ended = pin!(self.turn_ended.notified());
            ended.as_mut().enable();
            if let Some(turn) = self.take_turn(identity) {
                return turn;
            }
            ended.await;
        }
    }
}

/// The right to write the rows of an account.
struct Turn<'a> {
    statements: &'a Statements,
    identity: IdentityId,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.statements.keeping).remove(&self.identity);
        self.statements.turn_ended.notify_waiters();
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
