//! The measure of all rates: a server of the same parts, with the same limits, that parses the same
//! requests and answers the same bytes, and does nothing else.

#![expect(clippy::disallowed_methods, reason = "a benchmark spawns its connections")]

use std::io::Write;
use std::net::Ipv4Addr;

use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tower::Service;

/// Body of a request for a verification.
#[derive(Deserialize)]
struct Asked {
    bank_reference: String,
    amount: f64,
}

/// Answers of the echo: answers that the service has given.
#[derive(Deserialize, Serialize)]
pub(super) struct Answers {
    pub(super) me: String,
    pub(super) verified: String,
}

/// Serves until it is killed: reads its answers from the first line of its standard input, and says
/// on its standard output where it listens.
pub(crate) fn run() -> Result<()> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let answers = serde_json::from_str(&line)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(router(answers)))
}

fn router(answers: Answers) -> Router {
    let (me, verified) = (Bytes::from(answers.me), Bytes::from(answers.verified));
    let show = move |headers: HeaderMap| async move {
        if headers.contains_key("authorization") { json(me) } else { refused() }
    };
    let verify = move |Path(bank): Path<String>, headers: HeaderMap, body: Bytes| async move {
        let asked = serde_json::from_slice::<Asked>(&body);
        match asked {
            Ok(asked)
                if headers.contains_key("authorization")
                    && !bank.is_empty()
                    && !asked.bank_reference.is_empty()
                    && asked.amount > 0.0 =>
            {
                json(verified)
            }
            _ => refused(),
        }
    };
    Router::new()
        .route("/me", get(show))
        .route("/userbankpayment/{bank_id}/betaserio", post(verify))
}

fn json(body: Bytes) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

fn refused() -> Response {
    StatusCode::BAD_REQUEST.into_response()
}

async fn serve(router: Router) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new());
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let router = router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            router.clone().call(request.map(Body::new))
        });
        tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
    }
}
