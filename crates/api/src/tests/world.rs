//! A service with one owner, asked without a network.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use app::access::KeyLocationCache;
use app::admin::{
    CreatedOwner, NewClient, NewOwner, Operator, OwnerName, create_client, create_owner,
};
use app::bank_tokens::TokenFlights;
use app::key_uses::KeyUses;
use app::logos::drawing::Drawing;
use app::passwords::Passwords;
use app::ports::Task;
use app::refusals::Refusals;
use app::session_tokens::SessionTokens;
use app::settings::PasswordCost;
use app::sign_in_failures::SignInFailures;
use app::statement::Statements;
use app::vault::{MasterKey, Vault};
use app::webhooks::Webhooks;
use app::{App, Clock, Settings, Tasks};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use bank::{Bank, Banks};
use banks::test_bank::{TestBank, Wait};
use domain::ids::{ClientId, IdSource};
use domain::money::Credits;
use domain::secret::SecretText;
use domain::text::{EmailAddress, Text};
use domain::time::Timestamp;
use egress::{Reach, WebhookClient};
use http::{HeaderMap, Request};
use http_body_util::BodyExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use testkit::contract::Exchange;
use tower::ServiceExt;
use web::AppState;

use crate::Endpoint;

pub(super) const EMAIL: &str = "ana@example.com";
pub(super) const PASSWORD: &str = "correct horse battery staple";

/// The least that Argon2 accepts.
const CHEAP: PasswordCost = PasswordCost { memory_kib: 8, passes: 1 };

pub(super) struct World {
    app: Arc<App>,
    router: Router,
    pub(super) owner: CreatedOwner,
}

/// Answer that the API gave.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl World {
    pub(super) async fn new() -> Self {
        Self::with_bank(None).await
    }

    /// A service that has this bank beside the sandbox.
    pub(super) async fn with_bank(another: Option<Arc<dyn Bank>>) -> Self {
        let ids = Arc::new(Counted(AtomicU64::new(1)));
        let wait: Wait = Arc::new(|_| Box::pin(std::future::pending()));
        let bank: Arc<dyn Bank> = Arc::new(TestBank::new(wait));
        let app = App {
            store: store::inline().unwrap(),
            key_locations: KeyLocationCache::default(),
            key_uses: KeyUses::default(),
            refusals: Refusals::default(),
            token_flights: TokenFlights::default(),
            statements: Statements::default(),
            sign_in_failures: SignInFailures::default(),
            review: None,
            clock: Arc::new(Ticking(AtomicI64::new(1_763_640_000_000_000))),
            tasks: Arc::new(Spawned),
            banks: Arc::new(Banks::of([bank].into_iter().chain(another))),
            vault: Vault::new(&MasterKey::generate(&*ids), &[]),
            sessions: SessionTokens::from_pkcs8(&SessionTokens::generate().unwrap()).unwrap(),
            passwords: Passwords::new(CHEAP),
            drawing: Drawing::default(),
            webhooks: Webhooks::by(WebhookClient::new(
                Reach::Internet,
                Arc::new(|_| Box::pin(std::future::pending())),
                Arc::new(|| Timestamp::from_micros(0)),
            )),
            mail: None,
            settings: Settings { password_cost: CHEAP, ..Settings::default() },
            ids,
        };
        let new = NewOwner {
            email: EmailAddress::parse(EMAIL).unwrap(),
            name: None,
            password: Some(SecretText::from(PASSWORD)),
            credits: Credits::new(100),
            test_account: true,
        };
        let owner = create_owner(&Operator::of(&app), new).await.unwrap();
        let app = Arc::new(app);
        let state = AppState::new(Arc::clone(&app), web::Settings::default());
        Self { app, router: crate::router(state), owner }
    }

    /// The same service with these operations alone.
    pub(super) fn with_endpoints(self, endpoints: Vec<Endpoint>) -> Self {
        let state = AppState::new(Arc::clone(&self.app), web::Settings::default());
        Self { router: crate::router_of(endpoints, state), ..self }
    }

    /// A client of the owner, which may verify payments.
    pub(super) async fn client(&self) -> ClientId {
        let new = NewClient {
            owner: OwnerName::Id(self.owner.owner),
            name: Text::parse("sucursal").unwrap(),
            payments_enabled: true,
        };
        create_client(&Operator::of(&self.app), new).await.unwrap()
    }

    /// Sends a request and answers before its body was read.
    pub(super) async fn send(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends a request, and looks whether its answer is as the document says.
    pub(super) async fn ask(&self, request: Request<Body>) -> Answer {
        let (parts, body) = request.into_parts();
        let (method, uri) = (parts.method.clone(), parts.uri.clone());
        let sent = body.collect().await.unwrap().to_bytes();
        let request = Request::from_parts(parts, Body::from(sent.clone()));
        let (parts, body) = self.send(request).await.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let path = uri.path_and_query().unwrap().as_str();
        let (status, request) = (parts.status.as_u16(), &sent);
        Exchange { method: method.as_str(), path, request, status, answer: &bytes }
            .check(&document());
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    pub(super) async fn get(&self, key: &str, path: &str) -> Answer {
        self.ask(request("GET", path, &[("appKey", key)], "")).await
    }

    pub(super) async fn post(&self, key: &str, path: &str, body: &str) -> Answer {
        self.ask(request("POST", path, &[("appKey", key)], body)).await
    }

    pub(super) async fn put(&self, key: &str, path: &str, body: &str) -> Answer {
        self.ask(request("PUT", path, &[("Authorization", &format!("Bearer {key}"))], body)).await
    }

    /// The header line of a new session of the owner.
    pub(super) async fn session(&self) -> String {
        let body = serde_json::json!({"email": EMAIL, "password": PASSWORD}).to_string();
        let answer = self.ask(request("POST", "/auth/login", &[], &body)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        format!("Bearer {}", answer.body["token"].as_str().unwrap())
    }

    pub(super) fn key(&self) -> String {
        self.owner.api_key.expose().to_owned()
    }

    pub(super) fn store(&self) -> &store::Store {
        &self.app.store
    }

    pub(super) fn betaserio(&self) -> String {
        format!("/userbankpayment/{}/betaserio", self.owner.user_bank.unwrap())
    }
}

/// The document of the API.
pub(super) fn document() -> Value {
    serde_json::from_str(crate::openapi()).unwrap()
}

pub(super) fn request(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Request<Body> {
    let peer: SocketAddr = "203.0.113.7:40000".parse().unwrap();
    let mut request = Request::builder().method(method).uri(path).extension(ConnectInfo(peer));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}

/// A clock that moves a millisecond whenever it is looked at, and on which nobody waits.
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.fetch_add(1_000, Ordering::Relaxed))
    }

    fn sleep_until(&self, _: Timestamp) -> Task {
        Box::pin(std::future::pending())
    }
}

struct Spawned;

impl Tasks for Spawned {
    #[expect(clippy::disallowed_methods, reason = "these tests have no binary that would spawn")]
    fn spawn(&self, work: Task) {
        tokio::spawn(work);
    }
}

/// Hashes of a counter: different every time, and the same in every run.
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let count = self.0.fetch_add(1, Ordering::Relaxed);
            let hash = Sha256::digest(count.to_be_bytes());
            chunk.copy_from_slice(&hash[..chunk.len()]);
        }
    }
}
