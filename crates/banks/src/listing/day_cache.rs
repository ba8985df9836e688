//! The day statements that are kept: so many and no more, whichever caller asks.
//!
//! One account has a share of everything and cannot take that of others: of day statements, of rows, and of
//! exchanges at once. What nobody reads is taken away where there is no room; what is left then is in use,
//! and a caller that wants more is refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::IdentityId;
use domain::time::{CaracasDate, Timestamp};
use tokio::sync::Semaphore;

use super::day_statement::{DayStatement, ROWS_OF_A_DAY_MAX};
use super::lock;

/// How much is kept. A page that is on its way is not refused, so that there may be one more of each
/// scan that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// How many day statements.
    pub(super) day_statements: usize,
    /// How many movements in all of them together.
    pub(super) rows: usize,
}

/// The room for all accounts.
const OF_ALL: Room = Room { day_statements: 512, rows: 100_000 };

/// The room for one account: a month, and three days that are as large as can be.
const OF_ONE: Room = Room { day_statements: 32, rows: 3 * ROWS_OF_A_DAY_MAX };

/// How many exchanges about one account go on at once; more wait.
pub(super) const EXCHANGES_MAX: usize = 4;

/// A day statement, and what it shares with the others of its account.
#[derive(Clone, Debug)]
pub(super) struct CachedDay {
    pub(super) day_statement: Arc<Mutex<DayStatement>>,
    /// The places of the account's exchanges.
    pub(super) line: Arc<Semaphore>,
}

type DayStatements = BTreeMap<(IdentityId, CaracasDate), CachedDay>;

/// The day statements of all accounts of one bank.
#[derive(Debug)]
pub(super) struct DayCache {
    day_statements: Mutex<DayStatements>,
    of_all: Room,
    of_one: Room,
}

impl Default for DayCache {
    fn default() -> Self {
        Self::with_room(OF_ALL, OF_ONE)
    }
}

impl DayCache {
    /// A day cache with so much room for all, and so much for one account.
    pub(super) fn with_room(of_all: Room, of_one: Room) -> Self {
        Self { day_statements: Mutex::default(), of_all, of_one }
    }

    /// The day statement of that day, which is in use while somebody holds it; none where there is no room.
    pub(super) fn open(
        &self,
        identity: IdentityId,
        day: CaracasDate,
        now: Timestamp,
    ) -> Option<CachedDay> {
        let mut day_statements = self.lock();
        if !day_statements.contains_key(&(identity, day)) {
            let one_less =
                |room: Room| Room { day_statements: room.day_statements.saturating_sub(1), ..room };
            let has_room = make_room(&mut day_statements, Some(identity), one_less(self.of_one))
                && make_room(&mut day_statements, None, one_less(self.of_all));
            if !has_room {
                return None;
            }
        }
        let mut of_account = day_statements.iter().filter(|((one, _), _)| *one == identity);
        let line = of_account.next().map(|(_, cached_day)| Arc::clone(&cached_day.line));
        let cached_day = day_statements.entry((identity, day)).or_insert_with(|| CachedDay {
            day_statement: Arc::default(),
            line: line.unwrap_or_else(|| Arc::new(Semaphore::new(EXCHANGES_MAX))),
        });
        lock(&cached_day.day_statement).used_at = Some(now);
        Some(cached_day.clone())
    }

    /// Evicts unused day statements if needed, and tells whether there is room for more rows of that account.
    pub(super) fn has_room(&self, identity: IdentityId) -> bool {
        let mut day_statements = self.lock();
        make_room(&mut day_statements, Some(identity), self.of_one)
            && make_room(&mut day_statements, None, self.of_all)
    }

    /// Goes through the day statements of an account, and adds up what is counted of each.
    pub(super) fn of_account(
        &self,
        identity: IdentityId,
        mut count: impl FnMut(CaracasDate, &mut DayStatement) -> usize,
    ) -> usize {
        let day_statements = self.lock();
        let of_account = day_statements.iter().filter(|((one, _), _)| *one == identity);
        of_account
            .map(|((_, day), cached_day)| count(*day, &mut lock(&cached_day.day_statement)))
            .sum()
    }

