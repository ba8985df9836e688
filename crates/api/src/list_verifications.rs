//! `GET /v1/verifications`

use app::verification::list::{Listed, Question, list};
use axum::extract::State as Extracted;
use axum::response::Response;
use domain::access::ListVerifications;
use domain::ids::{BankId, ClientId, KeyId, LinkId, PaymentId, VerificationId};
use domain::money::Bolivars;
use domain::reference::DIGITS_MAX;
use domain::refusal::{Code, Problem, Refusal};
use domain::time::{CaracasDate, Timestamp};
use domain::verification::State;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query, WireForm, one_of};
use crate::wire::{
    Shown, WirePayment, after, bank_id, client_id, days, invalid, key_id, limit, limit_parameter,
    link_id, non_empty, parameter, say,
};

const WORDS: [&str; 6] = ["asking", "confirmed", "not_found", "refused", "unknown", "expired"];

#[derive(Serialize, JsonSchema)]
struct VerificationsListed<'a> {
    message: &'static str,
    /// Las verificaciones, la más nueva primero. / The verifications, the newest first.
    verifications: Vec<ListedVerification<'a>>,
    /// Con qué pedir las anteriores; `null` donde todavía no hay nada. / What to ask with for older ones; null where
    /// there is nothing yet.
    next: Option<Shown<VerificationId>>,
    /// Si hay más que pedir. Una página puede ser corta o vacía aunque lo haya. / Whether there is more to ask for. A
    /// page may be short or empty though there is.
    has_more: bool,
}

/// Una verificación en la lista: qué se preguntó, y qué resultó. / A verification in the list: what was asked, and what
/// became of it.
#[derive(Serialize, JsonSchema)]
struct ListedVerification<'a> {
    id: Shown<VerificationId>,
    /// La cuenta por la que se preguntó. / The account that was asked about.
    user_bank_id: Shown<BankId>,
    /// `asking`: todavía se pregunta; `confirmed`: está el pago; `not_found`: no está; `refused`: no puede ser;
    /// `unknown`: el banco no dijo nada cierto; `expired`: no se preguntó a tiempo. / `asking`: it is being asked;
    /// `confirmed`: the payment is there; `not_found`: it is not; `refused`: it cannot be; `unknown`: the bank said
    /// nothing certain; `expired`: it was not asked in time.
    #[schemars(extend("enum" = WORDS))]
    status: &'static str,
    /// Por qué no se confirmó; `PAYMENT_AMOUNT_NOT_VALID` de un enlace en otra moneda también dice que ese monto se pagó
    /// cuando no se debía. / Why it was not confirmed; `PAYMENT_AMOUNT_NOT_VALID` of a link in another currency also
    /// says that this amount was paid when it was not owed.
    error_code: Option<&'static str>,
    /// Como se escribió, sin separadores ni ceros que sobran. / As it was typed, without separators and needless zeros.
    reference: &'a str,
    /// `null` donde no se preguntó por ningún monto. / Null where no amount was asked for.
    amount: Option<f64>,
    /// El día por el que se preguntó, en Caracas. / The day that was asked for, in Caracas.
    payment_date: Option<&'a str>,
    /// El enlace por el que se buscó el pago de un pagador. / The link that a payer was checked for.
    payment_link_id: Option<Shown<LinkId>>,
    /// El cliente al que se le cuenta. / The client that it counts against.
    client_owner_id: Option<Shown<ClientId>>,
    /// La llave a la que se le cobra; `null` donde es una sesión. / The key that is charged; null where it is a
    /// session.
    api_key_id: Option<Shown<KeyId>>,
    /// El pago que confirmó o encontró confirmado. / The payment that it confirmed or found confirmed.
    user_bank_payment_id: Option<Shown<PaymentId>>,
    /// El mismo pago. / The same payment.
    user_bank_payment: Option<WirePayment<'a>>,
    created_at: Shown<Timestamp>,
    ended_at: Option<Shown<Timestamp>>,
    /// Si el dinero de la cuenta existe: `false` en el banco de prueba. / Whether money of the account exists: `false` at the
    /// test bank.
    livemode: bool,
}

impl<'a> ListedVerification<'a> {
    fn of(Listed { row, asked, key, livemode, payment }: &'a Listed) -> Self {
        let number = |hundredths| Bolivars::from_hundredths(hundredths).to_number();
        Self {
            id: Shown(row.id),
            user_bank_id: Shown(row.bank),
            status: row.state.as_str(),
            // The code alone: what else a refusal says depends on what was typed.
            error_code: row.failed.as_ref().map(|failed| failed.refusal(0).code().as_str()),
            reference: &asked.reference,
            amount: asked.amount.map(number),
            payment_date: asked.paid_on.as_deref(),
            payment_link_id: row.link.map(Shown),
            client_owner_id: row.client.map(Shown),
            api_key_id: key.map(Shown),
            user_bank_payment_id: row.payment.map(Shown),
            user_bank_payment: payment.as_ref().map(WirePayment::of),
            created_at: Shown(row.asked_at),
            ended_at: row.ended_at.map(Shown),
            livemode: *livemode,
        }
    }
}

