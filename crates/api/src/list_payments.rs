//! `GET /v1/payments`

use app::payments::{Question, list};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListPayments;
use domain::ids::{BankId, ClientId, KeyId, LinkId, PaymentCursor};
use domain::refusal::{Code, Refusal};
use domain::time::{CaracasDate, Timestamp};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query, WireForm};
use crate::wire::{
    Shown, WirePayment, after, bank_id, client_id, days, invalid, key_id, limit, limit_parameter,
    link_id, non_empty, parameter, say,
};

#[derive(Serialize, JsonSchema)]
struct PaymentsListed<'a> {
    message: &'static str,
    /// Los pagos, el más viejo primero. / The payments, the oldest first.
    payments: Vec<WirePayment<'a>>,
    /// Con qué pedir la próxima vez; `null` donde todavía no hay nada. / What to ask with the next time; null where
    /// there is nothing yet.
    next: Option<Shown<PaymentCursor>>,
    /// Si hay más que pedir enseguida. Una página puede ser corta o vacía aunque lo haya. / Whether there is more to
    /// ask for at once. A page may be short or empty though there is.
    has_more: bool,
}

impl Query for Question {
    fn parameters() -> Vec<Parameter> {
        let day = CaracasDate::schema;
        vec![
            parameter(
                "after",
                "El `next` de una respuesta anterior.",
                "The `next` of an earlier answer.",
                PaymentCursor::schema(),
            )
            .or_empty(),
            parameter(
                "updated_since",
                "Desde el primero con este `updated_at` o uno posterior.",
                "From the first one on that has this `updated_at` or a later one.",
                Timestamp::schema(),
            )
            .or_empty(),
            parameter(
                "from",
                "Verificados desde este día en Caracas.",
                "Verified from this day of Caracas on.",
                day(),
            ),
            parameter(
                "to",
                "Verificados hasta este día en Caracas.",
                "Verified up to this day of Caracas.",
                day(),
            ),
            parameter(
                "user_bank_id",
                "Solo los de esta cuenta.",
                "Only those of this account.",
                BankId::schema(),
            )
            .or_empty(),
            parameter(
                "client_owner_id",
                "Solo los de este cliente.",
                "Only those of this client.",
                ClientId::schema(),
            )
            .or_empty(),
            parameter(
                "api_key_id",
                "Solo los de esta llave.",
                "Only those of this key.",
                KeyId::schema(),
            )
            .or_empty(),
            parameter(
                "payment_link_id",
                "Solo el que pagó este enlace.",
                "Only the one that paid this link.",
                LinkId::schema(),
            )
            .or_empty(),
            limit_parameter(),
        ]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let said = |name| non_empty(uri, name);
        let since = said("updated_since")
            .map(|text| Timestamp::parse(&text).map_err(|error| invalid("updated_since", error)));
        let (from, to) = days(uri)?;
        Ok(Self {
            after: after(uri)?,
            updated_since: since.transpose()?,
            from,
            to,
            bank: said("user_bank_id").map(|text| bank_id(&text)).transpose()?,
            client: client_id(said("client_owner_id"))?,
            key: said("api_key_id").map(|text| key_id(&text)).transpose()?,
            link: said("payment_link_id").map(|text| link_id(&text)).transpose()?,
            limit: usize::try_from(limit(uri)?).unwrap_or(usize::MAX),
        })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListPayments, _, _>(Method::GET, "/v1/payments", handle)
        .does(
            Group::Payments,
            "Lista los pagos en el orden en que se verificaron, desde cualquier punto, para quien los va buscando.",
            "Lists payments in the order in which they were verified, from any place on, for those who pull them.",
        )
        .query::<Question>()
        .answers::<PaymentsListed<'_>>(json!({
            "message": "pagos: pida los que sigan con `after` y este `next`",
            "payments": [WirePayment::example()],
            "next": "pcur_00000000000000000000000001",
            "has_more": false,
        }))
        .refuses(&[Code::NotFound])
}

async fn handle(
    admitted: Admitted<ListPayments>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let asked = Question::read(&uri)?;
    let found = list(&state.app, &admitted.0, asked).await?;
    let message = say(
        admitted.language(),
        "pagos: pida los que sigan con `after` y este `next`",
        "payments: ask for what follows by `after` and this `next`",
    );
    answer::json(&PaymentsListed {
        message,
        payments: found.payments.iter().map(WirePayment::of).collect(),
        next: found.next.map(Shown),
        has_more: found.has_more,
    })
}