    fn lock(&self) -> MutexGuard<'_, DayStatements> {
        self.day_statements.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes day statements of that account or of all away, the ones that were not asked about for longest first,
/// until they fit. One that somebody holds is not taken away, so that they may not; that is the
/// answer.
fn make_room(day_statements: &mut DayStatements, identity: Option<IdentityId>, room: Room) -> bool {
    let is_meant = |one: &IdentityId| identity.is_none_or(|identity| identity == *one);
    let meant = day_statements.iter().filter(|((one, _), _)| is_meant(one));
    let (mut count, mut rows) = meant.fold((0, 0), |(count, rows), (_, cached_day)| {
        (count + 1, rows + lock(&cached_day.day_statement).len())
    });
    while count > room.day_statements || rows > room.rows {
        let unused = day_statements.iter().filter(|((one, _), cached_day)| {
            is_meant(one) && Arc::strong_count(&cached_day.day_statement) == 1
        });
        // What nobody keeps yet goes last.
        let oldest = unused.min_by_key(|(key, cached_day)| {
            let day_statement = lock(&cached_day.day_statement);
            (day_statement.has_unkept(), day_statement.used_at, **key)
        });
        let Some(key) = oldest.map(|(key, _)| *key) else { return false };
        rows -= day_statements
            .remove(&key)
            .map_or(0, |cached_day| lock(&cached_day.day_statement).len());
        count -= 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::tests::double::{credit_page, day};
    use super::*;

    const ONE: IdentityId = IdentityId::from_bytes([1; 16]);
    const OTHER: IdentityId = IdentityId::from_bytes([2; 16]);

    /// A day cache for four day statements and ten rows, three and six of them for one account.
    fn day_cache() -> DayCache {
        DayCache::with_room(
            Room { day_statements: 4, rows: 10 },
            Room { day_statements: 3, rows: 6 },
        )
    }

    fn open(day_cache: &DayCache, identity: IdentityId, number: i32) -> Option<CachedDay> {
        day_cache.open(identity, day().plus_days(number), Timestamp::from_micros(number.into()))
    }

    /// Which days of that account are there, counted from the first.
    fn days(day_cache: &DayCache, identity: IdentityId) -> BTreeSet<i64> {
        let day_statements = day_cache.lock();
        let of_account = day_statements.keys().filter(|(one, _)| *one == identity);
        of_account.map(|(_, one)| one.days() - day().days()).collect()
    }

    fn fill(cached_day: &CachedDay, rows: usize) {
        lock(&cached_day.day_statement).add_page(credit_page(rows)).unwrap();
    }

    #[test]
    fn the_days_that_nobody_asked_about_for_longest_go_first() {
        let day_cache = day_cache();
        assert!(open(&day_cache, OTHER, 0).is_some());
        for number in [0, 1, 2] {
            assert!(open(&day_cache, ONE, number).is_some());
        }
        // Asked about again, the oldest is the latest.
        assert!(day_cache.open(ONE, day(), Timestamp::from_micros(7)).is_some());
        assert!(open(&day_cache, ONE, 3).is_some());
        assert_eq!(days(&day_cache, ONE), BTreeSet::from([0, 2, 3]));
        assert_eq!(
            days(&day_cache, OTHER),
            BTreeSet::from([0]),
            "an account makes room by its own"
        );
        assert!(open(&day_cache, OTHER, 9).is_some());
        assert_eq!(days(&day_cache, OTHER), BTreeSet::from([9]));
    }

    #[test]
    fn one_account_takes_no_more_than_its_share_though_all_of_it_is_in_use() {
        let day_cache = day_cache();
        let held: Vec<_> = (0..3).map(|number| open(&day_cache, ONE, number).unwrap()).collect();
        assert!(open(&day_cache, ONE, 3).is_none());
        assert!(open(&day_cache, ONE, 1).is_some(), "what is there can be read by others too");
        assert!(open(&day_cache, OTHER, 0).is_some());
        held.iter().for_each(|cached_day| fill(cached_day, 3));
        assert!(!day_cache.has_room(ONE), "nine rows");
        assert!(day_cache.has_room(OTHER));
        drop(held);
        assert!(day_cache.has_room(ONE), "what nobody reads is taken away");
        assert_eq!(days(&day_cache, ONE), BTreeSet::from([1, 2]));
    }

    #[test]
    fn what_is_in_use_is_not_taken_away_and_no_more_comes_to_it() {
        let day_cache = day_cache();
        let _held: Vec<_> = (0..2)
            .flat_map(|number| [open(&day_cache, ONE, number), open(&day_cache, OTHER, number)])
            .map(|cached_day| {
                let cached_day = cached_day.unwrap();
                fill(&cached_day, 3);
                cached_day
            })
            .collect();
        let third = IdentityId::from_bytes([3; 16]);
        assert!(open(&day_cache, third, 0).is_none());
        assert!(!day_cache.has_room(ONE), "twelve rows");
    }

    #[test]
    fn the_exchanges_of_an_account_share_its_places() {
        let day_cache = day_cache();
        let (one, another) = (open(&day_cache, ONE, 0).unwrap(), open(&day_cache, ONE, 1).unwrap());
        let of_other = open(&day_cache, OTHER, 0).unwrap();
        assert!(Arc::ptr_eq(&one.line, &another.line));
        assert!(!Arc::ptr_eq(&one.line, &of_other.line));
    }
}
