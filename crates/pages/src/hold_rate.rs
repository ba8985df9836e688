//! `POST /pay/{payment_link_id}/rate`: has a rate held for the payer of a link in another currency.

use app::Error;
use app::links::checkout::look_again;
use app::links::hold_rate;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::HoldRate;
use domain::ids::LinkId;
use domain::refusal::{Code, LinkRefusal, Refusal};
use http::{HeaderMap, StatusCode};
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure};

use crate::checkout::see;
use crate::message_page::{set_wait, unknown};
use crate::page::Notice;
use crate::texts::Texts;
use crate::view::{Retry, page};

pub(crate) async fn handle(
    admitted: Admitted<HoldRate>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(id) = id.parse::<LinkId>() else { return Ok(unknown(language)) };
    if is_from_elsewhere(&headers, &state.app.settings.base_url) {
        return Err(Refusal::Forbidden.into());
    }
    state.try_link(id, admitted.0.request.received)?;
    let refusal = match hold_rate(&state.app, &admitted.0, id).await {
        Ok(()) | Err(Error::Refused(Refusal::Link(LinkRefusal::Closed))) => {
            return Ok(see(&format!("/pay/{id}")));
        }
        Err(Error::Refused(Refusal::NotFound(_))) => return Ok(unknown(language)),
        Err(Error::Refused(refusal)) => refusal,
        Err(error) => return Err(error.into()),
    };
    let checkout = look_again(&state.app, &admitted.0, id, None).await?;
    let t = Texts::of(language);
    let (status, said) = match refusal.code() {
        Code::RateNotAvailable => (StatusCode::CONFLICT, t.rate.none_serves),
        Code::PaymentAmountNotValid => (StatusCode::CONFLICT, t.rate.unpayable),
        _ => (StatusCode::SERVICE_UNAVAILABLE, t.no_credits),
    };
    let retry = Retry { notice: Some(Notice::new("warn", said)), ..Retry::default() };
    let mut response = page(&checkout, language, None, retry).answer(status);
    if let Some(wait) = refusal.retry_after() {
        set_wait(&mut response, wait);
    }
    Ok(response)
}
