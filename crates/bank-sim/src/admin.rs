//! The operator's routes: they make accounts and payments, set faults and the clock, and show the
//! outcome of everything. They ask for no credentials, so they are served where only this machine
//! comes, unless somebody wants it otherwise.

mod wire;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post, put};
use domain::payer::AccountNumber;
use serde::de::DeserializeOwned;
use serde_json::json;

use self::wire::{
    NewAccount, NewClock, NewFault, NewRates, WirePayment, account_shown, clock_shown,
    delivery_shown, faults_shown, payment_shown, rates_shown,
};
use crate::books::Refused;
use crate::face::{Reply, read};
use crate::runtime::Time;
use crate::simulator::Simulator;

/// How many payments a list has, where nothing else is said, and at most.
const LIST_LEN: usize = 100;
const LIST_LEN_MAX: usize = 500;

/// The routes.
pub(crate) fn routes() -> Router<Simulator> {
    Router::new()
        .route("/admin/accounts", post(add_account))
        .route("/admin/payments", post(add_payment).get(list_payments))
        .route("/admin/payments/{id}", get(show_payment))
        .route("/admin/payments/{id}/push", post(push))
        .route("/admin/faults", put(set_fault).get(list_faults))
        .route("/admin/rates", put(set_rates).get(show_rates))
        .route("/admin/rates/fault", put(set_rates_fault))
        .route("/admin/clock", put(set_clock).get(show_clock))
        .route("/admin/calls", get(list_calls))
}

/// An answer, or what stands against it: the same type, so that `?` leads out.
type Answer = Result<Reply, Reply>;

async fn add_account(State(simulator): State<Simulator>, head: HeaderMap, body: Body) -> Answer {
    let account = parse::<NewAccount>(&simulator, &head, body).await?.account().map_err(invalid)?;
    let shown = account_shown(&account);
    simulator.add_account(account).map_err(refused)?;
    Ok(Reply::ok(&shown))
}

async fn add_payment(State(simulator): State<Simulator>, head: HeaderMap, body: Body) -> Answer {
    let payment = parse::<WirePayment>(&simulator, &head, body).await?;
    let payment = payment.payment().map_err(invalid)?;
    let payment = simulator.add_payment(payment).map_err(refused)?;
    Ok(Reply::ok(&payment_shown(&payment, &[], simulator.now())))
}

async fn list_payments(State(simulator): State<Simulator>, RawQuery(query): RawQuery) -> Answer {
    let asked = ListQuery::read(query.as_deref().unwrap_or_default()).map_err(invalid)?;
    let found = simulator.newest_payments(asked.account.as_ref(), asked.before, asked.limit);
    let now = simulator.now();
    let shown = found.iter().map(|(payment, ends)| payment_shown(payment, ends, now));
    Ok(Reply::ok(&json!({"payments": shown.collect::<Vec<_>>()})))
}

async fn show_payment(State(simulator): State<Simulator>, Path(id): Path<String>) -> Answer {
    let (payment, deliveries) = simulator.payment(number(&id)?).map_err(refused)?;
    Ok(Reply::ok(&payment_shown(&payment, &deliveries, simulator.now())))
}

async fn push(
    State(simulator): State<Simulator>,
    head: HeaderMap,
    Path(id): Path<String>,
) -> Answer {
    // A page of another site can post here too, but not with a type that is asked for first.
    says_json(&head)?;
    let delivery = simulator.push(number(&id)?).await.map_err(refused)?;
    Ok(Reply::ok(&delivery_shown(&delivery)))
}

async fn set_fault(State(simulator): State<Simulator>, head: HeaderMap, body: Body) -> Answer {
    let fault = parse::<NewFault>(&simulator, &head, body).await?;
    let (account, fault) = fault.fault().map_err(invalid)?;
    simulator.set_fault(account, fault).map_err(refused)?;
    Ok(Reply::ok(&faults_shown(&simulator.faults())))
}

async fn list_faults(State(simulator): State<Simulator>) -> Reply {
    Reply::ok(&faults_shown(&simulator.faults()))
}

async fn set_rates(State(simulator): State<Simulator>, head: HeaderMap, body: Body) -> Answer {
    let rates = parse::<NewRates>(&simulator, &head, body).await?.rates;
    simulator.set_rates(rates).map_err(refused)?;
    Ok(show_rates(State(simulator)).await)
}

async fn set_rates_fault(
    State(simulator): State<Simulator>,
    head: HeaderMap,
    body: Body,
) -> Answer {
    let (account, fault) =
        parse::<NewFault>(&simulator, &head, body).await?.fault().map_err(invalid)?;
    if account.is_some() {
        return Err(invalid("account: no se usa aquí / is not used here".to_owned()));
    }
    simulator.set_rates_fault(fault);
    Ok(show_rates(State(simulator)).await)
}

