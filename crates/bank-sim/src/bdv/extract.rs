//! The extract: rows of an account, a hundred at a time.

use domain::money::Bolivars;
use domain::payer::AccountNumber;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};

use super::ledger::{Book, Ledger};
use super::rows::Row;
use super::written::{hour_and_minute, with_comma, with_point};

/// The most rows of a page. The manual speaks of the day under way; here it holds for every day.
pub const PAGE_ROWS: usize = 100;

/// Balance of an account before its first row: 1,000,000.00.
const OPENING_BALANCE: i64 = 100_000_000;

/// An amount that nobody can read.
const UNREADABLE: &str = "***";

/// A question for an extract.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// Whose.
    pub account: &'a AccountNumber,
    /// The first day.
    pub from: CaracasDate,
    /// The last day.
    pub to: CaracasDate,
    /// The row to go on after; from the beginning, where it is empty.
    pub after: &'a str,
}

/// A page of an extract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many rows the days have at that instant, on all pages.
    pub total: usize,
    /// The rows of this page.
    pub rows: Vec<Shown>,
}

/// A row as the bank shows it, in the bank's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Thirteen digits.
    pub reference: String,
    /// What kind of row it is.
    pub description: &'static str,
    /// `yyyy-MM-dd`.
    pub date: String,
    /// `HHmm`.
    pub hour: String,
    /// Whether money came in.
    pub is_credit: bool,
    /// What the account had afterwards.
    pub balance: String,
    /// The amount, in one of the bank's two forms.
    pub amount: String,
    /// What the next page is asked for with.
    pub number: String,
    /// Who paid, as far as the bank says it.
    pub remark: String,
}

/// Why there is no extract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoExtract {
    /// The key is nobody's, or not that of the account's holder.
    NotAffiliated,
    /// The day under way is asked for together with days that are over.
    MixedDays,
    /// The last day comes before the first.
    BackwardDays,
    /// The row to go on after is not among those of these days.
    UnknownRow,
}

impl Ledger {
    /// The page that is asked for, as it is at that instant. Reading changes nothing.
    ///
    /// # Errors
    /// [`NoExtract`] where there is none.
    pub fn extract(
        &self,
        api_key: &SecretText,
        query: &Query<'_>,
        now: Timestamp,
    ) -> Result<Page, NoExtract> {
        let book = self.book(api_key, query.account).ok_or(NoExtract::NotAffiliated)?;
        let today = CaracasDate::of(now);
        if query.to < query.from {
            return Err(NoExtract::BackwardDays);
        }
        if query.from < today && query.to >= today {
            return Err(NoExtract::MixedDays);
        }
        let rows: Vec<&Row> = book.posted(query.from, query.to, now).collect();
        let first = match query.after {
            "" => 0,
            after => place_after(&rows, after).ok_or(NoExtract::UnknownRow)?,
        };
        let mut balance = book.balance_before(query.from, now);
        let mut shown = Vec::with_capacity(PAGE_ROWS.min(rows.len()));
        for (place, row) in rows.iter().enumerate().take(first.saturating_add(PAGE_ROWS)) {
            balance = balance.saturating_add(moved(row));
            if place >= first {
                shown.push(show(row, Bolivars::from_hundredths(balance)));
            }
        }
        Ok(Page { total: rows.len(), rows: shown })
    }
}

impl Book {
    /// The rows of these days that are posted by then.
    fn posted(
        &self,
        from: CaracasDate,
        to: CaracasDate,
        now: Timestamp,
    ) -> impl Iterator<Item = &Row> {
        let days = self.days.range(from..=to);
        days.flat_map(move |(_, rows)| rows.iter().filter(move |row| row.posts_at <= now))
    }

    /// The balance with everything of earlier days that is posted by then, in hundredths.
    fn balance_before(&self, day: CaracasDate, now: Timestamp) -> i64 {
        let earlier = self.days.range(..day).flat_map(|(_, rows)| rows);
        let earlier = earlier.filter(|row| row.posts_at <= now);
        earlier.map(moved).fold(OPENING_BALANCE, i64::saturating_add)
    }
}

/// Returns the change that a row made to the account's balance.
fn moved(row: &Row) -> i64 {
    if row.is_repeated { 0 } else { row.amount.hundredths() }
}

/// The place after the row of that number.
fn place_after(rows: &[&Row], number: &str) -> Option<usize> {
    let number: u64 = number.parse().ok()?;
    Some(rows.iter().position(|row| row.number == number)? + 1)
}

fn show(row: &Row, balance: Bolivars) -> Shown {
    let amount = match row {
        Row { is_unreadable: true, .. } => UNREADABLE.to_owned(),
        Row { is_with_point: true, .. } => with_point(row.amount),
        _ => with_comma(row.amount),
    };
    Shown {
        reference: row.reference.clone(),
        description: row.description,
        date: CaracasDate::of(row.paid_at).to_string(),
        hour: hour_and_minute(row.paid_at),
        is_credit: row.amount.is_positive(),
        balance: with_comma(balance),
        amount,
        number: row.number.to_string(),
        remark: row.remark.clone(),
    }
}

#[cfg(test)]
#[path = "extract/tests.rs"]
mod tests;
