//! `POST /me/payment-links`

use app::links::{Found, Listing, Origin};
use app::paging::{LIMIT, LIMIT_MAX, PAGE_MAX, PageNumber, Paging};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListLinks;
use domain::links::Status;
use domain::refusal::{Problem, Refusal};
use domain::text::Text;
use domain::time::{CaracasDate, Timestamp};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, Fields, JsonBody, answer};

use crate::operation::{Endpoint, Group, Int, Kind, Loose, Optional, Request, TextKind, request};
use crate::wire::{Shown, WireLink, in_order, looked_back, say};

/// How far a page may be asked for and be refused with the number of the last.
const PAGE_ASKED_MAX: i64 = 1_000_000_000;

request! {
    struct LinksWanted {
        page: Optional<ListPage>,
        limit: Optional<Int<1, { LIMIT_MAX as i64 }>>,
        /// Solo los que vienen de ahí; `default` es otro nombre de `api`. / Only those that come from there; `default`
        /// is another name of `api`.
        kind as "type": Loose<OriginWord>,
        status: Loose<StatusWord>,
        /// Solo aquellos cuyo id, nombre o descripción contiene este texto. / Only those whose id, name or description
        /// has this text.
        search: Optional<Text<0, 120>>,
        /// Desde este día en Caracas. / From this day of Caracas on.
        from: Optional<CaracasDate>,
        /// Hasta este día en Caracas. / Up to this day of Caracas.
        to: Optional<CaracasDate>,
    }
}

/// The number of a page, up to the last that is shown.
struct ListPage;

impl Kind for ListPage {
    type Value = i64;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<i64> {
        let page = fields.integer(name, Some(raw), (1, PAGE_ASKED_MAX))?;
        if page > i64::from(PAGE_MAX) {
            let problem = Problem::made(
                format!("pasa de la {PAGE_MAX}: pida menos, con type, status, search, from o to"),
                format!(
                    "is beyond the {PAGE_MAX}th: ask for less by type, status, search, from or to"
                ),
            );
            return fields.problem(name, problem);
        }
        Some(page)
    }

    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": PAGE_MAX })
    }
}

/// Origins of links; nothing for a name that is none.
struct OriginWord;

const ORIGINS: [&str; 4] = ["api", "dashboard", "subscription", "default"];

impl TextKind for OriginWord {
    type Value = Option<Origin>;

    fn parse(word: &str) -> Result<Option<Origin>, Problem> {
        Ok(if word == "default" { Some(Origin::Api) } else { Origin::parse(word) })
    }

    fn schema() -> Value {
        json!({ "type": "string", "examples": ORIGINS })
    }
}

/// States of links; nothing for a name that is none.
struct StatusWord;

const STATUSES: [&str; 6] = ["pending", "paid", "failed", "expired", "canceled", "stopped"];

impl TextKind for StatusWord {
    type Value = Option<Status>;

    fn parse(word: &str) -> Result<Option<Status>, Problem> {
        Ok(Status::parse(word))
    }

    fn schema() -> Value {
        json!({ "type": "string", "examples": STATUSES })
    }
}

#[derive(Serialize, JsonSchema)]
struct PaymentLinksListed<'a> {
    message: &'static str,
    /// Los enlaces de esta página, el más nuevo primero. / The links of this page, the newest first.
    payment_links: Vec<WireLink<'a>>,
    total: i64,
    page: u32,
    limit: u32,
    /// Con `type`, `status` o `search` se mira entre los 20 000 más nuevos de esos días: donde hay más, desde cuándo. / By
    /// `type`, `status` or `search` the newest 20,000 of these days are looked at: where there are more, since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    looked_since: Option<Shown<Timestamp>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ListLinks, _, _>(Method::POST, "/me/payment-links", handle)
        .does(
            Group::Links,
            "Lista los enlaces de pago, primero los más nuevos.",
            "Lists payment links, newest first.",
        )
        .takes::<LinksWanted>(json!({ "page": 1, "limit": 25, "status": "pending" }))
        .answers::<PaymentLinksListed<'_>>(json!({
            "message": "enlaces de pago",
            "payment_links": [WireLink::example()],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListLinks>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (PageNumber { page, limit }, listing) = parse(&body)?;
    let language = admitted.language();
    let found = match listing {
        Some(listing) => app::links::list(&state.app, &admitted.0, listing).await?,
        None => Found::none(),
    };
    let message = match found.looked_since {
        None => say(language, "enlaces de pago", "payment links"),
        Some(_) => looked_back(language),
    };
    answer::json(&PaymentLinksListed {
        message,
        payment_links: found.page.entries.iter().map(WireLink::of).collect(),
        total: found.page.total,
        page,
        limit,
        looked_since: found.looked_since.map(Shown),
    })
}

/// Which page is asked for, and of which links; nothing where a filter has a value that no link has.
fn parse(body: &JsonBody) -> Result<(PageNumber, Option<Listing>), Refusal> {
    let LinksWanted { page, limit, kind, status, search, from, to } = LinksWanted::read(body)?;
    let (from, to) = in_order(from, to)?;
    let number = |given: Option<i64>, default| {
        given.and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
    };
    let number = PageNumber { page: number(page, 1), limit: number(limit, LIMIT) };
    let paging = Paging { number, from, to };
    let has_none = kind == Some(None) || status == Some(None);
    let (origin, status) = (kind.flatten(), status.flatten());
    let listing = Listing { origin, status, search, livemode: None, paging };
    Ok((number, (!has_none).then_some(listing)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_default() {
        let listing = parse(&JsonBody::from("{}")).unwrap().1.unwrap();
        assert_eq!(listing.paging.number, PageNumber { page: 1, limit: 25 });
        assert!(listing.origin.is_none() && listing.status.is_none() && listing.search.is_none());
        let json =
            r#"{"page": 2, "limit": 100, "type": "default", "status": "expired", "search": "a"}"#;
        let listing = parse(&JsonBody::from(json)).unwrap().1.unwrap();
        assert_eq!((listing.paging.number.page, listing.origin), (2, Some(Origin::Api)));
        assert_eq!(listing.status, Some(Status::Expired));
    }

    #[test]
    fn a_filter_value_that_no_link_has_finds_nothing() {
        for json in [r#"{"page": 3, "type": "other"}"#, r#"{"page": 3, "status": "open"}"#] {
            let (number, listing) = parse(&JsonBody::from(json)).unwrap();
            assert_eq!((number.page, listing.is_none()), (3, true), "{json}");
        }
        let (_, listing) = parse(&JsonBody::from(r#"{"type": "", "status": " "}"#)).unwrap();
        assert!(listing.is_some());
    }

    #[test]
    fn what_is_out_of_bounds_is_reported() {
        for (json, field) in [
            (r#"{"page": 0}"#, "page"),
            (r#"{"page": 401}"#, "page"),
            (r#"{"limit": 101}"#, "limit"),
            (r#"{"type": 7}"#, "type"),
            (r#"{"status": []}"#, "status"),
            (r#"{"from": "2026-13-01"}"#, "from"),
            (r#"{"from": "2026-11-02", "to": "2026-11-01"}"#, "from"),
        ] {
            let Err(Refusal::Validation(details)) = parse(&JsonBody::from(json)) else {
                panic!("{json}")
            };
            assert_eq!(details[0].field, field);
        }
    }
}
