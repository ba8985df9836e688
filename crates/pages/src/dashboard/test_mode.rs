//! `POST /app/test-mode`: has a person's pages show the test bank's money, or real money again; and what pages say of test
//! money.
//!
//! A page is about one or about the other. What the other mode shows is not there, and the page of one such thing says
//! how to get to it.

use app::test_mode::TestMode;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Me, Operation};
use domain::ids::BankId;
use domain::refusal::Refusal;
use http::{StatusCode, Uri};
use web::cookies::set_test_mode;
use web::{AppState, Failure, Posted, Signed};

use super::frame::Frame;
use super::route::PageRoute;
use super::sign_in;
use crate::checkout::see;
use crate::page::of_template;

/// The form's path.
const PATH: &str = "/app/test-mode";

/// The value by which test mode is switched on.
const ON: &str = "test";

texts! {
    TestModeTexts {
        of_test: "Esto es de prueba", "This is a test";
        of_test_text: "Es del banco de prueba, así que no es dinero. Se ve solo en el modo de prueba.", "It belongs to the test bank, so it is not money. It is only visible in test mode.";
        to_test: "Pasar al modo de prueba", "Switch to test mode";
        of_live: "Esto no es de prueba", "This is not a test";
        of_live_text: "Es de una cuenta real. Para verlo, salga del modo de prueba.", "It belongs to a real account. To view it, exit test mode.";
        to_live: "Salir del modo de prueba", "Exit test mode";
    }
}

/// The page in place of one about something that the other mode shows.
#[derive(Template)]
#[template(path = "dashboard/test_mode.html")]
struct OtherModePage {
    f: Frame,
    title: &'static str,
    text: &'static str,
    button: &'static str,
    mode: &'static str,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<Me, _, _>(PATH, switch).takes(&["mode", "next"])]
}

async fn switch(State(state): State<AppState>, Posted { signed, form }: Posted<Me>) -> Response {
    let next = form.field("next");
    let next = sign_in::ours(&next);
    let mut response = see(if next.is_empty() { super::PREFIX } else { next });
    let session = signed.caller().session().filter(|_| form.field("mode") == ON);
    set_test_mode(response.headers_mut(), session, &state.app.settings.base_url);
    response
}

/// The page in place of one about something of the test bank, or not of it, where the other mode shows that.
pub(super) async fn instead<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    is_test: bool,
) -> Result<Option<Response>, Failure> {
    if signed.test_mode.shows(is_test) {
        return Ok(None);
    }
    let t = TestModeTexts::of(signed.language());
    let (title, text, button, mode) = match is_test {
        true => (t.of_test, t.of_test_text, t.to_test, ON),
        false => (t.of_live, t.of_live_text, t.to_live, ""),
    };
    let f = Frame::of(&state.app, signed, uri, title).await?;
    Ok(Some(of_template(&OtherModePage { f, title, text, button, mode }, StatusCode::OK)))
}

/// Refuses an account that a form names though its page does not offer it: one of the other mode.
pub(super) fn check_account(mode: &TestMode, bank: BankId) -> Result<(), Refusal> {
    let problem = match mode.is_test(bank) {
        is_test if mode.shows(is_test) => return Ok(()),
        true => (
            "Es una cuenta de prueba: pase primero al modo de prueba.",
            "This is a test account: switch to test mode first.",
        ),
        false => (
            "Es una cuenta real: salga primero del modo de prueba.",
            "This is a real account: exit test mode first.",
        ),
    };
    Err(Refusal::invalid("user_bank_id", problem))
}

/// The class of the stylesheet for something that is so, of test money or not: test money is never in the green of
/// money.
pub(super) fn class(class: &'static str, is_test: bool) -> &'static str {
    if is_test && class == "good" { "warn" } else { class }
}
