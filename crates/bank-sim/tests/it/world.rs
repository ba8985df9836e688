//! A simulator of its own for every test, with a clock that stands and a way out that is a double.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bank_sim::runtime::{Notice, Posted, Posting, Work};
use bank_sim::{Clock, ManualClock, Poster, Reach, Running, Runtime, Tasks, Time, serve};
use bytes::Bytes;
use domain::time::Timestamp;
use futures_util::future::join;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const ACCOUNT: &str = "01020000890000000001";
pub(crate) const KEY: &str = "clave-de-prueba";

/// Noon of a Friday in Caracas.
pub(crate) const NOON: &str = "2026-11-20T12:00:00-04:00";

pub(crate) struct World {
    pub(crate) running: Running,
    pub(crate) clock: ManualClock,
    pub(crate) mailbox: Mailbox,
}

impl World {
    /// A simulator without anything in it.
    pub(crate) async fn empty() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let clock = ManualClock::at(Timestamp::parse(NOON).unwrap());
        let mailbox = Mailbox::default();
        let runtime = Runtime {
            time: Time::Manual(clock.clone()),
            tasks: Arc::new(Spawning),
            poster: Arc::new(mailbox.clone()),
        };
        let running = serve(listener, Reach::Loopback, runtime).unwrap();
        Self { running, clock, mailbox }
    }

    /// A simulator with one account.
    pub(crate) async fn new() -> Self {
        let world = Self::empty().await;
        world.admin("POST", "/admin/accounts", &account()).await.ok();
        world
    }

    /// The same, and the account's holder is notified of payments.
    pub(crate) async fn with_push() -> Self {
        let world = Self::empty().await;
        let mut account = account();
        account["push"] = json!({"url": "http://shop.test/hook", "api_key": "secreto"});
        world.admin("POST", "/admin/accounts", &account).await.ok();
        world
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// Moves the clock on, without waiting for what that brings about.
    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.set(self.clock.now().plus(Duration::from_secs(seconds)));
    }

    /// Makes the payment: an ordinary one with these fields instead.
    pub(crate) async fn pay(&self, fields: Value) -> Value {
        self.admin("POST", "/admin/payments", &payment(fields)).await.ok()
    }

    pub(crate) async fn admin(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = request(method, path, &[], body.to_string());
        exchange(self.address(), request).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        exchange(self.address(), request("GET", path, &[], String::new())).await.unwrap().ok()
    }

    /// Asks the bank with the account's key.
    pub(crate) async fn bank(&self, path: &str, body: &Value) -> Answer {
        self.ask(path, Some(KEY), &body.to_string()).await.unwrap()
    }

    /// Asks the bank anything, which may end without an answer.
    pub(crate) async fn ask(
        &self,
        path: &str,
        key: Option<&str>,
        body: &str,
    ) -> hyper::Result<Answer> {
        let headers: Vec<_> = key.map(|key| ("X-API-Key", key)).into_iter().collect();
        exchange(self.address(), request("POST", path, &headers, body.to_owned())).await
    }

    /// Asks for a page of a day's extract, and answers its data.
    pub(crate) async fn extract(&self, day: &str, after: &str) -> Value {
        let answer = self.bank("/apis/bdv/consulta/movimientos", &extract(day, after)).await.ok();
        assert_eq!(answer["code"], "1000", "{answer}");
        answer["data"].clone()
    }
}

pub(crate) fn account() -> Value {
    json!({"account": ACCOUNT, "api_key": KEY, "phone": "04120000001", "rif": "J-12345678-4"})
}

pub(crate) fn payment(fields: Value) -> Value {
    let mut payment = json!({
        "account": ACCOUNT, "reference": "000079912345", "amount": "150.75", "payer_bank": "0134",
        "phone": "04140000002", "document": "V12345678", "commission": false, "repeated": false,
    });
    replace(&mut payment, fields);
    payment
}

/// The question of `getMovement` that fits the payment.
pub(crate) fn question(fields: Value) -> Value {
    let mut question = json!({
        "cedulaPagador": "V12345678", "telefonoPagador": "04140000002",
        "telefonoDestino": "04120000001", "referencia": "79912345", "fechaPago": "2026-11-20",
        "importe": "150.75", "bancoOrigen": "0134", "reqCed": false,
    });
    replace(&mut question, fields);
    question
}

/// The question of `movimientos` for a day.
pub(crate) fn extract(day: &str, after: &str) -> Value {
    json!({"cuenta": ACCOUNT, "fechaIni": day, "fechaFin": day, "tipoMoneda": "VES", "nroMovimiento": after})
}

fn replace(object: &mut Value, fields: Value) {
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    object.as_object_mut().unwrap().extend(fields);
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) body: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.json()
    }

    /// The code and the message of the bank.
    #[track_caller]
    pub(crate) fn said(&self) -> (Value, String) {
        let body = self.ok();
        (body["code"].clone(), body["message"].as_str().unwrap().to_owned())
    }

    /// The code of a refusal by the operator's routes, with its status.
    #[track_caller]
    pub(crate) fn refused(&self) -> (u16, String) {
        let body = self.json();
        assert!(body["message"].as_str().is_some_and(|text| text.contains(" / ")), "{body}");
        (self.status, body["error"].as_str().unwrap().to_owned())
    }
}

pub(crate) fn request(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: String,
) -> Request<Full<Bytes>> {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let mut request = Request::builder().method(method).uri(path).header("Host", "bank.test");
    request = request.header("Content-Type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::from(body)).unwrap()
}

/// Sends one request on a connection of its own.
pub(crate) async fn exchange(
    at: SocketAddr,
    request: Request<Full<Bytes>>,
) -> hyper::Result<Answer> {
    let stream = TcpStream::connect(at).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answer = async move {
        let (head, body) = sender.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        let kind = head.headers.get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
        let body = String::from_utf8(body.to_vec()).unwrap();
        Ok(Answer { status: head.status.as_u16(), kind: kind.unwrap_or_default(), body })
    };
    // The connection ends when the sender is gone.
    let (answer, _) = join(answer, connection).await;
    answer
}

/// Tasks of the test's own runtime.
struct Spawning;

impl Tasks for Spawning {
    #[expect(clippy::disallowed_methods, reason = "a test has no tasks but its runtime's")]
    fn spawn(&self, work: Work) {
        tokio::spawn(work);
    }
}

/// A way out that keeps every notice, and answers what it was told to.
#[derive(Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Letters>>);

#[derive(Default)]
struct Letters {
    taken: Vec<Notice>,
    answers: VecDeque<Result<Posted, String>>,
}

impl Mailbox {
    /// Adds the answer to the next notice that has none yet.
    pub(crate) fn answers(&self, answer: Result<Posted, String>) {
        self.0.lock().unwrap().answers.push_back(answer);
    }

    /// Takes the notices out that came.
    pub(crate) fn taken(&self) -> Vec<Notice> {
        std::mem::take(&mut self.0.lock().unwrap().taken)
    }
}

impl Poster for Mailbox {
    fn post(&self, notice: Notice) -> Posting {
        let mailbox = self.clone();
        let notified =
            r#"{"codigo":"00","mensajeCliente":"Aprobado","mensajeSistema":"Notificado"}"#;
        let usual = Posted { status: 200, body: notified.to_owned() };
        Box::pin(async move {
            // Somebody who answers takes a while, in which others could go on too soon.
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            let mut letters = mailbox.0.lock().unwrap();
            letters.taken.push(notice);
            letters.answers.pop_front().unwrap_or(Ok(usual))
        })
    }
}
