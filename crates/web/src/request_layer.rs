//! What goes around every route: the request's id, its language, its limits of trust, the body of
//! an error, panics, CORS, and the line in the log.

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::{MatchedPath, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::Route;
use axum::routing::future::RouteFuture;
use domain::ids::IdSource;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use tower::{Layer, Service};

use crate::access_log::Pending;
use crate::page::Finished;
use crate::request_state::{self, RequestState};
use crate::{AppState, Failure, cors, failure, request_id};

/// Answers hold payments and keys: nobody in between may keep them.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// In the extensions of a request: why its connection turns it away. The request layer answers with that instead
/// of its route.
#[derive(Clone, Debug)]
pub struct TurnedAway {
    /// The status of the answer: that of the refusal's code, or one that HTTP has for this alone.
    pub status: StatusCode,
    /// What the body says.
    pub refusal: Refusal,
}

impl TurnedAway {
    /// With the status of the refusal's code.
    #[must_use]
    pub fn by(refusal: Refusal) -> Self {
        let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::BAD_REQUEST);
        Self { status, refusal }
    }
}

impl IntoResponse for TurnedAway {
    fn into_response(self) -> Response {
        (self.status, Failure::from(self.refusal)).into_response()
    }
}

/// Goes around every route of a router: runs each request through its route and sees to everything
/// that all answers have in common.
///
/// Every request passes here, so that it is a service of its own: a function between routes would
/// cost a small request as much again as its log line.
#[derive(Clone, Debug)]
pub struct RequestLayer {
    state: AppState,
    is_of_pages: bool,
}

impl RequestLayer {
    /// The request layer of what is served with `state`.
    #[must_use]
    pub fn new(state: AppState) -> Self {
        Self { state, is_of_pages: false }
    }

    /// The request layer of pages: no other site's script may ask for them.
    #[must_use]
    pub fn of_pages(state: AppState) -> Self {
        Self { state, is_of_pages: true }
    }
}

impl Layer<Route> for RequestLayer {
    type Service = RequestService;

    fn layer(&self, route: Route) -> RequestService {
        RequestService { request_layer: self.clone(), route }
    }
}

/// A route with its request layer.
#[derive(Clone, Debug)]
pub struct RequestService {
    request_layer: RequestLayer,
    route: Route,
}

impl Service<Request> for RequestService {
    type Response = Response;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request) -> Answering {
        let RequestLayer { state, is_of_pages } = &self.request_layer;
        let request_state = RequestState::begin(state, &request, *is_of_pages);
        let method = request.method().clone();
        let path = request.extensions().get::<MatchedPath>().cloned();
        let turned_away = request.extensions_mut().remove::<TurnedAway>();
        let way = match turned_away {
            Some(turned_away) => Way::There(turned_away.into_response()),
            None if method == Method::OPTIONS && !is_of_pages => Way::There(preflight()),
            None => {
                request.extensions_mut().insert(request_state.clone());
                Way::Route(self.route.call(request))
            }
        };
        let pending = Pending::new(state.clone(), request_state, method, path);
        Answering { way, is_of_pages: *is_of_pages, pending }
    }
}

/// A request on its way through its route.
pub struct Answering {
    way: Way,
    is_of_pages: bool,
    /// Dropped after the route, so that its line shows all that the route did.
    pending: Pending,
}

/// From where the answer comes.
enum Way {
    /// From the route.
    Route(RouteFuture<Infallible>),
    /// It is there: no route is asked.
    There(Response),
    /// It was given.
    Done,
}