async fn show_rates(State(simulator): State<Simulator>) -> Reply {
    Reply::ok(&rates_shown(&simulator.rates(), simulator.now()))
}

async fn set_clock(State(simulator): State<Simulator>, head: HeaderMap, body: Body) -> Answer {
    let now = parse::<NewClock>(&simulator, &head, body).await?.now().map_err(invalid)?;
    let Time::Manual(clock) = simulator.time() else {
        let text = "el reloj anda solo; arranque con --manual-clock / \
                    the clock goes by itself; start with --manual-clock";
        return Err(problem(StatusCode::CONFLICT, "CLOCK_RUNS", text));
    };
    clock.set(now);
    // The caller that sets the clock finds everything done that was due by then.
    simulator.deliver_due().await;
    Ok(show_clock(State(simulator)).await)
}

async fn show_clock(State(simulator): State<Simulator>) -> Reply {
    let is_manual = matches!(simulator.time(), Time::Manual(_));
    Reply::ok(&clock_shown(simulator.now(), is_manual))
}

async fn list_calls(State(simulator): State<Simulator>) -> Reply {
    Reply::ok(&json!({"calls": simulator.calls()}))
}

/// Which payments are listed.
struct ListQuery {
    account: Option<AccountNumber>,
    before: u64,
    limit: usize,
}

impl ListQuery {
    /// Reads `account=…&before=…&limit=…`, all of which are digits and may be absent.
    fn read(query: &str) -> Result<Self, String> {
        let mut read = Self { account: None, before: u64::MAX, limit: LIST_LEN };
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let wrong = || format!("{name}: no es válido / is not valid");
            match name {
                "account" => {
                    read.account = Some(AccountNumber::parse(value).map_err(|_| wrong())?);
                }
                "before" => read.before = value.parse().map_err(|_| wrong())?,
                "limit" => {
                    read.limit = value.parse::<usize>().map_err(|_| wrong())?.min(LIST_LEN_MAX);
                }
                _ => return Err(format!("{name}: no se conoce / is not known")),
            }
        }
        Ok(read)
    }
}

fn number(id: &str) -> Result<u64, Reply> {
    id.parse().map_err(|_| refused(Refused::NoSuchPayment))
}

/// The body as what it is to be.
async fn parse<T: DeserializeOwned>(
    simulator: &Simulator,
    head: &HeaderMap,
    body: Body,
) -> Result<T, Reply> {
    says_json(head)?;
    let body = read(simulator, body).await.ok_or_else(|| {
        let text = "el cuerpo es muy grande o no llegó / the body is too large or did not arrive";
        problem(StatusCode::PAYLOAD_TOO_LARGE, "NO_BODY", text)
    })?;
    serde_json::from_slice(&body).map_err(|error| invalid(error.to_string()))
}

/// A page that a browser shows cannot send this type to another site without asking first, so that
/// nobody's page reaches these routes through the operator's own browser.
fn says_json(head: &HeaderMap) -> Result<(), Reply> {
    let kind = head.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let text = "diga Content-Type: application/json / say Content-Type: application/json";
    Err(problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, "NOT_JSON", text))
}

fn problem(status: StatusCode, error: &str, message: &str) -> Reply {
    Reply::with(status, &json!({"error": error, "message": message}))
}

#[expect(clippy::needless_pass_by_value, reason = "it is what errors are mapped with")]
fn invalid(message: String) -> Reply {
    problem(StatusCode::BAD_REQUEST, "INVALID", &message)
}

fn refused(refused: Refused) -> Reply {
    let (status, error) = match refused {
        Refused::NotSimulated => (StatusCode::BAD_REQUEST, "NOT_SIMULATED"),
        Refused::NoSuchAccount => (StatusCode::NOT_FOUND, "NO_SUCH_ACCOUNT"),
        Refused::NoSuchPayment => (StatusCode::NOT_FOUND, "NO_SUCH_PAYMENT"),
        Refused::TooManyAccounts => (StatusCode::CONFLICT, "TOO_MANY_ACCOUNTS"),
        Refused::TooManyPayments => (StatusCode::CONFLICT, "TOO_MANY_PAYMENTS"),
        Refused::TooManyRates => (StatusCode::CONFLICT, "TOO_MANY_RATES"),
        Refused::NoPushTarget => (StatusCode::CONFLICT, "NO_PUSH_TARGET"),
        Refused::NotNotified => (StatusCode::CONFLICT, "NOT_NOTIFIED"),
        Refused::NotPosted => (StatusCode::CONFLICT, "NOT_POSTED"),
    };
    problem(status, error, &refused.to_string())
}
