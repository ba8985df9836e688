//! `GET /v1/webhooks/deliveries`

use app::paging::Paging;
use app::webhooks::Filter;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListDeliveries;
use domain::ids::LinkId;
use domain::refusal::{Code, Problem, Refusal};
use domain::time::Timestamp;
use domain::webhooks::DeliveryState;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer, query};

use crate::operation::{Endpoint, Group, Parameter, Query, WireForm, one_of};
use crate::wire::{
    Shown, WireListed, event_kind, event_parameter, invalid, looked_back, parameter, say,
};

/// The longest host and port that is looked for.
const RECEIVER_LEN_MAX: usize = 300;

#[derive(Serialize, JsonSchema)]
struct DeliveriesListed<'a> {
    message: &'static str,
    /// Las entregas de esta página, la más nueva primero. / The deliveries of this page, the newest first.
    deliveries: Vec<WireListed<'a>>,
    total: i64,
    page: u32,
    limit: u32,
    /// Donde no se miró todo: desde cuándo se miró. / Where not all was looked at: since when it was.
    looked_since: Option<Shown<Timestamp>>,
}

/// Which deliveries are wanted.
struct DeliveriesWanted {
    paging: Paging,
    filter: Filter,
}

impl Query for DeliveriesWanted {
    fn parameters() -> Vec<Parameter> {
        let states = one_of(&DeliveryState::ALL.map(DeliveryState::as_str));
        let receiver = json!({ "type": "string", "maxLength": RECEIVER_LEN_MAX });
        let of = |name, es, en, schema| parameter(name, es, en, schema);
        let filters = vec![
            of("state", "Solo los que están así.", "Only those in this state.", states).or_empty(),
            event_parameter(),
            of(
                "payment_link_id",
                "Solo los de este enlace.",
                "Only those of this link.",
                LinkId::schema(),
            )
            .or_empty(),
            of(
                "receiver",
                "Solo los de este destino.",
                "Only those to this host and port.",
                receiver,
            ),
        ];
        [Paging::parameters(), filters].concat()
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        Ok(Self { paging: Paging::read(uri)?, filter: filter(uri)? })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListDeliveries, _, _>(Method::GET, "/v1/webhooks/deliveries", handle)
        .does(
            Group::Webhooks,
            "Lista lo que se avisó a los sistemas del titular, y qué resultó.",
            "Lists what was told to the owner's systems, and what came of it.",
        )
        .query::<DeliveriesWanted>()
        .answers::<DeliveriesListed<'_>>(json!({
            "message": "avisos enviados a sus servidores",
            "deliveries": [WireListed::example()],
            "total": 1,
            "page": 1,
            "limit": 25,
            "looked_since": null,
        }))
        .refuses(&[Code::NotFound])
}

async fn handle(
    admitted: Admitted<ListDeliveries>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let DeliveriesWanted { paging, filter } = DeliveriesWanted::read(&uri)?;
    let language = admitted.language();
    let found = app::webhooks::list(&state.app, &admitted.0, filter, paging).await?;
    let message = match found.looked_since {
        None => say(language, "avisos enviados a sus servidores", "what your servers were told"),
        Some(_) => looked_back(language),
    };
    answer::json(&DeliveriesListed {
        message,
        deliveries: found.page.entries.iter().map(|one| WireListed::of(one, language)).collect(),
        total: found.page.total,
        page: paging.number.page,
        limit: paging.number.limit,
        looked_since: found.looked_since.map(Shown),
    })
}

fn filter(uri: &Uri) -> Result<Filter, Refusal> {
    let word = |name: &str| query::find(uri, name).filter(|word| !word.is_empty());
    let state = word("state").map(|word| {
        let problem = Problem::one_of(&["pending", "delivered", "exhausted"]);
        DeliveryState::parse(&word).ok_or_else(|| invalid("state", problem))
    });
    let link = word("payment_link_id").map(|id| {
        id.parse().map_err(|_| {
            invalid(
                "payment_link_id",
                ("debe ser el id de un enlace de pago", "must be the id of a payment link"),
            )
        })
    });
    let receiver = word("receiver");
    if receiver.as_ref().is_some_and(|text| text.len() > RECEIVER_LEN_MAX) {
        return Err(invalid("receiver", ("es demasiado largo", "is too long")));
    }
    Ok(Filter {
        state: state.transpose()?,
        event: event_kind(uri)?,
        link: link.transpose()?,
        receiver: receiver.map(|text| text.to_ascii_lowercase()),
        livemode: None,
    })
}

#[cfg(test)]
mod tests {
    use domain::webhooks::EventKind;

    use super::*;

    #[test]
    fn filters_are_read_or_refused() {
        let uri = |query: &str| format!("/a?{query}").parse::<Uri>().unwrap();
        let all = filter(&uri("state=&page=2")).unwrap();
        assert!(all.state.is_none() && all.event.is_none() && all.receiver.is_none());
        let link = "link_00000000000000000000000001";
        let query = format!(
            "state=exhausted&event=payment_link.paid&receiver=Shop.example%3A81&payment_link_id={link}"
        );
        let found = filter(&uri(&query)).unwrap();
        assert_eq!(found.state, Some(DeliveryState::Exhausted));
        assert_eq!(found.event, Some(EventKind::LinkPaid));
        assert_eq!(found.link.unwrap().to_string(), link);
        assert_eq!(found.receiver.as_deref(), Some("shop.example:81"));
        let long = format!("receiver={}", "a".repeat(301));
        for query in ["state=open", "event=paid", "payment_link_id=7", &long] {
            assert!(filter(&uri(query)).is_err(), "{query}");
        }
    }
}