impl Query for Question {
    fn parameters() -> Vec<Parameter> {
        vec![
            parameter(
                "after",
                "El `next` de una respuesta anterior.",
                "The `next` of an earlier answer.",
                VerificationId::schema(),
            )
            .or_empty(),
            parameter(
                "from",
                "Desde este día en Caracas.",
                "From this day of Caracas on.",
                CaracasDate::schema(),
            ),
            parameter(
                "to",
                "Hasta este día en Caracas.",
                "Up to this day of Caracas.",
                CaracasDate::schema(),
            ),
            parameter(
                "reference",
                "Solo las de una referencia que termina en estos dígitos, o en la que estos terminan.",
                "Only those of a reference that ends in these digits, or in which these end.",
                json!({ "type": "string", "pattern": format!("^[0-9]{{1,{DIGITS_MAX}}}$") }),
            )
            .or_empty(),
            parameter(
                "status",
                "Solo las que están así.",
                "Only those that stand so.",
                one_of(&WORDS),
            )
            .or_empty(),
            parameter(
                "user_bank_id",
                "Solo las de esta cuenta.",
                "Only those of this account.",
                BankId::schema(),
            )
            .or_empty(),
            parameter(
                "client_owner_id",
                "Solo las de este cliente.",
                "Only those of this client.",
                ClientId::schema(),
            )
            .or_empty(),
            parameter(
                "api_key_id",
                "Solo las de esta llave.",
                "Only those of this key.",
                KeyId::schema(),
            )
            .or_empty(),
            parameter(
                "payment_link_id",
                "Solo las de este enlace de pago.",
                "Only those of this payment link.",
                LinkId::schema(),
            )
            .or_empty(),
            limit_parameter(),
        ]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let said = |name| non_empty(uri, name);
        let (from, to) = days(uri)?;
        let is_digits = |text: &String| {
            text.len() <= DIGITS_MAX && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let reference = said("reference");
        if reference.as_ref().is_some_and(|text| !is_digits(text)) {
            return Err(invalid("reference", ("debe tener solo dígitos", "must be digits alone")));
        }
        let status = said("status").map(|word| {
            let state = State::ALL.into_iter().find(|state| state.as_str() == word);
            state.ok_or_else(|| invalid("status", Problem::one_of(&WORDS)))
        });
        Ok(Self {
            after: after(uri)?,
            from,
            to,
            reference,
            amount: None,
            status: status.transpose()?,
            bank: said("user_bank_id").map(|text| bank_id(&text)).transpose()?,
            client: client_id(said("client_owner_id"))?,
            key: said("api_key_id").map(|text| key_id(&text)).transpose()?,
            link: said("payment_link_id").map(|text| link_id(&text)).transpose()?,
            livemode: None,
            limit: usize::try_from(limit(uri)?).unwrap_or(usize::MAX),
        })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListVerifications, _, _>(Method::GET, "/v1/verifications", handle)
        .does(
            Group::Payments,
            "Lista las verificaciones, la más nueva primero, y qué fue de cada una.",
            "Lists verifications, the newest first, and what became of each.",
        )
        .query::<Question>()
        .answers::<VerificationsListed<'_>>(json!({
            "message": "verificaciones",
            "verifications": [{
                "id": "ver_00000000000000000000000001",
                "user_bank_id": "bank_00000000000000000000000001",
                "status": "refused",
                "error_code": "PAYMENT_AMOUNT_NOT_VALID",
                "reference": "912345",
                "amount": 150.75,
                "payment_date": "2026-11-20",
                "payment_link_id": null,
                "client_owner_id": null,
                "api_key_id": "key_00000000000000000000000001",
                "user_bank_payment_id": null,
                "user_bank_payment": null,
                "created_at": "2026-11-20T12:00:00.000Z",
                "ended_at": "2026-11-20T12:00:01.000Z",
                "livemode": true,
            }],
            "next": "ver_00000000000000000000000001",
            "has_more": false,
        }))
        .refuses(&[Code::NotFound])
}

async fn handle(
    admitted: Admitted<ListVerifications>,
    Extracted(state): Extracted<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let found = list(&state.app, &admitted.0, Question::read(&uri)?).await?;
    answer::json(&VerificationsListed {
        message: say(admitted.language(), "verificaciones", "verifications"),
        verifications: found.verifications.iter().map(ListedVerification::of).collect(),
        next: found.next.map(Shown),
        has_more: found.has_more,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_states() {
        assert_eq!(State::ALL.map(State::as_str), WORDS);
    }
}
