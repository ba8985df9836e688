//! The bank's books: what it has taken in, and what it shows of that at an instant.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::payer::{AccountNumber, Document, Phone};
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};

use super::rows::{Row, rows};
use crate::payment::{Account, Payment};

/// The number of the first row. They are long in real extracts, and this one is seen to be none.
const FIRST_ROW: u64 = 70_000_001;

/// The bank's books: an account each, pure, so that the same payments always make the same rows.
#[derive(Debug)]
pub struct Ledger {
    books: HashMap<AccountNumber, Book>,
    next_row: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { books: HashMap::new(), next_row: FIRST_ROW }
    }
}

/// An account's own book.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) api_key: SecretText,
    pub(super) phone: Phone,
    pub(super) rif: Document,
    /// The rows of each day, in the order in which they are posted: what is visible of a day at any
    /// instant is its beginning, and a reader who goes on from a row misses none that comes later.
    /// Except for rows that stand at their own hour, which come in between.
    pub(super) days: BTreeMap<CaracasDate, Vec<Row>>,
    /// The payments of each day, and when each was conciliated.
    pub(super) payments: BTreeMap<CaracasDate, Vec<Entry>>,
}

/// A payment, as far as a validation changes it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) payment: Arc<Payment>,
    pub(super) conciliated_at: Option<Timestamp>,
}

impl Ledger {
    /// Opens an account, or changes what is known of its holder.
    pub fn open(&mut self, account: &Account) {
        let Account { number, api_key, phone, rif, push: _ } = account.clone();
        let former = self.books.remove(&number);
        let (days, payments) = former.map(|book| (book.days, book.payments)).unwrap_or_default();
        self.books.insert(number, Book { api_key, phone, rif, days, payments });
    }

    /// Takes a payment in. It becomes visible by itself, when it is posted. A payment into an
    /// account that is not open is nobody's.
    pub fn take(&mut self, payment: &Arc<Payment>) {
        let Some(book) = self.books.get_mut(&payment.account) else { return };
        let day = CaracasDate::of(payment.paid_at);
        let rows = rows(payment, self.next_row);
        self.next_row += rows.len() as u64;
        // One that the bank shows on another day, too, is of that day.
        for of_day in rows.chunk_by(|one, other| one.day() == other.day()) {
            let Some(first) = of_day.first() else { continue };
            let posted = book.days.entry(first.day()).or_default();
            // Rows of one instant stay in the order in which they came.
            let place = posted.partition_point(|row| row.stands_at <= first.stands_at);
            posted.splice(place..place, of_day.iter().cloned());
        }
        let entry = Entry { payment: Arc::clone(payment), conciliated_at: None };
        book.payments.entry(day).or_default().push(entry);
    }

    /// The account that a holder of the key has under this phone.
    #[must_use]
    pub fn account_of(&self, api_key: &SecretText, phone: &Phone) -> Option<&AccountNumber> {
        self.of_holder(api_key).find(|(_, book)| book.phone == *phone).map(|(number, _)| number)
    }

    pub(super) fn is_affiliated(&self, api_key: &SecretText) -> bool {
        self.of_holder(api_key).next().is_some()
    }

    pub(super) fn book(&self, api_key: &SecretText, number: &AccountNumber) -> Option<&Book> {
        self.books.get(number).filter(|book| book.api_key == *api_key)
    }

    pub(super) fn book_mut(&mut self, number: &AccountNumber) -> Option<&mut Book> {
        self.books.get_mut(number)
    }

    fn of_holder<'a, 'key>(
        &'a self,
        api_key: &'key SecretText,
    ) -> impl Iterator<Item = (&'a AccountNumber, &'a Book)> + use<'a, 'key> {
        self.books.iter().filter(move |(_, book)| book.api_key == *api_key)
    }
}
