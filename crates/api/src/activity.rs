//! `GET /v1/api-keys/{api_key_id}/activity`, `GET /v1/employees/{employee_id}/activity` and `GET /me/activity`

use app::accounts::Banks;
use app::activity::{Activity, Charged};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ShowActivity, ShowEmployeeActivity, ShowMyActivity};
use domain::ids::BankId;
use domain::language::Language::{self, En, Es};
use domain::refusal::Refusal;
use domain::time::{CaracasMonth, Timestamp};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query};
use crate::wire::{
    Shown, employee_in_path, key_id, month, month_parameter, page, page_parameter, say,
};

#[derive(Serialize, JsonSchema)]
struct ActivityAnswer<'a> {
    message: &'static str,
    /// Lo que se le cobró en el mes, lo más nuevo primero. / What it was charged in the month, the newest first.
    credits: Vec<CreditEntry<'a>>,
    /// Lo que preguntó en el mes, lo más nuevo primero. / What it asked in the month, the newest first.
    requests: Vec<ActivityEntry<'a>>,
    /// Cuántos cobros tiene el mes en todas las páginas. / How many charges the month has on all pages.
    credit_total: i64,
    /// Cuántas preguntas tiene el mes en todas las páginas. / How many questions the month has on all pages.
    request_total: i64,
}

#[derive(Serialize, JsonSchema)]
struct CreditEntry<'a> {
    /// Cuándo se escribió en el saldo. / When it was written to the balance.
    date: Shown<Timestamp>,
    /// En créditos; negativo cuando se gasta. / In credits; negative when they are spent.
    amount: i64,
    /// El saldo del titular después; no está para quien no puede saberlo. / The owner's balance after it; absent for
    /// whoever may not know that.
    #[serde(skip_serializing_if = "Option::is_none")]
    balance_after: Option<i64>,
    /// Para qué fue: `verification`, `payment_link`, `subscription` (el enlace de un período) o `admin`. / What it was for:
    /// `verification`, `payment_link`, `subscription` (the link of a period) or `admin`.
    origin: &'a str,
    /// Lo mismo para personas, con el pago y la cuenta. / The same for people, with the payment and the account.
    description: String,
    /// La clase de línea: `debit` es un cobro. / The kind of line: `debit` is a charge.
    movement_type: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct ActivityEntry<'a> {
    /// Cuándo terminó la pregunta. / When the question ended.
    date: Shown<Timestamp>,
    /// `payment_verification`, o `payment_link` donde la hizo quien paga un enlace. / `payment_verification`, or
    /// `payment_link` where the payer of a link asked.
    request_type: &'a str,
    /// El banco, como en `providers` de `GET /v1/platforms`. / The bank, as in `providers` of `GET /v1/platforms`.
    provider: &'a str,
    /// La cuenta por la que se preguntó. / The account that was asked about.
    bank_account_id: Shown<BankId>,
    error_code: Option<&'a str>,
    /// En qué terminó: `confirmed`, `not_found`, `refused`, `unknown`, `expired`, o `repeat` de un pago que ya se
    /// conocía. / What it ended in: `confirmed`, `not_found`, `refused`, `unknown`, `expired`, or `repeat` of a payment
    /// that was known already.
    status: &'a str,
    /// Cuántos milisegundos tomó. / How many milliseconds it took.
    latency_ms: i64,
}

/// Which month is wanted, and which page of it.
struct MonthPage {
    month: Option<CaracasMonth>,
    page: u32,
}

