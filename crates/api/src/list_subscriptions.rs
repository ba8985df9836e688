//! `POST /me/subscriptions`

use app::paging::{LIMIT, LIMIT_MAX, PAGE_MAX, PageNumber};
use app::subscriptions::{Listing, Status};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListSubscriptions;
use domain::refusal::{Problem, Refusal};
use domain::text::Text;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Int, Loose, Optional, Request, TextKind, request};
use crate::wire::{WireSubscription, say};

request! {
    struct SubscriptionsWanted {
        page: Optional<Int<1, { PAGE_MAX as i64 }>>,
        limit: Optional<Int<1, { LIMIT_MAX as i64 }>>,
        status: Loose<StatusWord>,
        /// Solo aquellas cuyo id, producto, nombre o cliente contiene este texto. / Only those whose id, product, label or
        /// client has this text.
        search: Optional<Text<0, 120>>,
    }
}

/// States of subscriptions; nothing for a name that is none.
struct StatusWord;

impl TextKind for StatusWord {
    type Value = Option<Status>;

    fn parse(word: &str) -> Result<Option<Status>, Problem> {
        Ok(Status::parse(word))
    }

    fn schema() -> Value {
        json!({ "type": "string", "examples": Status::ALL.map(Status::as_str) })
    }
}

#[derive(Serialize, JsonSchema)]
struct SubscriptionsListed<'a> {
    message: &'static str,
    /// Las suscripciones de esta página. / The subscriptions of this page.
    subscriptions: Vec<WireSubscription<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ListSubscriptions, _, _>(Method::POST, "/me/subscriptions", handle)
        .does(
            Group::Subscriptions,
            "Lista las suscripciones, primero las más nuevas.",
            "Lists subscriptions, newest first.",
        )
        .takes::<SubscriptionsWanted>(json!({ "page": 1, "limit": 25, "status": "active" }))
        .answers::<SubscriptionsListed<'_>>(json!({
            "message": "suscripciones",
            "subscriptions": [WireSubscription::example()],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListSubscriptions>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (PageNumber { page, limit }, listing) = parse(&body)?;
    let (entries, total) = match listing {
        Some(listing) => {
            let found = app::subscriptions::list(&state.app, &admitted.0, listing).await?;
            (found.entries, found.total)
        }
        None => (Vec::new(), 0),
    };
    answer::json(&SubscriptionsListed {
        message: say(admitted.language(), "suscripciones", "subscriptions"),
        subscriptions: entries.iter().map(WireSubscription::of).collect(),
        total,
        page,
        limit,
    })
}

/// Which page is asked for, and of which subscriptions; nothing where a filter has a value that none has.
fn parse(body: &JsonBody) -> Result<(PageNumber, Option<Listing>), Refusal> {
    let SubscriptionsWanted { page, limit, status, search } = SubscriptionsWanted::read(body)?;
    let number = |given: Option<i64>, default| {
        given.and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
    };
    let number = PageNumber { page: number(page, 1), limit: number(limit, LIMIT) };
    let has_none = status == Some(None);
    let listing = Listing { status: status.flatten(), search, livemode: None, number };
    Ok((number, (!has_none).then_some(listing)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_value_that_no_subscription_has_finds_nothing() {
        let (number, listing) = parse(&JsonBody::from(r#"{"page": 3, "status": "open"}"#)).unwrap();
        assert_eq!((number.page, listing.is_none()), (3, true));
        let (number, listing) = parse(&JsonBody::from(r#"{"status": ""}"#)).unwrap();
        assert_eq!((number.limit, listing.is_some()), (25, true));
        let (_, listing) = parse(&JsonBody::from(r#"{"status": "cancelled"}"#)).unwrap();
        assert_eq!(listing.unwrap().status, Some(Status::Cancelled));
    }
}
