//! `POST /me/payment-links`

use app::links::{Listing, Origin};
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

use crate::operation::{
    Endpoint, Group, Int, Kind, Loose, Optional, Request, TextKind, one_of, request,
};
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

/// Where links come from.
struct OriginWord;

const ORIGINS: [&str; 3] = ["api", "dashboard", "subscription"];

impl TextKind for OriginWord {
    type Value = Origin;

    fn parse(word: &str) -> Result<Origin, Problem> {
        match word {
            "default" => Ok(Origin::Api),
            word => Origin::parse(word).ok_or_else(|| Problem::one_of(&ORIGINS)),
        }
    }

    fn schema() -> Value {
        one_of(&[&ORIGINS[..], &["default"]].concat())
    }
}

/// What links are now.
struct StatusWord;

const STATUSES: [&str; 6] = ["pending", "paid", "failed", "expired", "canceled", "stopped"];

impl TextKind for StatusWord {
    type Value = Status;

    fn parse(word: &str) -> Result<Status, Problem> {
        Status::parse(word).ok_or_else(|| Problem::one_of(&STATUSES))
    }

    fn schema() -> Value {
        one_of(&STATUSES)
    }
}

#[derive(Serialize, JsonSchema)]
struct PaymentLinksListed<'a> {
    message: &'static str,
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
    Endpoint::new::<ListLinks, _, _>(Method::POST, "/me/payment-links", handle)
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
    let listing = parse(&body)?;
    let (language, PageNumber { page, limit }) = (admitted.language(), listing.paging.number);
    let found = app::links::list(&state.app, &admitted.0, listing).await?;
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

fn parse(body: &JsonBody) -> Result<Listing, Refusal> {
    let LinksWanted { page, limit, kind, status, search, from, to } = LinksWanted::read(body)?;
    let (from, to) = in_order(from, to)?;
    let number = |given: Option<i64>, default| {
        given.and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
    };
    let number = PageNumber { page: number(page, 1), limit: number(limit, LIMIT) };
    let paging = Paging { number, from, to };
    Ok(Listing { origin: kind, status, search, livemode: None, paging })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_default() {
        let listing = parse(&JsonBody::from("{}")).unwrap();
        assert_eq!(listing.paging.number, PageNumber { page: 1, limit: 25 });
        assert!(listing.origin.is_none() && listing.status.is_none() && listing.search.is_none());
        let json =
            r#"{"page": 2, "limit": 100, "type": "default", "status": "expired", "search": "a"}"#;
        let listing = parse(&JsonBody::from(json)).unwrap();
        assert_eq!((listing.paging.number.page, listing.origin), (2, Some(Origin::Api)));
        assert_eq!(listing.status, Some(Status::Expired));
    }

    #[test]
    fn what_is_out_of_bounds_is_reported() {
        for (json, field) in [
            (r#"{"page": 0}"#, "page"),
            (r#"{"page": 401}"#, "page"),
            (r#"{"limit": 101}"#, "limit"),
            (r#"{"type": "other"}"#, "type"),
            (r#"{"status": "open"}"#, "status"),
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