impl Future for Answering {
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answered = match &mut self.way {
            Way::Route(route) => {
                match catch_unwind(AssertUnwindSafe(|| Pin::new(route).poll(context))) {
                    Ok(Poll::Pending) => return Poll::Pending,
                    Ok(Poll::Ready(Ok(response))) => Ok(response),
                    Err(panic) => Err(panic),
                }
            }
            Way::There(response) => Ok(std::mem::take(response)),
            Way::Done => Ok(Response::default()),
        };
        self.way = Way::Done;
        let request_state = self.pending.request_state();
        let (mut response, failure) = finish(answered, request_state);
        dress(&mut response, request_state, self.is_of_pages);
        if let Some(refusal) = failure.as_ref().and_then(Failure::refusal) {
            self.pending.refused(refusal);
        }
        self.pending.answered(response.status(), failure.map(|failure| failure.code()));
        Poll::Ready(Ok(response))
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answering")
    }
}

/// Sets the headers that all answers have.
fn dress(response: &mut Response, request_state: &RequestState, is_of_pages: bool) {
    let is_page = response.extensions().get::<Finished>().is_some();
    let headers = response.headers_mut();
    if is_page {
        // A page is for the person who opens it, and its parts say themselves how long they keep.
        headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
    } else {
        if !is_of_pages {
            cors::allow(headers);
        }
        headers.insert(CACHE_CONTROL, NO_STORE);
    }
    if let Some(left) = request_state.left() {
        failure::add_left(headers, left);
    }
    if !request_state.is_body_done() {
        // Answered without reading the rest, which now stands in the way of the next request.
        headers.insert(CONNECTION, CLOSE);
    }
    if let Ok(id) = HeaderValue::from_str(&request_state.context().request_id) {
        headers.insert(request_id::HEADER, id);
    }
}

/// Answers a request while the store is not open yet, and so no route can be asked: as unavailable, with all that answers of
/// the API have in common. A browser's question whether it may ask is answered as ever.
#[must_use]
pub fn answer_without_store(request: &Request, ids: &dyn IdSource, now: Timestamp) -> Response {
    let asked = request.headers();
    let (id, language) = (request_id::of(asked, ids, now), request_state::language(asked));
    let failed = |turned_away: TurnedAway| {
        let mut response = Failure::from(turned_away.refusal).render(language, &id);
        *response.status_mut() = turned_away.status;
        response
    };
    let mut response = match request.extensions().get::<TurnedAway>() {
        Some(turned_away) => failed(turned_away.clone()),
        None if request.method() == Method::OPTIONS => preflight(),
        None => failed(TurnedAway::by(Refusal::ServiceUnavailable)),
    };
    let headers = response.headers_mut();
    cors::allow(headers);
    headers.insert(CACHE_CONTROL, NO_STORE);
    if request_state::has_body(asked) {
        headers.insert(CONNECTION, CLOSE);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(request_id::HEADER, id);
    }
    response
}

/// A browser's question whether it may ask.
fn preflight() -> Response {
    let mut response = Response::default();
    cors::allow_request(response.headers_mut());
    response
}

/// Fills an answer that has a reason instead of a body.
fn finish(
    answered: Result<Response, Box<dyn Any + Send>>,
    request_state: &RequestState,
) -> (Response, Option<Failure>) {
    let context = request_state.context();
    let mut response = match answered {
        Ok(response) if response.status().as_u16() < 400 => return (response, None),
        Ok(response) => response,
        Err(panic) => panicked(&*panic).into_response(),
    };
    let failure = response.extensions_mut().remove::<Failure>();
    if response.extensions().get::<Finished>().is_some() {
        if let Some(failure) = &failure {
            failure.log(&context.request_id);
        }
        return (response, failure);
    }
    let status = failure.is_some().then(|| response.status());
    let failure = failure.unwrap_or_else(|| Failure::of_status(response.status()));
    failure.log(&context.request_id);
    let mut rendered = failure.render(context.language, &context.request_id);
    if let Some(status) = status {
        *rendered.status_mut() = status;
    }
    // What the route added stays, such as the methods that a path allows.
    for (name, value) in response.headers() {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH && !rendered.headers().contains_key(name)
        {
            rendered.headers_mut().insert(name.clone(), value.clone());
        }
    }
    (rendered, Some(failure))
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Failure::internal(format!("a handler panicked: {}", text.unwrap_or("without a word")))
}
