//! `GET /v1/verifications/refused`

use app::verification::list::Question;
use app::verification::refused::{Refused, list};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListRefused;
use domain::ids::{BankId, ClientId, KeyId, LinkId, VerificationId};
use domain::money::Bolivars;
use domain::refusal::{Code, Refusal};
use domain::time::Timestamp;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query};
use crate::wire::{Shown, say};

/// The rules that refuse a question before any bank is asked.
const RULES: [Code; 5] = [
    Code::PlanIsNotActive,
    Code::RequestLimitReached,
    Code::ApiKeyMonthlyCreditLimitExceeded,
    Code::ClientMonthlyCreditLimitExceeded,
    Code::NotEnoughCredits,
];

#[derive(Serialize, JsonSchema)]
struct RefusedListed<'a> {
    message: &'static str,
    /// Las preguntas rechazadas, la más nueva primero. / The refused questions, the newest first.
    refused: Vec<RefusedQuestion<'a>>,
    /// Con qué pedir las anteriores; `null` donde todavía no hay nada. / What to ask with for older ones; null where
    /// there is nothing yet.
    next: Option<Shown<VerificationId>>,
    /// Si hay más que pedir. Una página puede ser corta o vacía aunque lo haya. / Whether there is more to ask for. A
    /// page may be short or empty though there is.
    has_more: bool,
}

/// Una pregunta que se rechazó sin llegar al banco: no dice nada del pago. / A question that was refused before it reached
/// the bank: it says nothing of the payment.
#[derive(Serialize, JsonSchema)]
struct RefusedQuestion<'a> {
    /// El identificador que la verificación habría tenido. / The id that the verification would have had.
    id: Shown<VerificationId>,
    /// La cuenta por la que se preguntó. / The account that was asked about.
    user_bank_id: Shown<BankId>,
    /// Qué regla la rechazó. / Which rule refused it.
    #[schemars(extend("enum" = RULES.map(Code::as_str)))]
    error_code: &'static str,
    /// Como se escribió, sin separadores ni ceros que sobran. / As it was typed, without separators and needless zeros.
    reference: &'a str,
    /// `null` donde no se preguntó por ningún monto. / Null where no amount was asked for.
    amount: Option<f64>,
    /// El día por el que se preguntó, en Caracas. / The day that was asked for, in Caracas.
    payment_date: Option<&'a str>,
    /// El enlace por el que se buscó el pago de un pagador. / The link that a payer was checked for.
    payment_link_id: Option<Shown<LinkId>>,
    /// El cliente al que se le habría contado. / The client that it would have counted against.
    client_owner_id: Option<Shown<ClientId>>,
    /// La llave que preguntó, o que hizo el enlace; `null` donde fue una sesión. / The key that asked, or made the link;
    /// null where it was a session.
    api_key_id: Option<Shown<KeyId>>,
    /// Cuándo se rechazó. / When it was refused.
    refused_at: Shown<Timestamp>,
    /// Si el dinero de la cuenta existe: `false` en el banco de prueba. / Whether money of the account exists: `false` at the
    /// test bank.
    livemode: bool,
}

impl<'a> RefusedQuestion<'a> {
    fn of(one: &'a Refused) -> Self {
        let number = |hundredths| Bolivars::from_hundredths(hundredths).to_number();
        Self {
            id: Shown(one.id),
            user_bank_id: Shown(one.bank),
            error_code: one.code.as_str(),
            reference: &one.asked.reference,
            amount: one.asked.amount.map(number),
            payment_date: one.asked.paid_on.as_deref(),
            payment_link_id: one.link.map(Shown),
            client_owner_id: one.client.map(Shown),
            api_key_id: one.key.map(Shown),
            refused_at: Shown(one.refused_at),
            livemode: one.livemode,
        }
    }
}

/// Query parameters of refused verifications: those of [`Question`] without `status`.
struct Asked(Question);

impl Query for Asked {
    fn parameters() -> Vec<Parameter> {
        Question::parameters().into_iter().filter(|one| one.name != "status").collect()
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        Ok(Self(Question { status: None, ..Question::read(uri)? }))
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListRefused, _, _>(Method::GET, "/v1/verifications/refused", handle)
        .does(
            Group::Payments,
            "Lista las preguntas que se rechazaron sin llegar al banco porque faltaban créditos o se llegó a un límite, la \
             más nueva primero. Se guardan noventa días.",
            "Lists questions that were refused before they reached the bank, for want of credits or by a limit, the newest \
             first. They are kept for ninety days.",
        )
        .query::<Asked>()
        .answers::<RefusedListed<'_>>(json!({
            "message": "preguntas rechazadas",
            "refused": [{
                "id": "ver_00000000000000000000000001",
                "user_bank_id": "bank_00000000000000000000000001",
                "error_code": Code::ClientMonthlyCreditLimitExceeded.as_str(),
                "reference": "912345",
                "amount": 150.75,
                "payment_date": "2026-11-20",
                "payment_link_id": null,
                "client_owner_id": "cli_00000000000000000000000001",
                "api_key_id": "key_00000000000000000000000001",
                "refused_at": "2026-11-20T12:00:00.000Z",
                "livemode": true,
            }],
            "next": "ver_00000000000000000000000001",
            "has_more": false,
        }))
        .refuses(&[Code::NotFound])
}

async fn handle(
    admitted: Admitted<ListRefused>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let Asked(question) = Asked::read(&uri)?;
    let found = list(&state.app, &admitted.0, question).await?;
    answer::json(&RefusedListed {
        message: say(admitted.language(), "preguntas rechazadas", "refused questions"),
        refused: found.refused.iter().map(RefusedQuestion::of).collect(),
        next: found.next.map(Shown),
        has_more: found.has_more,
    })
}
