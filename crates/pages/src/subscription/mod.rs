//! `/suscripcion/{address}`: what the payer of a subscription sees and does, by an address that nobody can guess.

mod shown;
mod texts;

use app::Error;
use app::subscriptions::{PayerPage, cancel_by_payer, link_of_cycle, view_payer_page};
use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{get, post};
use domain::access::{CancelByPayer, Operation, RenewLink, ViewPayerPage};
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use domain::subscriptions::PayerAddress;
use http::{HeaderMap, StatusCode};
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure, Glance};

use self::shown::SubscriptionPage;
use self::texts::SubscriptionTexts;
use crate::checkout::see;
use crate::message_page::answer_failure;
use crate::page::Notice;
use crate::said::said;

pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/suscripcion/{address}", get(view))
        .route("/suscripcion/{address}/cancel", get(confirm).post(cancel))
        .route("/suscripcion/{address}/pay/{cycle}", post(pay))
}

async fn view(
    admitted: Admitted<ViewPayerPage>,
    State(state): State<AppState>,
    Path(address): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(address) = address.parse::<PayerAddress>() else { return Ok(unknown(language)) };
    Ok(match look(&state, &admitted, address).await? {
        Some(page) => SubscriptionPage::of(&page, address, language).answer(StatusCode::OK),
        None => unknown(language),
    })
}

/// Says what canceling does, which only the button there does.
async fn confirm(
    admitted: Admitted<ViewPayerPage>,
    State(state): State<AppState>,
    Path(address): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(address) = address.parse::<PayerAddress>() else { return Ok(unknown(language)) };
    let Some(page) = look(&state, &admitted, address).await? else { return Ok(unknown(language)) };
    // Where there is nothing to cancel, its own page says how it stands.
    let Some(remains) = page.remains else { return Ok(see(&address.path())) };
    let page = SubscriptionPage::confirming((&page, remains), address, language);
    Ok(page.answer(StatusCode::OK))
}

async fn cancel(
    admitted: Admitted<CancelByPayer>,
    State(state): State<AppState>,
    Path(address): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(address) = address.parse::<PayerAddress>() else { return Ok(unknown(language)) };
    check_press(&state, &admitted, address, &headers)?;
    match cancel_by_payer(&state.app, &admitted.0, address).await {
        Ok(()) => Ok(see(&address.path())),
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(unknown(language)),
        Err(Error::Refused(Refusal::RequestInProgress)) => {
            let Some(page) = look(&state, &admitted, address).await? else {
                return Ok(unknown(language));
            };
            let Some(remains) = page.remains else { return Ok(see(&address.path())) };
            let page = SubscriptionPage::confirming((&page, remains), address, language);
            Ok(page.while_checking().answer(StatusCode::CONFLICT))
        }
        Err(error) => Err(error.into()),
    }
}

/// Leads to the link by which a period is paid, which may be one that is made now.
async fn pay(
    admitted: Admitted<RenewLink>,
    State(state): State<AppState>,
    Path((address, cycle)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let number = cycle.parse::<u32>().ok().and_then(|cycle| cycle.checked_sub(1));
    let (Ok(address), Some(number)) = (address.parse::<PayerAddress>(), number) else {
        return Ok(unknown(language));
    };
    check_press(&state, &admitted, address, &headers)?;
    match link_of_cycle(&state.app, &admitted.0, address, number).await {
        Ok(link) => Ok(see(&format!("/pay/{link}"))),
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(unknown(language)),
        Err(error) => Err(error.into()),
    }
}

/// Checks that a button was pressed on our page, and not too often.
fn check_press<O: Operation>(
    state: &AppState,
    admitted: &Admitted<O>,
    address: PayerAddress,
    headers: &HeaderMap,
) -> Result<(), Failure> {
    if is_from_elsewhere(headers, &state.app.settings.base_url) {
        return Err(Refusal::Forbidden.into());
    }
    Ok(state.try_page(address.page.to_bytes(), admitted.0.request.received)?)
}

/// Looks at what the page of that address shows; nothing where it opens none.
async fn look<O: Operation>(
    state: &AppState,
    admitted: &Admitted<O>,
    address: PayerAddress,
) -> Result<Option<PayerPage>, Failure> {
    let act = admitted.also::<ViewPayerPage>()?;
    match view_payer_page(&state.app, &act, address).await {
        Ok(page) => Ok(Some(page)),
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The page about an address that never was one, is over, or was replaced.
fn unknown(language: Language) -> Response {
    SubscriptionPage::unknown(language).answer(StatusCode::NOT_FOUND)
}

/// The page about whatever went wrong before the subscription at `path` was looked at.
pub(crate) fn of_failure(glance: &Glance, path: &str, language: Language) -> Response {
    let t = SubscriptionTexts::of(language);
    let notice = match glance.code {
        Code::NotFound | Code::BadRequest => return unknown(language),
        Code::MethodNotSupport => Notice::new("warn", said(t.wrong_method, t.wrong_method_text)),
        Code::Forbidden => Notice::new("warn", said(t.elsewhere, t.elsewhere_text)),
        Code::RequestLimitReached => Notice::new("warn", said(t.too_many, t.too_many_text)),
        _ => Notice::new("bad", said(t.broken, t.broken_text)),
    };
    let notice = match back(path) {
        Some(place) => notice.leading_to(&place, t.back),
        None => notice,
    };
    answer_failure(glance, |status| SubscriptionPage::bare(notice, language).answer(status))
}

/// The page that the request was about, if it was about any.
fn back(path: &str) -> Option<String> {
    let address = path.strip_prefix(PayerAddress::PREFIX)?.split('/').next()?;
    address.parse().ok().map(PayerAddress::path)
}
