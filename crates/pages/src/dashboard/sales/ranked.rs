//! The list of sales by account, client, key, person, payer's bank or subscription, the greatest first.

use app::paging::PageNumber;
use app::statistics::{OfCurrency, Part};
use domain::language::Language;
use domain::statistics::{GroupBy, known_sum};
use http::Uri;

use super::figures::money;
use super::texts::SalesTexts;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::payments::narrowed::Rows;
use crate::dashboard::written::count;

/// How many rows a page has: with the chart and the strip, it weighs what a page may.
const LIMIT: u32 = 12;

/// The list.
#[derive(Debug)]
pub(super) struct Ranked {
    /// Name of what a row stands for.
    pub(super) name: &'static str,
    pub(super) rows: Vec<Row>,
    pub(super) pager: Pager,
    pub(super) has_more: bool,
}

/// A group.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: String,
    /// Address of its payments.
    pub(super) href: Option<String>,
    pub(super) sum: String,
    pub(super) count: String,
    pub(super) before: String,
    /// Its share of the whole sum, of a hundred.
    pub(super) share: Option<u8>,
}

/// Reader of the list, and the way to the payments of the period where it sees them.
pub(super) struct Reader<'a> {
    pub(super) rows: Option<&'a Rows>,
    /// The accounts that a person of a client reaches; nothing for others, who reach all.
    pub(super) accounts: Option<Vec<String>>,
    /// True if it is a person of a client.
    pub(super) is_client: bool,
    pub(super) language: Language,
}

impl Ranked {
    /// The page of the list that the address names.
    pub(super) fn of(of: &OfCurrency, by: GroupBy, uri: &Uri, reader: &Reader<'_>) -> Self {
        let language = reader.language;
        let asked = page_of(uri);
        let last = u32::try_from(of.groups.len()).unwrap_or(u32::MAX).div_ceil(LIMIT).max(1);
        let number = PageNumber { page: asked.page.min(last), limit: LIMIT };
        let total = i64::try_from(of.groups.len()).unwrap_or(i64::MAX);
        let before = (number.page as usize - 1) * LIMIT as usize;
        let shown = of.groups.iter().skip(before).take(LIMIT as usize);
        Self {
            name: name_of(by, SalesTexts::of(language)),
            rows: shown.map(|part| row(part, of, by, reader)).collect(),
            pager: Pager::of(uri, number, total, language),
            has_more: of.has_more,
        }
    }
}

/// The name of what a row stands for.
pub(super) fn name_of(by: GroupBy, t: &SalesTexts) -> &'static str {
    match by {
        GroupBy::Client => t.client,
        GroupBy::Key => t.key,
        GroupBy::Person => t.person,
        GroupBy::PayerBank => t.payer_bank,
        GroupBy::Subscription => t.subscription,
        _ => t.bank,
    }
}

fn row(part: &Part, of: &OfCurrency, by: GroupBy, reader: &Reader<'_>) -> Row {
    let (t, language) = (SalesTexts::of(reader.language), reader.language);
    let (now, before) = (part.tallies.now, part.tallies.before);
    Row {
        name: called(part, by, t),
        href: reader.rows.filter(|_| now.count > 0).and_then(|rows| way(part, by, rows, reader)),
        sum: money(now.sum, of.currency, t, language),
        count: count(now.count, language),
        before: money(before.sum, of.currency, t, language),
        share: share(now.sum, of.tallies.now.sum),
    }
}

/// Writes what a group is called.
fn called(part: &Part, by: GroupBy, t: &SalesTexts) -> String {
    let name = part.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let text = match (by, part.id.as_deref(), name) {
        (_, _, Some(name)) => name,
        (GroupBy::PayerBank, Some(code), _) => code,
        (_, Some(_), None) => t.unnamed,
        (GroupBy::Client, None, _) => t.no_client,
        (GroupBy::Key, None, _) => t.no_key,
        (GroupBy::Person, None, _) => t.no_person,
        (GroupBy::PayerBank, None, _) => t.no_payer_bank,
        (GroupBy::Subscription, None, _) => t.no_subscription,
        (_, None, None) => t.unnamed,
    };
    text.to_owned()
}

/// The way to the payments of a group; nothing where the reader does not reach them.
fn way(part: &Part, by: GroupBy, rows: &Rows, reader: &Reader<'_>) -> Option<String> {
    let id = part.id.as_deref();
    match by {
        GroupBy::Client if reader.is_client => Some(rows.all()),
        GroupBy::Client if id.is_none() => Some(rows.with("no_client", None)),
        GroupBy::Client => Some(rows.with("client", id)),
        GroupBy::Key => Some(rows.with("key", id)),
        GroupBy::Person => Some(rows.with("person", id)),
        GroupBy::PayerBank => Some(rows.with("payer_bank", id)),
        GroupBy::Subscription => Some(rows.with("subscription", id)),
        _ => {
            let bank = id?;
            let reached = reader.accounts.as_ref();
            let is_reached = reached.is_none_or(|reached| reached.iter().any(|one| one == bank));
            is_reached.then(|| rows.with("user_bank_id", id))
        }
    }
}

/// Share of the whole, of a hundred; nothing where one of them is not known.
fn share(sum: i64, whole: i64) -> Option<u8> {
    let (sum, whole) = (i128::from(known_sum(sum)?), i128::from(known_sum(whole)?));
    if whole <= 0 {
        return None;
    }
    u8::try_from((sum * 200 + whole).div_euclid(2 * whole)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_of_the_whole() {
        for (sum, whole, of) in
            [(1, 2, Some(50)), (2, 3, Some(67)), (5, 5, Some(100)), (0, 0, None)]
        {
            assert_eq!(share(sum, whole), of, "{sum} of {whole}");
        }
        assert_eq!(share(domain::statistics::SUM_MAX, 5), None);
    }
}
