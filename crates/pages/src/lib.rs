//! Pages for people: what a payer sees of a payment link, of the receipt for what was paid and of a subscription, and does
//! about reminders, what an invited person sees of an invitation, and the forms for another password and another address.
//!
//! Everything is written on the server and works without a script. The same use cases stand behind
//! it as behind the API. What a page may load and do is said in its headers: nothing from
//! elsewhere, nothing inline, no framing.

#[macro_use]
mod bilingual;

mod assets;
mod astray;
mod brand;
mod checkout;
#[macro_use]
pub mod dashboard;
mod email_change;
mod email_change_texts;
mod events;
mod hold_rate;
mod invitation;
mod invitation_texts;
mod logo;
mod message_page;
mod page;
mod password_reset;
mod password_reset_texts;
mod qr;
mod rate;
mod rate_texts;
mod receipt;
mod reminder_stop;
mod reminder_stop_texts;
mod renew;
mod said;
mod show_asset;
mod subscription;
mod texts;
mod view;
mod written;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{any, get, post};
use domain::subscriptions::PayerAddress;
use http::header::{
    ALLOW, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue};
use web::request_layer::RequestLayer;
use web::{AppState, Glance, SentForm};

/// Policy of what a page may load and do: its own stylesheet, script, events and form.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const NO_PERMISSIONS: HeaderValue =
    HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=()");

/// Every route of the pages, with everything around them.
pub fn router(state: AppState) -> Router {
    astray::PLACES
        .into_iter()
        .fold(Router::new(), |router, place| {
            // What follows is a path of its own only where it is not empty.
            router
                .route(place, any(astray::nowhere))
                .route(&format!("{place}{{name}}/"), any(astray::nowhere))
                .route(&format!("{place}{{name}}/{{*below}}"), any(astray::nowhere))
        })
        .route("/PAY/{name}", any(astray::nowhere))
        .route("/Pay/{name}", any(astray::nowhere))
        .route("/pay/{payment_link_id}", get(checkout::view).post(checkout::pay))
        .route("/pay/{payment_link_id}/rate", post(hold_rate::handle))
        .route("/pay/{payment_link_id}/renew", post(renew::handle))
        .route("/pay/{payment_link_id}/events", get(events::handle))
        .route("/pay/assets/{file}", get(show_asset::handle))
        .route("/pay/brand/{file}", get(brand::handle))
        .route("/pay/logo/{file}", get(logo::handle))
        .route("/recibo/{address}", get(receipt::view))
        .route("/recibo/{address}/pdf", get(receipt::download))
        .merge(subscription::routes())
        .route("/invitation/accepted", get(invitation::accepted))
        .route("/invitation/{token}", get(invitation::view).post(invitation::answer))
        .route("/password-reset/done", get(password_reset::done))
        .route("/password-reset/{token}", get(password_reset::view).post(password_reset::answer))
        .route("/email-change/done", get(email_change::done))
        .route("/email-change/{token}", get(email_change::view).post(email_change::answer))
        .route("/recordatorios/{address}", get(reminder_stop::view).post(reminder_stop::stop))
        .merge(dashboard::router())
        .layer(from_fn(as_page))
        .layer(RequestLayer::of_pages(state.clone()))
        .with_state(state)
}

/// Makes a page of every failure, and says what browsers are to keep to.
async fn as_page(request: Request, next: Next) -> Response {
    if let Some(led_back) = astray::led_back(&request) {
        return with_headers(led_back, request.uri().path());
    }
    let language = Glance::language(request.extensions());
    let sent = SentForm::of(request.extensions());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let path = uri.path();
    let mut response = next.run(request).await;
    if let Some(glance) = Glance::of(&response) {
        let failure = response.extensions_mut().remove::<web::Failure>();
        let allowed = response.headers_mut().remove(ALLOW);
        let again = response.extensions_mut().remove::<web::Again>().or_else(|| sent.again());
        response = if path == "/" || path.starts_with(dashboard::PREFIX) {
            let why = (failure.as_ref(), again);
            dashboard::of_failure(&glance, why, (&method, &uri), language)
        } else if path.starts_with(receipt::PREFIX) {
            receipt::of_failure(&glance, language)
        } else if path.starts_with(PayerAddress::PREFIX) {
            subscription::of_failure(&glance, path, language)
        } else if path.starts_with(invitation::PREFIX) {
            invitation::of_failure(&glance, language)
        } else if path.starts_with(password_reset::PREFIX) {
            password_reset::of_failure(&glance, language)
        } else if path.starts_with(email_change::PREFIX) {
            email_change::of_failure(&glance, language)
        } else if path.starts_with(reminder_stop::PREFIX) {
            reminder_stop::of_failure(&glance, language)
        } else {
            message_page::of_failure(&glance, path, language)
        };
        if let Some(allowed) = allowed {
            response.headers_mut().insert(ALLOW, allowed);
        }
        if let Some(failure) = failure {
            // The request layer logs it.
            response.extensions_mut().insert(failure);
        }
    }
    if path.starts_with(receipt::PREFIX) {
        // A file has no other way to say so.
        response.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex"));
    }
    with_headers(response, path)
}

/// Beginnings of addresses that open something to whoever has them.
const SECRETS: [&str; 6] = [
    receipt::PREFIX,
    PayerAddress::PREFIX,
    reminder_stop::PREFIX,
    invitation::PREFIX,
    password_reset::PREFIX,
    email_change::PREFIX,
];

fn with_headers(mut response: Response, path: &str) -> Response {
    let headers = response.headers_mut();
    // What is no page has a stricter one.
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Forms would say `null` as their origin without one, as anybody's may. Proxies write what is sent to ourselves into
    // their logs, too.
    let is_secret = SECRETS.iter().any(|prefix| path.starts_with(prefix));
    let referrer = if is_secret { "strict-origin" } else { "same-origin" };
    headers.insert(REFERRER_POLICY, HeaderValue::from_static(referrer));
    headers.insert(PERMISSIONS_POLICY, NO_PERMISSIONS);
    response
}
