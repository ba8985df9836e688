//! A client that asks one question on one connection, and looks at every answer closely.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::LazyLock;

use bytes::Bytes;
use futures_util::future::join;
use http::{HeaderMap, Request};
use http_body_util::BodyExt;
use hyper::body::Body;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::contract::Exchange;

/// The document that is checked in. To make it from the code, which a test of `api` holds it to, would take a third
/// of the time of a test, in each process anew.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let text = std::fs::read_to_string(path).expect("the document of the API");
    // Not `from_str`, of which each crate has a slow one of its own.
    text.parse().expect("a document that is JSON: cargo xtask openapi")
});

/// An answer, read whole.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The bytes of the body.
    pub body: Bytes,
}

impl Response {
    /// A header's value, if it is there.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("a header of text"))
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// Where it is something else.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("not JSON ({error}): {self:?}"),
        }
    }

    /// The body of a success: 200, an object, and a message in it.
    ///
    /// # Panics
    /// Where it is anything else.
    #[track_caller]
    pub fn ok(&self) -> Value {
        let body = self.json();
        assert_eq!(self.status, 200, "{body}");
        assert!(body["message"].is_string(), "a success without a message: {body}");
        body
    }

    /// The body of a refusal with this status and code. Every error has the same shape, and this
    /// looks at all of it.
    ///
    /// # Panics
    /// Where it is anything else.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        let body = self.json();
        assert_eq!((self.status, body["error"].as_str()), (status, Some(code)), "{body}");
        let fields = body.as_object().expect("an error is an object");
        for name in fields.keys() {
            let known = ["message", "error", "request_id", "details", "facts"];
            assert!(known.contains(&name.as_str()), "{name} in an error: {body}");
        }
        assert!(body["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"), "{body}");
        if let Some(details) = fields.get("details") {
            let details = details.as_array().expect("details are a list");
            assert!(!details.is_empty(), "{body}");
            for detail in details {
                let keys: Vec<_> = detail.as_object().expect("a detail").keys().collect();
                assert_eq!(keys, ["field", "problem"], "{body}");
            }
        }
        if let Some(facts) = fields.get("facts") {
            assert!(facts.as_object().is_some_and(|facts| !facts.is_empty()), "{body}");
        }
        body
    }

    /// Sums up the answer: the status, and the code of a refusal.
    #[must_use]
    pub fn end(&self) -> (u16, String) {
        let code = match self.status {
            200 => String::new(),
            _ => self.json()["error"].as_str().unwrap_or("no code").to_owned(),
        };
        (self.status, code)
    }
}

/// Sends one request to the service on a connection of its own, and looks whether the answer is as the API's document
/// says.
///
/// # Panics
/// Where no answer comes, or another than the document says.
pub(crate) async fn exchange_with_service<B>(
    at: SocketAddr,
    request: Request<B>,
    body: &Bytes,
) -> Response
where
    B: Body<Data = Bytes, Error = Infallible> + 'static,
{
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = exchange(at, request).await;
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    let (status, answer) = (response.status, &response.body);
    Exchange { method: method.as_str(), path, request: body, status, answer }.check(&DOCUMENT);
    response
}

/// Sends one request on a connection of its own.
///
/// # Panics
/// Where no answer comes.
pub(crate) async fn exchange<B>(at: SocketAddr, request: Request<B>) -> Response
where
    B: Body<Data = Bytes, Error = Infallible> + 'static,
{
    let stream = TcpStream::connect(at).await.expect("a connection to the service");
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.expect("a connection of HTTP");
    let answer = async move {
        let response = sender.send_request(request).await.expect("an answer");
        let (head, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        Response { status: head.status.as_u16(), headers: head.headers, body }
    };
    // The connection ends when the sender is gone.
    let (answer, _) = join(answer, connection).await;
    answer
}
