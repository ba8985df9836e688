//! The bank's face: its paths, and how it reads what comes there. The result is in the body, and the status is 200.

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use domain::payer::{BankCode, Phone};
use domain::secret::SecretText;
use domain::time::CaracasDate;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::ledger::Refused;
use super::wire::{WireCode, WireList, WirePair, WireQuestion, WireRefresh, day_and_time};
use crate::door::Scissors;
use crate::face::{Call, Reply, answer, read};
use crate::simulator::Simulator;

/// The answer to everybody while the bank is maintained. The words are ours.
const CLOSED: WireCode = WireCode::new(500, "Sistema en mantenimiento", "find");

pub(crate) fn routes() -> Router<Simulator> {
    Router::new()
        .route("/healthcheck", get(healthcheck))
        .route("/public/re/refresh", post(refresh))
        .route("/public/protected/pm/find", post(find))
        .route("/public/protected/pm/history/find", post(history))
}

async fn healthcheck(State(simulator): State<Simulator>) -> Reply {
    let (day, time) = day_and_time(simulator.now());
    Reply::ok(&json!({"code": 200, "time": format!("{day}T{time}-04:00")}))
}

async fn refresh(
    State(simulator): State<Simulator>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let token = token(&headers);
    let wire: Option<WireRefresh> = parse(&simulator, body).await;
    let account = simulator.books().bancamiga.account_of(&token).cloned();
    let work = || {
        let Some(wire) = wire else { return code(511, "Formato errado", "users") };
        let refresh = SecretText::new(wire.refresh_token);
        let now = simulator.now();
        match simulator.books().bancamiga.refresh(&token, &refresh, now) {
            Ok(pair) => Reply::ok(&WirePair::of(&pair)),
            Err(_) => code(512, "Token vencido o invalido", "users"),
        }
    };
    let call = Call { name: "refresh", account: account.as_ref() };
    answer(&simulator, &scissors, call, work, Reply::ok(&CLOSED)).await
}

async fn find(
    State(simulator): State<Simulator>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let token = token(&headers);
    let wire: Option<WireQuestion> = parse(&simulator, body).await;
    let account = simulator.books().bancamiga.account_of(&token).cloned();
    let work = || {
        let Some(wire) = wire else { return code(511, "Formato errado", "find") };
        let Ok(bank) = BankCode::parse(&wire.bank) else { return code(551, "Bank", "find") };
        // With the country's digits, and without anything else.
        let phone = Phone::parse(&wire.phone).ok().filter(|phone| phone.as_str() == wire.phone);
        let Some(phone) = phone else { return code(552, "Phone", "find") };
        let Ok(day) = CaracasDate::parse(&wire.date) else { return code(553, "Date", "find") };
        let now = simulator.now();
        let found = simulator.books().bancamiga.find(&token, (&phone, &bank), day, now);
        match found {
            Ok((holder, rows)) => Reply::ok(&WireList::of(&holder, rows.iter().map(|row| &**row))),
            Err(refused) => no_list(refused),
        }
    };
    let call = Call { name: "find", account: account.as_ref() };
    answer(&simulator, &scissors, call, work, Reply::ok(&CLOSED)).await
}

async fn history(
    State(simulator): State<Simulator>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let token = token(&headers);
    let wire: Option<WireQuestion> = parse(&simulator, body).await;
    let account = simulator.books().bancamiga.account_of(&token).cloned();
    let work = || {
        let Some(wire) = wire else { return code(511, "Formato errado", "find") };
        let Ok(day) = CaracasDate::parse(&wire.date) else { return code(553, "Date", "find") };
        let now = simulator.now();
        let listed = simulator.books().bancamiga.list(&token, day, now);
        match listed {
            Ok((holder, rows)) => Reply::ok(&WireList::of(&holder, rows.iter().map(|row| &**row))),
            Err(refused) => no_list(refused),
        }
    };
    let call = Call { name: "history", account: account.as_ref() };
    answer(&simulator, &scissors, call, work, Reply::ok(&CLOSED)).await
}

/// The token that was shown; no token is one that nobody has.
fn token(headers: &HeaderMap) -> SecretText {
    let shown = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    shown.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default().into()
}

/// The body, where it is JSON with the right types in it.
async fn parse<T: DeserializeOwned>(simulator: &Simulator, body: Body) -> Option<T> {
    let body = read(simulator, body).await?;
    serde_json::from_slice(&body).ok()
}

fn code(code: u16, text: &'static str, module: &'static str) -> Reply {
    Reply::ok(&WireCode::new(code, text, module))
}

/// The manual says that a list must not be asked for more often, and not what happens then: the second answer is ours.
fn no_list(refused: Refused) -> Reply {
    match refused {
        Refused::NoToken => code(503, "Token no autorizado o vencido", "find"),
        Refused::TooOften => Reply::with(
            StatusCode::TOO_MANY_REQUESTS,
            &WireCode::new(429, "Espere diez minutos entre consultas", "find"),
        ),
    }
}
