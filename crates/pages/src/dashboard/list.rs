//! What lists have in common: which page is asked for, and the way to the next one.

use app::paging::{LIMIT, PAGE_MAX, PageNumber, Paging, TOTAL_MAX};
use domain::language::Language;
use domain::time::CaracasDate;
use http::Uri;

use crate::written::encoded;

/// The few that a summary shows.
pub(super) const LATEST: PageNumber = PageNumber { page: 1, limit: 5 };

/// That page of what happened on these days.
pub(super) fn of_days(from: CaracasDate, to: CaracasDate, number: PageNumber) -> Paging {
    Paging { number, from: Some(from), to: Some(to) }
}

/// The page of a list that the address names; the first where it names none.
pub(super) fn page_of(uri: &Uri) -> PageNumber {
    let page = web::query::find(uri, "page").and_then(|page| page.parse().ok()).unwrap_or(1);
    PageNumber { page: u32::clamp(page, 1, PAGE_MAX), limit: LIMIT }
}

/// The page that the address names of a list that is known whole, or its last one, and the way through the list.
pub(super) fn slice<T>(all: Vec<T>, uri: &Uri, language: Language) -> (Vec<T>, Pager) {
    let asked = page_of(uri);
    let limit = asked.limit as usize;
    let last = u32::try_from(all.len().div_ceil(limit)).unwrap_or(PAGE_MAX).max(1);
    let number = PageNumber { page: asked.page.min(last), ..asked };
    let total = i64::try_from(all.len()).unwrap_or(TOTAL_MAX);
    let pager = Pager::of(uri, number, total, language);
    let before = (number.page as usize - 1) * limit;
    (all.into_iter().skip(before).take(limit).collect(), pager)
}

/// The way through a list.
#[derive(Debug)]
pub(crate) struct Pager {
    pub(crate) page: u32,
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
    /// How many entries there are in all.
    pub(crate) total: String,
}

impl Pager {
    /// The way through a list of so many entries that is asked for by this address.
    pub(super) fn of(uri: &Uri, number: PageNumber, total: i64, language: Language) -> Self {
        let last = (total.min(TOTAL_MAX) as u64).div_ceil(u64::from(number.limit));
        let page = number.page;
        let has_next = u64::from(page) < last && page < PAGE_MAX;
        Self {
            page,
            previous: (page > 1).then(|| address(uri, page - 1)),
            next: has_next.then(|| address(uri, page + 1)),
            total: match (total >= TOTAL_MAX, language) {
                (true, Language::Es) => "más de 10.000".to_owned(),
                (true, Language::En) => "more than 10,000".to_owned(),
                (false, _) => total.to_string(),
            },
        }
    }
}

/// The address with another page, and everything else as it is.
fn address(uri: &Uri, page: u32) -> String {
    let kept = web::query::pairs(uri).into_iter().filter(|(name, _)| name != "page");
    let mut query: String =
        kept.map(|(name, value)| format!("{}={}&", encoded(&name), encoded(&value))).collect();
    query.push_str(&format!("page={page}"));
    format!("{}?{query}", uri.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_walked_with_its_filters_to_its_last_page() {
        let uri: Uri = "/app/links?search=caf%C3%A9+1&page=2".parse().unwrap();
        let number = page_of(&uri);
        let pager = Pager::of(&uri, number, 51, Language::Es);
        let address = |page| Some(format!("/app/links?search=caf%C3%A9%201&page={page}"));
        assert_eq!((pager.previous, pager.next), (address(1), address(3)));
        assert_eq!(Pager::of(&uri, number, 50, Language::Es).next, None);
        assert_eq!(Pager::of(&uri, number, 10_001, Language::En).total, "more than 10,000");
        for (asked, page) in [("0", 1), ("x", 1), ("401", 400), ("-1", 1)] {
            assert_eq!(page_of(&format!("/a?page={asked}").parse().unwrap()).page, page);
        }
    }
}
