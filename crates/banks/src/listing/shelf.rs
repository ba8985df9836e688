//! The books that are kept: so many and no more, whoever asks.
//!
//! One account has a share of everything and cannot take that of others: of books, of rows, and of
//! exchanges at once. What nobody reads is taken away where there is no room; what is left then is
//! in use, and who wants more is refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::IdentityId;
use domain::time::{CaracasDate, Timestamp};
use tokio::sync::Semaphore;

use super::book::{Book, ROWS_OF_A_DAY_MAX};
use super::lock;

/// How much is kept. A page that is on its way is not refused, so that there may be one more of each
/// scan that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// How many books.
    pub(super) books: usize,
    /// How many movements in all of them together.
    pub(super) rows: usize,
}

/// The room for all accounts.
const OF_ALL: Room = Room { books: 512, rows: 100_000 };

/// The room for one account: a month, and three days that are as large as can be.
const OF_ONE: Room = Room { books: 32, rows: 3 * ROWS_OF_A_DAY_MAX };

/// How many exchanges about one account go on at once; more wait.
pub(super) const EXCHANGES_MAX: usize = 4;

/// A book, and what it shares with the others of its account.
#[derive(Clone, Debug)]
pub(super) struct Shelved {
    pub(super) book: Arc<Mutex<Book>>,
    /// The places of the account's exchanges.
    pub(super) line: Arc<Semaphore>,
}

type Books = BTreeMap<(IdentityId, CaracasDate), Shelved>;

/// The books of all accounts of one bank.
#[derive(Debug)]
pub(super) struct Shelf {
    books: Mutex<Books>,
    of_all: Room,
    of_one: Room,
}

impl Default for Shelf {
    fn default() -> Self {
        Self::with_room(OF_ALL, OF_ONE)
    }
}

impl Shelf {
    /// A shelf with so much room for all, and so much for one account.
    pub(super) fn with_room(of_all: Room, of_one: Room) -> Self {
        Self { books: Mutex::default(), of_all, of_one }
    }

    /// The book of that day, which is in use while somebody holds it; none where there is no room.
    pub(super) fn open(
        &self,
        identity: IdentityId,
        day: CaracasDate,
        now: Timestamp,
    ) -> Option<Shelved> {
        let mut books = self.lock();
        if !books.contains_key(&(identity, day)) {
            let one_less = |room: Room| Room { books: room.books.saturating_sub(1), ..room };
            let has_room = make_room(&mut books, Some(identity), one_less(self.of_one))
                && make_room(&mut books, None, one_less(self.of_all));
            if !has_room {
                return None;
            }
        }
        let mut of_account = books.iter().filter(|((one, _), _)| *one == identity);
        let line = of_account.next().map(|(_, shelved)| Arc::clone(&shelved.line));
        let shelved = books.entry((identity, day)).or_insert_with(|| Shelved {
            book: Arc::default(),
            line: line.unwrap_or_else(|| Arc::new(Semaphore::new(EXCHANGES_MAX))),
        });
        lock(&shelved.book).used_at = Some(now);
        Some(shelved.clone())
    }

    /// Whether there is room for more rows of that account, once what nobody reads is taken away.
    pub(super) fn has_room(&self, identity: IdentityId) -> bool {
        let mut books = self.lock();
        make_room(&mut books, Some(identity), self.of_one)
            && make_room(&mut books, None, self.of_all)
    }

