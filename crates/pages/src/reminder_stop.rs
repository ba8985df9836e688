//! `GET` and `POST /recordatorios/{address}`: whoever is reminded by mail of a subscription stops that, by one press.

use app::Error;
use app::subscriptions::{ReminderStop, stop_reminder_mail, view_reminder_stop};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{StopReminderMail, ViewReminderStop};
use domain::language::Language;
use domain::mail::STOP_PATH;
use domain::refusal::{Code, Refusal};
use domain::subscriptions::StopAddress;
use http::StatusCode;
use web::{Admitted, AppState, Failure, FormBody, Glance};

use crate::assets::ASSETS;
use crate::checkout::see;
use crate::message_page::answer_failure;
use crate::page::{Notice, of_template};
use crate::reminder_stop_texts::ReminderStopTexts;
use crate::said::Said;

/// Prefix of the paths of pages that stop reminders.
pub(crate) const PREFIX: &str = STOP_PATH;

/// Field of the form that programs of mail send for whoever presses their button (RFC 8058), and its value.
const ONE_PRESS: (&str, &str) = ("List-Unsubscribe", "One-Click");

/// Everything that the template shows. What is absent is left out.
#[derive(Template)]
#[template(path = "reminder_stop.html")]
struct ReminderStopPage {
    t: &'static ReminderStopTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    notice: Option<Notice>,
    form: Option<Form>,
}

/// Form by which reminders are stopped.
struct Form {
    /// Where it is sent: the page's own address.
    action: String,
    /// The merchant that has them sent; empty where it has no name.
    merchant: String,
}

impl ReminderStopPage {
    /// A page that says this and nothing else.
    fn bare(language: Language, kind: &'static str, said: fn(&ReminderStopTexts) -> Said) -> Self {
        let t = ReminderStopTexts::of(language);
        let notice = Some(Notice::new(kind, said(t)));
        Self { t, css: &ASSETS.css, icon: &ASSETS.icon, title: t.title, notice, form: None }
    }

    /// The form of an address whose reminders go on.
    fn of(stop: ReminderStop, address: StopAddress, language: Language) -> Self {
        let form = Form { action: format!("{PREFIX}{address}"), merchant: stop.merchant };
        Self { notice: None, form: Some(form), ..Self::bare(language, "warn", |t| t.unknown) }
    }

    fn answer(&self, status: StatusCode) -> Response {
        of_template(self, status)
    }
}

/// Shows the button: programs of mail open addresses before anybody does, so that looking changes nothing.
pub(crate) async fn view(
    admitted: Admitted<ViewReminderStop>,
    State(state): State<AppState>,
    Path(address): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(address) = address.parse::<StopAddress>() else { return Ok(unknown(language)) };
    match view_reminder_stop(&state.app, &admitted.0, address).await {
        Ok(stop) if stop.is_stopped => Ok(stopped(language)),
        Ok(stop) => Ok(ReminderStopPage::of(stop, address, language).answer(StatusCode::OK)),
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(unknown(language)),
        Err(error) => Err(error.into()),
    }
}

/// Stops them, from whatever page that is asked for: who knows the address got one. A program of mail is answered at once,
/// since it follows no other address, and sends a form that no page of ours sends; a browser is led to the page, which says
/// so when it is loaded again, too.
pub(crate) async fn stop(
    admitted: Admitted<StopReminderMail>,
    State(state): State<AppState>,
    Path(address): Path<String>,
    form: Result<FormBody, Failure>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Ok(address) = address.parse::<StopAddress>() else { return Ok(unknown(language)) };
    let is_of_our_page = form.is_ok_and(|form| form.field(ONE_PRESS.0) != ONE_PRESS.1);
    match stop_reminder_mail(&state.app, &admitted.0, address).await {
        Ok(()) if is_of_our_page => Ok(see(&format!("{PREFIX}{address}"))),
        Ok(()) => Ok(stopped(language)),
        Err(Error::Refused(Refusal::NotFound(_))) => Ok(unknown(language)),
        Err(error) => Err(error.into()),
    }
}

fn stopped(language: Language) -> Response {
    ReminderStopPage::bare(language, "good", |t| t.stopped).answer(StatusCode::OK)
}

/// The page about an address that stops nothing.
fn unknown(language: Language) -> Response {
    ReminderStopPage::bare(language, "warn", |t| t.unknown).answer(StatusCode::NOT_FOUND)
}

/// The page about whatever went wrong before an address was looked at.
pub(crate) fn of_failure(glance: &Glance, language: Language) -> Response {
    let page = match glance.code {
        Code::NotFound | Code::BadRequest => return unknown(language),
        Code::MethodNotSupport => ReminderStopPage::bare(language, "warn", |t| t.wrong_method),
        Code::RequestLimitReached => ReminderStopPage::bare(language, "warn", |t| t.too_many),
        _ => ReminderStopPage::bare(language, "bad", |t| t.broken),
    };
    answer_failure(glance, |status| page.answer(status))
}
