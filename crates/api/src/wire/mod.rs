//! Shapes that several operations answer.

mod account;
mod clock;
mod credit_limit;
mod delivery;
mod document;
mod key;
mod link;
mod push;
mod redelivery;

use std::fmt::Display;

use app::paging::{LIMIT, LIMIT_MAX, PAGE_MAX, PageNumber, Paging};
use axum::response::Response;
use domain::ids::BankId;
use domain::language::Language;
use domain::refusal::{Problem, Refusal};
use domain::time::{CaracasDate, CaracasMonth};
use http::Uri;
use serde::{Serialize, Serializer};
use web::{Failure, answer};

pub(crate) use account::WireBank;
pub(crate) use clock::WireClock;
pub(crate) use credit_limit::{LimitBody, WireCreditLimit};
pub(crate) use delivery::{WireDelivery, WireListed, WireTrouble, delivery_id, event_kind};
pub(crate) use document::{document, text_or_number};
pub(crate) use key::{
    WireKey, client_id, key_id, permission_names, permissions, said_of_key, selection,
    selection_texts,
};
pub(crate) use link::{LinkAnswer, WireLink, link_id, price, said};
pub(crate) use push::WirePush;
pub(crate) use redelivery::WireRedelivery;

/// A value whose text is its wire form: ids and instants. Written without a copy in between.
pub(crate) struct Shown<T>(pub(crate) T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The text of an answer, in the language of the request.
pub(crate) fn say(language: Language, es: &'static str, en: &'static str) -> &'static str {
    match language {
        Language::Es => es,
        Language::En => en,
    }
}

/// An answer that is one sentence.
pub(crate) fn said_only(message: &'static str) -> Result<Response, Failure> {
    #[derive(Serialize)]
    struct Answer {
        message: &'static str,
    }
    answer::json(&Answer { message })
}

/// The id of an account in a path. One of another form is an id of nothing.
pub(crate) fn bank_id(text: &str) -> Result<BankId, Refusal> {
    text.parse().map_err(|_| Refusal::UserBankNotFound)
}

/// The parameter `month`, if it is there.
pub(crate) fn month(uri: &Uri) -> Result<Option<CaracasMonth>, Refusal> {
    let Some(text) = web::query::find(uri, "month") else { return Ok(None) };
    CaracasMonth::parse(&text).map(Some).map_err(|error| invalid("month", error))
}

/// The parameter `page`, counted from 1.
pub(crate) fn page(uri: &Uri) -> Result<u32, Refusal> {
    let Some(text) = web::query::find(uri, "page") else { return Ok(1) };
    let page = text.parse().ok().filter(|page| *page >= 1);
    page.ok_or_else(|| {
        invalid(
            "page",
            ("debe ser un número entero desde 1", "must be a whole number of 1 or more"),
        )
    })
}

/// Which part of a list is wanted: `page`, `limit`, and the days `from` and `to` of Caracas.
pub(crate) fn paging(uri: &Uri) -> Result<Paging, Refusal> {
    let page = page(uri)?;
    if page > PAGE_MAX {
        let problem = Problem::made(
            format!("es a lo más {PAGE_MAX}: pida un rango de días más corto"),
            format!("is at most {PAGE_MAX}: ask for a narrower range of days"),
        );
        return Err(invalid("page", problem));
    }
    let limit = limit(uri)?;
    let (from, to) = (day(uri, "from")?, day(uri, "to")?);
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(invalid("from", ("no debe ser después de `to`", "must not be after `to`")));
    }
    Ok(Paging { number: PageNumber { page, limit }, from, to })
}

/// The parameter `limit`: how many entries are wanted.
pub(crate) fn limit(uri: &Uri) -> Result<u32, Refusal> {
    let Some(text) = web::query::find(uri, "limit") else { return Ok(LIMIT) };
    let limit = text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit));
    limit.ok_or_else(|| invalid("limit", Problem::whole_number(1, LIMIT_MAX.into())))
}

fn day(uri: &Uri, name: &str) -> Result<Option<CaracasDate>, Refusal> {
    let Some(text) = web::query::find(uri, name) else { return Ok(None) };
    CaracasDate::parse(&text).map(Some).map_err(|error| invalid(name, error))
}

pub(crate) fn invalid(field: &str, problem: impl Into<Problem>) -> Refusal {
    Refusal::invalid(field, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_and_pages_are_read_or_refused() {
        let uri = |query: &str| format!("/a?{query}").parse::<Uri>().unwrap();
        assert_eq!(month(&uri("")).unwrap(), None);
        assert_eq!(month(&uri("month=2026-11")).unwrap().unwrap().to_string(), "2026-11");
        for query in ["month=", "month=2026-13", "month=2026", "month=26-11"] {
            assert!(month(&uri(query)).is_err(), "{query}");
        }
        assert_eq!(page(&uri("")).unwrap(), 1);
        let asked = paging(&uri("page=2&limit=100&from=2026-11-01&to=2026-11-30")).unwrap();
        assert_eq!(asked.number, PageNumber { page: 2, limit: 100 });
        assert_eq!(asked.from.unwrap().to_string(), "2026-11-01");
        assert_eq!(paging(&uri("")).unwrap().number, PageNumber { page: 1, limit: 25 });
        for query in [
            "page=401",
            "limit=0",
            "limit=101",
            "limit=x",
            "from=x",
            "from=2026-11-02&to=2026-11-01",
        ] {
            assert!(paging(&uri(query)).is_err(), "{query}");
        }
        assert_eq!(page(&uri("page=7")).unwrap(), 7);
        for query in ["page=", "page=0", "page=-1", "page=1.5", "page=x", "page=99999999999"] {
            assert!(page(&uri(query)).is_err(), "{query}");
        }
    }
}
