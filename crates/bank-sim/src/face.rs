//! What the banks' faces share: bodies that are read within limits, and answers that faults get
//! into the way of.

use std::pin::pin;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use domain::payer::AccountNumber;
use futures_util::future::{Either, select};
use serde::Serialize;

use crate::door::Scissors;
use crate::faults::{Fault, FaultKind};
use crate::simulator::Simulator;

/// The largest body that is read.
pub(crate) const BODY_LEN_MAX: usize = 64 * 1024;

/// How long a body may take, by the bank's clock.
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// A page for people, where a program was to be answered.
const PAGE: &str = "<!DOCTYPE html>\n<html lang=\"es\"><head><title>Servicio no disponible</title>\
    </head><body><h1>En estos momentos no podemos procesar su solicitud</h1></body></html>\n";

/// Body of an answer from a server that failed on its own.
const TRIPPED: &str = r#"{"status":500,"error":"Internal Server Error"}"#;

/// An answer in the bank's form that nobody can make anything of.
const ODD: &str = r#"{"code":"7777","message":"Respuesta 7777","data":null,"status":200}"#;

/// An answer in JSON.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) json: String,
}

impl Reply {
    /// The value, with status 200.
    pub(crate) fn ok(value: &impl Serialize) -> Self {
        Self::with(StatusCode::OK, value)
    }

    pub(crate) fn with(status: StatusCode, value: &impl Serialize) -> Self {
        match serde_json::to_string(value) {
            Ok(json) => Self { status, json },
            Err(_) => Self { status: StatusCode::INTERNAL_SERVER_ERROR, json: TRIPPED.to_owned() },
        }
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        (self.status, [(CONTENT_TYPE, "application/json")], self.json).into_response()
    }
}

/// The whole body, unless it is too large, too slow or broken off.
pub(crate) async fn read(simulator: &Simulator, body: Body) -> Option<Vec<u8>> {
    let whole = pin!(to_bytes(body, BODY_LEN_MAX));
    let late = pin!(wait(simulator, BODY_TIME_MAX));
    match select(whole, late).await {
        Either::Left((whole, _)) => whole.ok().map(Into::into),
        Either::Right(_) => None,
    }
}

/// A call of the bank: what is asked for, by the last word of its path, and about which account.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) name: &'static str,
    pub(crate) account: Option<&'a AccountNumber>,
}

/// Counts the call and answers it, unless a fault strikes. `work` is what the bank does, and `closed`
/// what it says while it is maintained.
pub(crate) async fn answer(
    simulator: &Simulator,
    scissors: &Scissors,
    call: Call<'_>,
    work: impl FnOnce() -> Reply,
    closed: Reply,
) -> Response {
    let struck = simulator.books().called(call.name, call.account);
    strike(simulator, scissors, struck, work, closed).await
}

/// Answers, unless a fault struck. `work` and `closed` as above.
pub(crate) async fn strike(
    simulator: &Simulator,
    scissors: &Scissors,
    struck: Option<Fault>,
    work: impl FnOnce() -> Reply,
    closed: Reply,
) -> Response {
    let Some(fault) = struck else { return work().into_response() };
    let reply = match fault.kind {
        FaultKind::Http500 => {
            let json = TRIPPED.to_owned();
            Reply { status: StatusCode::INTERNAL_SERVER_ERROR, json }.into_response()
        }
        FaultKind::Html => ([(CONTENT_TYPE, "text/html;charset=UTF-8")], PAGE).into_response(),
        FaultKind::Maintenance => closed.into_response(),
        FaultKind::UnknownCode => {
            Reply { status: StatusCode::OK, json: ODD.to_owned() }.into_response()
        }
        FaultKind::TruncatedJson => halved(work()).into_response(),
        FaultKind::Reset | FaultKind::Slow | FaultKind::Timeout => work().into_response(),
    };
    wait(simulator, fault.wait()).await;
    if matches!(fault.kind, FaultKind::Reset | FaultKind::Timeout) {
        scissors.cut();
    }
    reply
}

fn halved(mut reply: Reply) -> Reply {
    let half = reply.json.len() / 2;
    let half = (half..reply.json.len()).find(|at| reply.json.is_char_boundary(*at));
    reply.json.truncate(half.unwrap_or(0));
    reply
}

/// Waits so long by the bank's clock, or until the simulator stops.
async fn wait(simulator: &Simulator, time: Duration) {
    if time.is_zero() {
        return;
    }
    let slept = simulator.time().sleep_until(simulator.now().plus(time));
    select(slept, pin!(simulator.stop().cancelled())).await;
}