    fn lock(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes books of that account or of all away, the ones that were not asked about for longest first,
/// until they fit. One that somebody holds is not taken away, so that they may not; that is the
/// answer.
fn make_room(books: &mut Books, identity: Option<IdentityId>, room: Room) -> bool {
    let is_meant = |one: &IdentityId| identity.is_none_or(|identity| identity == *one);
    let meant = books.iter().filter(|((one, _), _)| is_meant(one));
    let (mut count, mut rows) = meant
        .fold((0, 0), |(count, rows), (_, shelved)| (count + 1, rows + lock(&shelved.book).len()));
    while count > room.books || rows > room.rows {
        let unused = books
            .iter()
            .filter(|((one, _), shelved)| is_meant(one) && Arc::strong_count(&shelved.book) == 1);
        let oldest = unused.min_by_key(|(key, shelved)| (lock(&shelved.book).used_at, **key));
        let Some(key) = oldest.map(|(key, _)| *key) else { return false };
        rows -= books.remove(&key).map_or(0, |shelved| lock(&shelved.book).len());
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

    /// A shelf for four books and ten rows, three and six of them for one account.
    fn shelf() -> Shelf {
        Shelf::with_room(Room { books: 4, rows: 10 }, Room { books: 3, rows: 6 })
    }

    fn open(shelf: &Shelf, identity: IdentityId, number: i32) -> Option<Shelved> {
        shelf.open(identity, day().plus_days(number), Timestamp::from_micros(number.into()))
    }

    /// Which days of that account are there, counted from the first.
    fn days(shelf: &Shelf, identity: IdentityId) -> BTreeSet<i64> {
        let books = shelf.lock();
        let of_account = books.keys().filter(|(one, _)| *one == identity);
        of_account.map(|(_, one)| one.days() - day().days()).collect()
    }

    fn fill(shelved: &Shelved, rows: usize) {
        lock(&shelved.book).take_in(credit_page(rows)).unwrap();
    }

    #[test]
    fn the_books_that_nobody_asked_about_for_longest_go_first() {
        let shelf = shelf();
        assert!(open(&shelf, OTHER, 0).is_some());
        for number in [0, 1, 2] {
            assert!(open(&shelf, ONE, number).is_some());
        }
        // Asked about again, the oldest is the latest.
        assert!(shelf.open(ONE, day(), Timestamp::from_micros(7)).is_some());
        assert!(open(&shelf, ONE, 3).is_some());
        assert_eq!(days(&shelf, ONE), BTreeSet::from([0, 2, 3]));
        assert_eq!(days(&shelf, OTHER), BTreeSet::from([0]), "an account makes room by its own");
        assert!(open(&shelf, OTHER, 9).is_some());
        assert_eq!(days(&shelf, OTHER), BTreeSet::from([9]));
    }

    #[test]
    fn one_account_takes_no_more_than_its_share_though_all_of_it_is_in_use() {
        let shelf = shelf();
        let held: Vec<_> = (0..3).map(|number| open(&shelf, ONE, number).unwrap()).collect();
        assert!(open(&shelf, ONE, 3).is_none());
        assert!(open(&shelf, ONE, 1).is_some(), "what is there can be read by others too");
        assert!(open(&shelf, OTHER, 0).is_some());
        held.iter().for_each(|shelved| fill(shelved, 3));
        assert!(!shelf.has_room(ONE), "nine rows");
        assert!(shelf.has_room(OTHER));
        drop(held);
        assert!(shelf.has_room(ONE), "what nobody reads is taken away");
        assert_eq!(days(&shelf, ONE), BTreeSet::from([1, 2]));
    }

    #[test]
    fn what_is_in_use_is_not_taken_away_and_no_more_comes_to_it() {
        let shelf = shelf();
        let _held: Vec<_> = (0..2)
            .flat_map(|number| [open(&shelf, ONE, number), open(&shelf, OTHER, number)])
            .map(|shelved| {
                let shelved = shelved.unwrap();
                fill(&shelved, 3);
                shelved
            })
            .collect();
        let third = IdentityId::from_bytes([3; 16]);
        assert!(open(&shelf, third, 0).is_none());
        assert!(!shelf.has_room(ONE), "twelve rows");
    }

    #[test]
    fn the_exchanges_of_an_account_share_its_places() {
        let shelf = shelf();
        let (one, another) = (open(&shelf, ONE, 0).unwrap(), open(&shelf, ONE, 1).unwrap());
        let of_other = open(&shelf, OTHER, 0).unwrap();
        assert!(Arc::ptr_eq(&one.line, &another.line));
        assert!(!Arc::ptr_eq(&one.line, &of_other.line));
    }
}
