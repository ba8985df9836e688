//! The bank's books: payments by day, and the tokens of each account.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};

use super::CODE;
use crate::payment::{Account, Kind, Payment};

/// How long an access token lasts.
pub const TOKEN_LASTS: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How long the list of a day must be behind before the next: the manual says not more often, and not what follows.
pub const LIST_EVERY: Duration = Duration::from_secs(10 * 60);

/// The bank's books.
#[derive(Debug, Default)]
pub struct Ledger {
    books: HashMap<AccountNumber, Book>,
}

/// An account's own book.
#[derive(Debug)]
struct Book {
    key: SecretText,
    phone: Phone,
    rif: Document,
    pairs: Vec<Pair>,
    listed_at: Option<Timestamp>,
    days: BTreeMap<CaracasDate, Vec<Arc<Payment>>>,
}

/// A pair of tokens that the bank gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// What the bank is asked with.
    pub access: SecretText,
    /// What the next pair is had for, once.
    pub refresh: SecretText,
    /// When the access token ends; not known of one that nobody has used yet.
    pub ends_at: Option<Timestamp>,
    is_used: bool,
}

impl Pair {
    /// The pair of that number, from the key that the account was opened with.
    fn numbered(key: &SecretText, number: usize, now: Option<Timestamp>) -> Self {
        let suffix = if number == 0 { String::new() } else { format!(".{number}") };
        Self {
            access: SecretText::new(format!("{}{suffix}", key.expose())),
            refresh: SecretText::new(format!("renovar-{}{suffix}", key.expose())),
            ends_at: now.map(|now| now.plus(TOKEN_LASTS)),
            is_used: false,
        }
    }
}

/// Why a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The token is nobody's, or over.
    NoToken,
    /// The list of a day was asked for less than ten minutes ago.
    TooOften,
}

/// The holder of an account, as the rows of a list name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The phone that the payments went to.
    pub phone: Phone,
    /// The tax number.
    pub rif: Document,
}

impl Ledger {
    /// Opens an account, or changes what is known of its holder. Another key begins with another pair of tokens.
    pub(crate) fn open(&mut self, account: &Account) {
        let Account { number, api_key, phone, rif, push: _ } = account.clone();
        if !number.as_str().starts_with(CODE) {
            return;
        }
        let former = self.books.remove(&number);
        let is_same = former.as_ref().is_some_and(|book| book.key == api_key);
        let first = || vec![Pair::numbered(&api_key, 0, None)];
        let (pairs, listed_at, days) = match former {
            Some(book) if is_same => (book.pairs, book.listed_at, book.days),
            Some(book) => (first(), book.listed_at, book.days),
            None => (first(), None, BTreeMap::new()),
        };
        self.books.insert(number, Book { key: api_key, phone, rif, pairs, listed_at, days });
    }

    /// Takes a payment in. It becomes visible by itself, when it is posted.
    pub(crate) fn take(&mut self, payment: &Arc<Payment>) {
        let Some(book) = self.books.get_mut(&payment.account) else { return };
        let day = book.days.entry(CaracasDate::of(payment.paid_at)).or_default();
        day.push(Arc::clone(payment));
    }

    /// The account that an access token is of, over or not.
    #[must_use]
    pub fn account_of(&self, access: &SecretText) -> Option<&AccountNumber> {
        let mut books = self.books.iter();
        books
            .find(|(_, book)| book.pairs.iter().any(|pair| pair.access == *access))
            .map(|(number, _)| number)
    }

    /// Ends every access token of the account that there is now.
    pub(crate) fn end_tokens(&mut self, number: &AccountNumber, now: Timestamp) {
        let book = self.books.get_mut(number);
        for pair in book.into_iter().flat_map(|book| &mut book.pairs) {
            pair.ends_at = Some(now);
        }
    }

    /// Gives the next pair for a refresh token, once. The manual does not say that the access token must be good yet.
    ///
    /// # Errors
    /// [`Refused::NoToken`].
    pub(crate) fn refresh(
        &mut self,
        access: &SecretText,
        refresh: &SecretText,
        now: Timestamp,
    ) -> Result<Pair, Refused> {
        let book = self.book_of(access).ok_or(Refused::NoToken)?;
        let number = book.pairs.len();
        let pair = book.pairs.iter_mut().find(|pair| pair.refresh == *refresh && !pair.is_used);
        pair.ok_or(Refused::NoToken)?.is_used = true;
        let next = Pair::numbered(&book.key, number, Some(now));
        book.pairs.push(next.clone());
        Ok(next)
    }

    /// Lists what that phone sent from that bank on that day, as far as it is posted.
    ///
    /// # Errors
    /// [`Refused::NoToken`].
    pub(crate) fn find(
        &mut self,
        access: &SecretText,
        (phone, bank): (&Phone, &BankCode),
        day: CaracasDate,
        now: Timestamp,
    ) -> Result<(Holder, Vec<Arc<Payment>>), Refused> {
        let book = self.admit(access, now)?;
        let posted = book.posted(day, now);
        let sent = posted.filter(|one| one.payer.phone == *phone && one.payer.bank == *bank);
        Ok((book.holder(), sent.cloned().collect()))
    }

    /// Lists all that came on that day, as far as it is posted.
    ///
    /// # Errors
    /// [`Refused`].
    pub(crate) fn list(
        &mut self,
        access: &SecretText,
        day: CaracasDate,
        now: Timestamp,
    ) -> Result<(Holder, Vec<Arc<Payment>>), Refused> {
        let book = self.admit(access, now)?;
        if book.listed_at.is_some_and(|at| at <= now && now < at.plus(LIST_EVERY)) {
            return Err(Refused::TooOften);
        }
        book.listed_at = Some(now);
        Ok((book.holder(), book.posted(day, now).cloned().collect()))
    }

    fn book_of(&mut self, access: &SecretText) -> Option<&mut Book> {
        let mut books = self.books.values_mut();
        books.find(|book| book.pairs.iter().any(|pair| pair.access == *access))
    }

    /// The book of a token that is good. The first one lasts from its first use on.
    fn admit(&mut self, access: &SecretText, now: Timestamp) -> Result<&mut Book, Refused> {
        let book = self.book_of(access).ok_or(Refused::NoToken)?;
        let pair = book.pairs.iter_mut().find(|pair| pair.access == *access);
        let ends_at = &mut pair.ok_or(Refused::NoToken)?.ends_at;
        let ends_at = *ends_at.get_or_insert(now.plus(TOKEN_LASTS));
        if now < ends_at { Ok(book) } else { Err(Refused::NoToken) }
    }
}

impl Book {
    fn holder(&self) -> Holder {
        Holder { phone: self.phone.clone(), rif: self.rif.clone() }
    }

    /// The pagos móviles of that day that are posted by then: this interface shows no transfers.
    fn posted(&self, day: CaracasDate, now: Timestamp) -> impl Iterator<Item = &Arc<Payment>> {
        let payments = self.days.get(&day).into_iter().flatten();
        payments.filter(move |one| one.kind == Kind::PagoMovil && one.posts_at <= now)
    }
}
