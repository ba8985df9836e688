//! `POST /me/payment-links`

use app::links::{Listing, Origin};
use app::paging::{LIMIT, LIMIT_MAX, PAGE_MAX, PageNumber};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListLinks;
use domain::links::Status;
use domain::refusal::{Problem, Refusal};
use domain::text::Text;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::{WireLink, say};

/// How far a page may be asked for, to be told which is the last.
const PAGE_ASKED_MAX: i64 = 1_000_000_000;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    page: Field<'a>,
    #[serde(borrow)]
    limit: Field<'a>,
    #[serde(borrow, rename = "type")]
    kind: Field<'a>,
    #[serde(borrow)]
    status: Field<'a>,
    #[serde(borrow)]
    search: Field<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    payment_links: Vec<WireLink<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

pub(crate) async fn handle(
    admitted: Admitted<ListLinks>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let listing = parse(&body)?;
    let PageNumber { page, limit } = listing.number;
    let found = app::links::list(&state.app, &admitted.0, listing).await?;
    answer::json(&Answer {
        message: say(admitted.language(), "enlaces de pago", "payment links"),
        payment_links: found.entries.iter().map(WireLink::of).collect(),
        total: found.total,
        page,
        limit,
    })
}

fn parse(body: &JsonBody) -> Result<Listing, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let page = fields.integer("page", wire.page, (1, PAGE_ASKED_MAX)).unwrap_or(1);
    if page > i64::from(PAGE_MAX) {
        let problem = Problem::made(
            format!("pasa de la {PAGE_MAX}: pida menos, con type, status o search"),
            format!("is beyond the {PAGE_MAX}th: ask for less by type, status or search"),
        );
        fields.problem::<()>("page", problem);
    }
    let limit = fields.integer("limit", wire.limit, (1, i64::from(LIMIT_MAX)));
    let origin = fields.text("type", wire.kind, |word| match word.trim() {
        "" => Ok(None),
        "default" => Ok(Some(Origin::Api)),
        word => Origin::parse(word)
            .map(Some)
            .ok_or_else(|| Problem::one_of(&["api", "dashboard", "subscription"])),
    });
    let status = fields.text("status", wire.status, |word| match word.trim() {
        "" => Ok(None),
        word => Status::parse(word).map(Some).ok_or_else(|| {
            Problem::one_of(&["pending", "paid", "failed", "expired", "canceled", "stopped"])
        }),
    });
    let search = fields.text("search", wire.search, Text::parse);
    if !fields.are_right() {
        return Err(fields.refusal());
    }
    Ok(Listing {
        origin: origin.flatten(),
        status: status.flatten(),
        search,
        number: PageNumber {
            page: u32::try_from(page).unwrap_or(1),
            limit: limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(LIMIT),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_default() {
        let listing = parse(&JsonBody::from("{}")).unwrap();
        assert_eq!(listing.number, PageNumber { page: 1, limit: 25 });
        assert!(listing.origin.is_none() && listing.status.is_none() && listing.search.is_none());
        let json =
            r#"{"page": 2, "limit": 100, "type": "default", "status": "expired", "search": "a"}"#;
        let listing = parse(&JsonBody::from(json)).unwrap();
        assert_eq!((listing.number.page, listing.origin), (2, Some(Origin::Api)));
        assert_eq!(listing.status, Some(Status::Expired));
    }

    #[test]
    fn what_is_out_of_bounds_is_told() {
        for (json, field) in [
            (r#"{"page": 0}"#, "page"),
            (r#"{"page": 401}"#, "page"),
            (r#"{"limit": 101}"#, "limit"),
            (r#"{"type": "other"}"#, "type"),
            (r#"{"status": "open"}"#, "status"),
        ] {
            let Err(Refusal::Validation(details)) = parse(&JsonBody::from(json)) else {
                panic!("{json}")
            };
            assert_eq!(details[0].field, field);
        }
    }
}
