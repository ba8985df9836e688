//! `POST /app/first-payment`: a test payment in one press, for a person who has just arrived.

use app::accounts::Linked;
use app::verification::{Confirmed, ReportedIn, VerifyRequest, verify};
use axum::extract::State;
use axum::response::Response;
use domain::access::Verify;
use domain::matching::Query;
use domain::reference::TypedReference;
use domain::refusal::Refusal;
use web::{AppState, NotTaken, Posted};

use super::choice::accounts;
use super::route::PageRoute;
use crate::checkout::see;

/// The form's path.
pub(super) const PATH: &str = "/app/first-payment";

/// Ending by which the test bank always finds a reference.
const ALWAYS_FOUND: &str = "67890";

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<Verify, _, _>(PATH, try_out)]
}

/// True if a test payment can be tried on the account.
pub(super) fn is_open(linked: &Linked) -> bool {
    linked.is_test && linked.bank.is_some() && !linked.account.is_disabled
}

async fn try_out(
    State(state): State<AppState>,
    Posted { signed, form }: Posted<Verify>,
) -> Result<Response, NotTaken> {
    let listed = accounts(&state.app, &signed).await?;
    let found = listed.iter().find(|linked| is_open(linked));
    let bank = found.map(|linked| linked.account.id).ok_or(Refusal::UserBankNotFound)?;
    let mut random = [0; 4];
    state.app.ids.fill(&mut random);
    let number = u32::from_le_bytes(random) % 1_000_000;
    // Never without a digit before: leading zeros are no part of a reference.
    let reference = TypedReference::parse(&format!("1{number:06}{ALWAYS_FOUND}"));
    let reference = reference.map_err(|_| Refusal::UserBankNotFound)?;
    let query = Query::new(reference);
    let request = VerifyRequest { bank, query, source_name: None, reported_in: ReportedIn::Answer };
    let slot = form.slot(&signed.act);
    let answered = verify(&state.app, &signed.act, request, slot, render).await?;
    if let Some(first_report) = answered.first_report {
        first_report.delivered();
    }
    Ok(see("/app?first"))
}

/// Nothing is shown of it but that it was found.
fn render(_: &Confirmed) -> Vec<u8> {
    Vec::new()
}
