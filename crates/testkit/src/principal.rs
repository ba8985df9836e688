//! A caller of the service.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, ready};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use app::App;
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use http::Request;
use http_body_util::{Full, StreamBody};
use hyper::body::Frame;
use serde_json::Value;

use crate::Response;
use crate::http::exchange_with_service;

/// Address of the service. A restart changes it, and everybody who knew it finds the new one there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Address(Arc<Mutex<Option<Place>>>);

#[derive(Debug)]
struct Place {
    addr: SocketAddr,
    app: Arc<App>,
}

impl Address {
    /// It is at `addr` from here on.
    pub(crate) fn set(&self, addr: SocketAddr, app: &Arc<App>) {
        *self.lock() = Some(Place { addr, app: Arc::clone(app) });
    }

    /// It is nowhere from here on.
    pub(crate) fn clear(&self) {
        *self.lock() = None;
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.lock().as_ref().expect("a running service").addr
    }

    pub(crate) fn app(&self) -> Arc<App> {
        Arc::clone(&self.lock().as_ref().expect("a running service").app)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Place>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Credential that a principal shows.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    Nothing,
    Bearer(String),
    AppKey(String),
}

/// Somebody who calls the service, with the same credential every time.
#[derive(Clone)]
pub struct Principal {
    address: Address,
    credential: Credential,
}

impl Principal {
    pub(crate) fn new(address: &Address, credential: Credential) -> Self {
        Self { address: address.clone(), credential }
    }

    /// The same caller, whose key goes in the header `appKey`.
    #[must_use]
    pub fn by_app_key(&self) -> Self {
        let credential = match &self.credential {
            Credential::Bearer(text) => Credential::AppKey(text.clone()),
            other => other.clone(),
        };
        Self { address: self.address.clone(), credential }
    }

    /// Somebody without a credential.
    #[must_use]
    pub fn without_credential(&self) -> Self {
        Self::new(&self.address, Credential::Nothing)
    }

    /// Somebody else with this text as a bearer.
    #[must_use]
    pub fn with_bearer(&self, text: &str) -> Self {
        Self::new(&self.address, Credential::Bearer(text.to_owned()))
    }

    /// Returns the service's address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address.addr()
    }

    /// The use cases behind the service.
    pub(crate) fn app(&self) -> Arc<App> {
        self.address.app()
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Response {
        self.request("GET", path).send().await
    }

    /// Posts a body of JSON.
    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.request("POST", path).json(&body).send().await
    }

    /// Puts a body of JSON.
    pub async fn put(&self, path: &str, body: Value) -> Response {
        self.request("PUT", path).json(&body).send().await
    }

    /// `PATCH` with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Response {
        self.request("PATCH", path).json(&body).send().await
    }

    /// `DELETE` without a body.
    pub async fn delete(&self, path: &str) -> Response {
        self.request("DELETE", path).send().await
    }

    /// Asks for a payment on that account to be verified.
    pub async fn verify(&self, bank: &str, body: Value) -> Response {
        self.post(&verify_path(bank), body).await
    }

    /// Any request, to be completed.
    #[must_use]
    pub fn request(&self, method: &str, path: &str) -> Call {
        let at = self.address.addr();
        let request = Request::builder().method(method).uri(path).header("host", at.to_string());
        let request = match &self.credential {
            Credential::Nothing => request,
            Credential::Bearer(text) => request.header("authorization", format!("Bearer {text}")),
            Credential::AppKey(text) => request.header("appKey", text),
        };
        Call { at, request, body: Bytes::new() }
    }
}

/// The path of a verification on that account.
#[must_use]
pub fn verify_path(bank: &str) -> String {
    format!("/userbankpayment/{bank}/betaserio")
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A request on its way.
#[derive(Debug)]
pub struct Call {
    at: SocketAddr,
    request: http::request::Builder,
    body: Bytes,
}

impl Call {
    /// With one more header.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        self.raw_header(name, value.as_bytes())
    }

    /// With one more header of any bytes that a header may have.
    #[must_use]
    pub fn raw_header(mut self, name: &str, value: &[u8]) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// With this body, and nothing said of its type.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// With this value as its body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json").body(body.to_string())
    }

    /// Sends all but the end of its body, which follows when `meanwhile` is over, and reads the answer.
    ///
    /// # Panics
    /// Where no answer comes.
    pub async fn send_late(mut self, meanwhile: impl Future<Output = ()> + 'static) -> Response {
        let body = self.body.clone();
        let end = self.body.split_off(self.body.len().saturating_sub(1));
        let begin = ready(self.body);
        let end = meanwhile.map(|()| end);
        let chunks = stream::once(begin).chain(stream::once(end));
        let frames = chunks.map(|chunk| Ok::<_, Infallible>(Frame::data(chunk)));
        let request = self.request.body(Box::pin(StreamBody::new(frames))).expect("a request");
        exchange_with_service(self.at, request, &body).await
    }

    /// Sends it and reads the answer.
    ///
    /// # Panics
    /// Where no answer comes.
    pub async fn send(self) -> Response {
        let request = self.request.body(Full::new(self.body.clone())).expect("a request");
        exchange_with_service(self.at, request, &self.body).await
    }
}
