//! `POST /pay/{payment_link_id}/renew`: leads a payer who comes late to another link of the same period.

use app::Error;
use app::links::renew;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RenewLink;
use domain::ids::LinkId;
use domain::refusal::Refusal;
use http::HeaderMap;
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure};

use crate::checkout::see;
use crate::message_page::unknown;

pub(crate) async fn handle(
    admitted: Admitted<RenewLink>,
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
    match renew(&state.app, &admitted.0, id).await {
        Ok(other) => Ok(see(&format!("/pay/{other}"))),
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(unknown(language)),
        // It is not owed any more, which its page says.
        Err(Error::Refused(Refusal::Link(_) | Refusal::Subscription(_))) => {
            Ok(see(&format!("/pay/{id}")))
        }
        Err(error) => Err(error.into()),
    }
}
