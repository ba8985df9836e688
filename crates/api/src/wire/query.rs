//! Parameters behind the question mark that several operations read.

use std::str::FromStr;

use app::paging::{LIMIT, LIMIT_MAX, PAGE_MAX, PageNumber, Paging};
use domain::language::Language;
use domain::refusal::{Problem, Refusal};
use domain::time::{CaracasDate, CaracasMonth};
use domain::webhooks::EventKind;
use http::Uri;
use serde_json::{Value, json};

use super::say;
use crate::operation::{Parameter, Query, WireForm, one_of};

/// Builds a query parameter: its name, its purpose in Spanish and in English, and the schema of its value.
pub(crate) fn parameter(
    name: &'static str,
    es: &'static str,
    en: &'static str,
    schema: Value,
) -> Parameter {
    Parameter { name, text: (es, en), schema }
}

pub(crate) fn month_parameter() -> Parameter {
    parameter(
        "month",
        "El mes en Caracas; sin él, el de hoy.",
        "The month in Caracas; without it, today's.",
        CaracasMonth::schema(),
    )
}

pub(crate) fn page_parameter() -> Parameter {
    let schema = json!({ "type": "integer", "minimum": 1, "default": 1 });
    parameter("page", "La página.", "The page.", schema)
}

pub(crate) fn limit_parameter() -> Parameter {
    let schema = json!({ "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT });
    parameter("limit", "Cuántos por página.", "How many on a page.", schema)
}

pub(crate) fn event_parameter() -> Parameter {
    let words = EventKind::ALL.map(EventKind::as_str);
    parameter("event", "Solo los de este evento.", "Only those of this event.", one_of(&words))
        .or_empty()
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

/// Which page of a list is wanted: `page` and `limit`.
impl Query for PageNumber {
    fn parameters() -> Vec<Parameter> {
        let mut page = page_parameter();
        page.schema["maximum"] = PAGE_MAX.into();
        vec![page, limit_parameter()]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let page = page(uri)?;
        if page > PAGE_MAX {
            let problem = Problem::made(
                format!("es a lo más {PAGE_MAX}: pida un rango de días más corto"),
                format!("is at most {PAGE_MAX}: ask for a narrower range of days"),
            );
            return Err(invalid("page", problem));
        }
        Ok(PageNumber { page, limit: limit(uri)? })
    }
}

/// Which part of a list is wanted: `page`, `limit`, and the days `from` and `to` of Caracas.
impl Query for Paging {
    fn parameters() -> Vec<Parameter> {
        let day = CaracasDate::schema;
        let mut parameters = PageNumber::parameters();
        parameters.extend([
            parameter("from", "Desde este día en Caracas.", "From this day of Caracas on.", day()),
            parameter("to", "Hasta este día en Caracas.", "Up to this day of Caracas.", day()),
        ]);
        parameters
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let number = PageNumber::read(uri)?;
        let (from, to) = days(uri)?;
        Ok(Paging { number, from, to })
    }
}

/// The parameter `limit`: how many entries are wanted.
pub(crate) fn limit(uri: &Uri) -> Result<u32, Refusal> {
    let Some(text) = web::query::find(uri, "limit") else { return Ok(LIMIT) };
    let limit = text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit));
    limit.ok_or_else(|| invalid("limit", Problem::whole_number(1, LIMIT_MAX.into())))
}

/// A parameter that is a day, if it is there.
pub(crate) fn day(uri: &Uri, name: &str) -> Result<Option<CaracasDate>, Refusal> {
    let Some(text) = web::query::find(uri, name) else { return Ok(None) };
    CaracasDate::parse(&text).map(Some).map_err(|error| invalid(name, error))
}

/// The parameters `from` and `to`: days of Caracas, of which the first is not after the second.
pub(crate) fn days(uri: &Uri) -> Result<(Option<CaracasDate>, Option<CaracasDate>), Refusal> {
    in_order(day(uri, "from")?, day(uri, "to")?)
}

/// The days `from` and `to`, where the first is no later than the last.
pub(crate) fn in_order(
    from: Option<CaracasDate>,
    to: Option<CaracasDate>,
) -> Result<(Option<CaracasDate>, Option<CaracasDate>), Refusal> {
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(invalid("from", ("no debe ser después de `to`", "must not be after `to`")));
    }
    Ok((from, to))
}

/// Returns the message of a list whose answer covers only part of the range.
pub(crate) fn looked_back(language: Language) -> &'static str {
    say(
        language,
        "solo se miró hasta `looked_since`: pida hasta ese día con `from` y `to`",
        "only looked at back to `looked_since`: ask up to that day by `from` and `to`",
    )
}

/// A parameter that says something: one that is empty says nothing.
pub(crate) fn non_empty(uri: &Uri, name: &str) -> Option<String> {
    web::query::find(uri, name).filter(|text| !text.is_empty())
}

/// The parameter `after`: the `next` of an earlier answer, if it is there.
pub(crate) fn after<T: FromStr>(uri: &Uri) -> Result<Option<T>, Refusal> {
    let problem =
        ("debe ser el `next` de una respuesta anterior", "must be the `next` of an earlier answer");
    non_empty(uri, "after")
        .map(|text| text.parse().map_err(|_| invalid("after", problem)))
        .transpose()
}

pub(crate) fn invalid(field: &str, problem: impl Into<Problem>) -> Refusal {
    Refusal::invalid(field, problem)
}

/// The parameter `event`, if it is there: what is notified of.
pub(crate) fn event_kind(uri: &Uri) -> Result<Option<EventKind>, Refusal> {
    let word = web::query::find(uri, "event").filter(|word| !word.is_empty());
    let kind = word.map(|word| {
        let words: Vec<_> = EventKind::ALL.into_iter().map(EventKind::as_str).collect();
        EventKind::parse(&word).ok_or_else(|| invalid("event", Problem::one_of(&words)))
    });
    kind.transpose()
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
        let asked = Paging::read(&uri("page=2&limit=100&from=2026-11-01&to=2026-11-30")).unwrap();
        assert_eq!(asked.number, PageNumber { page: 2, limit: 100 });
        assert_eq!(asked.from.unwrap().to_string(), "2026-11-01");
        assert_eq!(Paging::read(&uri("")).unwrap().number, PageNumber { page: 1, limit: 25 });
        for query in [
            "page=401",
            "limit=0",
            "limit=101",
            "limit=x",
            "from=x",
            "from=2026-11-02&to=2026-11-01",
        ] {
            assert!(Paging::read(&uri(query)).is_err(), "{query}");
        }
        assert_eq!(page(&uri("page=7")).unwrap(), 7);
        for query in ["page=", "page=0", "page=-1", "page=1.5", "page=x", "page=99999999999"] {
            assert!(page(&uri(query)).is_err(), "{query}");
        }
    }
}
