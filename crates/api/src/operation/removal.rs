//! What announces that an operation is going to be removed: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) in each
//! of its answers, and a word in the OpenAPI document.

use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::MethodRouter;
use domain::time::Timestamp;
use http::{HeaderName, HeaderValue};
use web::AppState;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// When an operation is no longer to be used, and when it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Since when callers are asked to use another.
    pub deprecated_at: Timestamp,
    /// When it is no longer served.
    pub gone_at: Timestamp,
}

impl Removal {
    /// The route, whose answers announce it, refusals as well.
    pub(super) fn with_headers(self, route: MethodRouter<AppState>) -> MethodRouter<AppState> {
        let seconds = self.deprecated_at.as_micros().div_euclid(1_000_000);
        let (deprecation, sunset) = (format!("@{seconds}"), self.gone_at.to_http_date());
        // Digits, letters and punctuation, which are always a header's value.
        let value = |text: &str| HeaderValue::from_str(text).expect("a header's value");
        let (deprecation, sunset) = (value(&deprecation), value(&sunset));
        route.layer(map_response(move |mut response: Response| {
            let (deprecation, sunset) = (deprecation.clone(), sunset.clone());
            async move {
                response.headers_mut().insert(DEPRECATION, deprecation);
                response.headers_mut().insert(SUNSET, sunset);
                response
            }
        }))
    }
}