impl Query for MonthPage {
    fn parameters() -> Vec<Parameter> {
        vec![month_parameter(), page_parameter()]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        Ok(Self { month: month(uri)?, page: page(uri)? })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowActivity, _, _>(
        Method::GET,
        "/v1/api-keys/{api_key_id}/activity",
        of_key,
    )
    .does(
        Group::Limits,
        "Muestra lo que una llave hizo y lo que se le cobró en un mes.",
        "Shows what a key did and was charged in a month.",
    )
    .query::<MonthPage>()
    .answers::<ActivityAnswer<'_>>(example("actividad de la llave"))
}

/// Answers with the activity of a key.
async fn of_key(
    admitted: Admitted<ShowActivity>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = key_id(&id)?;
    let MonthPage { month, page } = MonthPage::read(&uri)?;
    let activity = app::activity::show(&state.app, &admitted.0, id, month, page).await?;
    let message = say(admitted.language(), "actividad de la llave", "activity of the key");
    answer::json(&wire(&state.app.banks, &activity, (message, admitted.language()), true))
}

pub(crate) fn employee_endpoint() -> Endpoint {
    let path = "/v1/employees/{employee_id}/activity";
    Endpoint::strict::<ShowEmployeeActivity, _, _>(Method::GET, path, of_employee)
        .does(
            Group::Employees,
            "Muestra lo que un empleado hizo y lo que se le cobró en un mes.",
            "Shows what an employee did and was charged in a month.",
        )
        .query::<MonthPage>()
        .answers::<ActivityAnswer<'_>>(example("actividad del empleado"))
}

/// Answers with the activity of an employee.
async fn of_employee(
    admitted: Admitted<ShowEmployeeActivity>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = employee_in_path(&id)?;
    let MonthPage { month, page } = MonthPage::read(&uri)?;
    let shown = app::activity::show_of_employee(&state.app, &admitted.0, id, month, page).await?;
    let message = say(admitted.language(), "actividad del empleado", "activity of the employee");
    answer::json(&wire(&state.app.banks, &shown, (message, admitted.language()), true))
}

pub(crate) fn own_endpoint() -> Endpoint {
    Endpoint::strict::<ShowMyActivity, _, _>(Method::GET, "/me/activity", of_session)
        .does(
            Group::Limits,
            "Muestra lo que hicieron las sesiones de quien llama y lo que se les cobró en un mes.",
            "Shows what the caller's own sessions did and were charged in a month.",
        )
        .query::<MonthPage>()
        .answers::<ActivityAnswer<'_>>(example("actividad de la sesión"))
}

/// Answers with the activity of the caller's own sessions.
async fn of_session(
    admitted: Admitted<ShowMyActivity>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let MonthPage { month, page } = MonthPage::read(&uri)?;
    let activity = app::activity::show_own(&state.app, &admitted.0, month, page).await?;
    let message = say(admitted.language(), "actividad de la sesión", "activity of the session");
    let knows_credits = admitted.0.caller().knows_credits();
    answer::json(&wire(&state.app.banks, &activity, (message, admitted.language()), knows_credits))
}

fn example(message: &str) -> Value {
    json!({
        "message": message,
        "credits": [{
            "date": "2026-11-20T12:00:00.000Z",
            "amount": -1,
            "balance_after": 99,
            "origin": "verification",
            "description": "Pago pay_00000000000000000000000001 verificado en la cuenta bank_00000000000000000000000001",
            "movement_type": "debit",
        }],
        "requests": [{
            "date": "2026-11-20T12:00:00.000Z",
            "request_type": "payment_verification",
            "provider": "VE_BAN_EMP_V2",
            "bank_account_id": "bank_00000000000000000000000001",
            "error_code": null,
            "status": "new",
            "latency_ms": 412,
        }],
        "credit_total": 1,
        "request_total": 1,
    })
}

fn wire<'a>(
    banks: &Banks,
    activity: &'a Activity,
    (message, language): (&'static str, Language),
    knows_credits: bool,
) -> ActivityAnswer<'a> {
    let credits = activity.credits.iter().map(|line| CreditEntry {
        date: Shown(line.created_at),
        amount: line.amount,
        balance_after: knows_credits.then_some(line.balance_after),
        origin: &line.origin,
        description: describe(line.charged.as_ref(), language),
        movement_type: &line.movement_type,
    });
    let requests = activity.requests.iter().map(|attempt| ActivityEntry {
        date: Shown(attempt.created_at),
        request_type: &attempt.request_type,
        provider: banks.wire_name(&attempt.provider),
        bank_account_id: Shown(attempt.bank),
        error_code: attempt.error_code.as_deref(),
        status: &attempt.status,
        latency_ms: attempt.latency_us / 1_000,
    });
    ActivityAnswer {
        message,
        credits: credits.collect(),
        requests: requests.collect(),
        credit_total: activity.credit_total,
        request_total: activity.request_total,
    }
}

/// Describes a line for people: the payment, the link that it paid, its subscription, and the account.
pub(crate) fn describe(charged: Option<&Charged>, language: Language) -> String {
    let Some(Charged { payment, link, subscription, bank, bank_description }) = charged else {
        return say(language, "Créditos del operador", "Credits from the operator").to_owned();
    };
    let account = match bank_description.as_str() {
        "" => bank.to_string(),
        name => format!("{name} ({bank})"),
    };
    let of = match (subscription, language) {
        (Some(subscription), Es) => format!(" de la suscripción {subscription}"),
        (Some(subscription), En) => format!(" of the subscription {subscription}"),
        (None, _) => String::new(),
    };
    match (link, language) {
        (Some(link), Es) => {
            format!("Enlace {link}{of} pagado con {payment} en la cuenta {account}")
        }
        (Some(link), En) => format!("Link {link}{of} paid with {payment} on the account {account}"),
        (None, Es) => format!("Pago {payment} verificado en la cuenta {account}"),
        (None, En) => format!("Payment {payment} verified on the account {account}"),
    }
}
