//! `GET /v1/payments`

use app::payments::{Question, Seen, list};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListPayments;
use domain::ids::{BankId, ClientId, KeyId, LinkId, PaymentCursor, PaymentId, VerificationId};
use domain::receipts::ReceiptAddress;
use domain::refusal::{Code, Refusal};
use domain::time::{CaracasDate, Timestamp};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query, WireForm};
use crate::wire::{
    Shown, WirePrice, after, bank_id, client_id, days, invalid, key_id, limit, limit_parameter,
    link_id, non_empty, parameter, say,
};

#[derive(Serialize, JsonSchema)]
struct PaymentsListed<'a> {
    message: &'static str,
    payments: Vec<ListedPayment<'a>>,
    /// Con qué pedir la próxima vez; `null` donde todavía no hay nada. / What to ask with the next time; null where
    /// there is nothing yet.
    next: Option<Shown<PaymentCursor>>,
    /// Si hay más que pedir enseguida. Una página puede ser corta o vacía aunque lo haya. / Whether there is more to
    /// ask for at once. A page may be short or empty though there is.
    has_more: bool,
}

/// Un pago bancario en la lista de pagos. / A bank payment in the list of payments.
#[derive(Serialize, JsonSchema)]
struct ListedPayment<'a> {
    id: Shown<PaymentId>,
    created_at: Shown<Timestamp>,
    /// Cuándo se verificó, o un milisegundo después del pago anterior. / When it was verified, or a millisecond after the
    /// payment before it.
    updated_at: Shown<Timestamp>,
    movement_date: Shown<Timestamp>,
    bank_reference_id: &'a str,
    user_bank_id: Shown<BankId>,
    amount: f64,
    currency: &'static str,
    status: &'static str,
    credit_cost: i64,
    confirmed_status: bool,
    #[schemars(extend("enum" = ["reference", "payer"]))]
    matched_by: &'static str,
    verification_id: Shown<VerificationId>,
    /// El enlace que pagó. / The link that it paid.
    payment_link_id: Option<Shown<LinkId>>,
    /// El cliente al que se le cuenta. / The client that it counts against.
    client_owner_id: Option<Shown<ClientId>>,
    /// La llave que lo verificó, o cuyo enlace pagó; `null` donde fue una sesión. / The key that verified it, or whose
    /// link it paid; null where a session did.
    api_key_id: Option<Shown<KeyId>>,
    /// Se dice a las personas del titular, y a la llave o al cliente que lo dijo. / Told to people of the owner, and to
    /// the key or the client that said it.
    source_name: Option<&'a str>,
    livemode: bool,
    /// Solo donde el precio era en otra moneda. / Only where the price was in another currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<WirePrice<'a>>,
    /// La página del comprobante, si lo tiene. / The page of its receipt, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_url: Option<String>,
}

impl<'a> ListedPayment<'a> {
    fn of(seen: &'a Seen, receipt_url: Option<String>) -> Self {
        let payment = &seen.payment;
        Self {
            id: Shown(payment.id),
            created_at: Shown(payment.created_at),
            updated_at: Shown(payment.updated_at),
            movement_date: Shown(payment.paid_at),
            bank_reference_id: &payment.reference,
            user_bank_id: Shown(payment.bank),
            amount: payment.amount.to_number(),
            currency: "VEF",
            status: "paid",
            credit_cost: payment.credit_cost.get(),
            confirmed_status: true,
            matched_by: if payment.is_by_payer { "payer" } else { "reference" },
            verification_id: Shown(payment.verification),
            payment_link_id: seen.link.map(Shown),
            client_owner_id: seen.client.map(Shown),
            api_key_id: seen.key.map(Shown),
            source_name: seen.source_name.as_deref(),
            livemode: seen.livemode,
            price: payment.price.as_ref().map(WirePrice::of),
            receipt_url,
        }
    }
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
            "payments": [{
                "id": "pay_00000000000000000000000001",
                "created_at": "2026-11-20T12:00:01.000Z",
                "updated_at": "2026-11-20T12:00:01.000Z",
                "movement_date": "2026-11-20T11:58:00.000Z",
                "bank_reference_id": "0000067890",
                "user_bank_id": "bank_00000000000000000000000001",
                "amount": 150.75,
                "currency": "VEF",
                "status": "paid",
                "credit_cost": 1,
                "confirmed_status": true,
                "matched_by": "reference",
                "verification_id": "ver_00000000000000000000000001",
                "payment_link_id": null,
                "client_owner_id": null,
                "api_key_id": "key_00000000000000000000000001",
                "source_name": null,
                "livemode": true,
            }],
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
    let owner = admitted.0.owner();
    let receipt_of = |seen: &Seen| {
        seen.payment.receipt.map(|id| state.app.receipt_url(ReceiptAddress { owner, id }))
    };
    let payments = found.payments.iter();
    answer::json(&PaymentsListed {
        message,
        payments: payments.map(|seen| ListedPayment::of(seen, receipt_of(seen))).collect(),
        next: found.next.map(Shown),
        has_more: found.has_more,
    })
}
