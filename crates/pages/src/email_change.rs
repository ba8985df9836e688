//! `GET` and `POST /email-change/{token}`, and `GET /email-change/done`

use app::Error;
use app::sessions::{WantedEmail, confirm_email, look_at_email};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{AnswerEmailChange, ViewEmailChange};
use domain::email_change::EmailChangeToken;
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use http::{HeaderMap, StatusCode};
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure, Glance};

use crate::assets::ASSETS;
use crate::checkout::see;
use crate::email_change_texts::EmailChangeTexts;
use crate::message_page::answer_failure;
use crate::page::{Notice, of_template};
use crate::said::Said;

/// Prefix of the paths of links for another address.
pub(crate) const PREFIX: &str = "/email-change/";

/// Everything that the template shows. What is absent is left out.
#[derive(Template)]
#[template(path = "email_change.html")]
struct EmailChangePage {
    t: &'static EmailChangeTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    notice: Option<Notice>,
    form: Option<Form>,
}

/// Form by which a person who has a link confirms.
struct Form {
    /// Where it is sent: the page's own address, which holds the secret of the link.
    action: String,
    email: String,
    /// Whose affairs the account is about; empty where the merchant has no name.
    merchant: String,
}

impl EmailChangePage {
    /// A page that says this and nothing else.
    fn bare(language: Language, kind: &'static str, said: fn(&EmailChangeTexts) -> Said) -> Self {
        let t = EmailChangeTexts::of(language);
        let notice = Some(Notice::new(kind, said(t)));
        Self { t, css: &ASSETS.css, icon: &ASSETS.icon, title: t.title, notice, form: None }
    }

    /// The form of a link.
    fn of(wanted: WantedEmail, token: &EmailChangeToken, language: Language) -> Self {
        let WantedEmail { email, merchant } = wanted;
        let form = Form { action: format!("{PREFIX}{}", token.expose()), email, merchant };
        Self { notice: None, form: Some(form), ..Self::bare(language, "warn", |t| t.invalid) }
    }

    fn answer(&self, status: StatusCode) -> Response {
        of_template(self, status)
    }
}

/// Shows the form: previews of mail open addresses, so that looking changes nothing.
pub(crate) async fn view(
    admitted: Admitted<ViewEmailChange>,
    State(state): State<AppState>,
    Path(token): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Some(token) = EmailChangeToken::parse(&token) else { return Ok(invalid(language)) };
    match look_at_email(&state.app, &admitted.0, &token).await {
        Ok(wanted) => Ok(EmailChangePage::of(wanted, &token, language).answer(StatusCode::OK)),
        Err(Error::Refused(Refusal::EmailChangeInvalid)) => Ok(invalid(language)),
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn answer(
    admitted: Admitted<AnswerEmailChange>,
    State(state): State<AppState>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let language = admitted.language();
    if is_from_elsewhere(&headers, &state.app.settings.base_url) {
        return Err(Refusal::Forbidden.into());
    }
    let Some(token) = EmailChangeToken::parse(&token) else { return Ok(invalid(language)) };
    match confirm_email(&state.app, &admitted.0, &token).await {
        Ok(()) => Ok(see(&format!("{PREFIX}done"))),
        Err(Error::Refused(Refusal::EmailChangeInvalid)) => Ok(invalid(language)),
        Err(Error::Refused(Refusal::EmailTaken)) => {
            let page = EmailChangePage::bare(language, "warn", |t| t.taken);
            Ok(page.answer(StatusCode::CONFLICT))
        }
        Err(error) => Err(error.into()),
    }
}

/// Says that the address was changed: loading it again sends nothing again.
pub(crate) async fn done(admitted: Admitted<ViewEmailChange>) -> Response {
    EmailChangePage::bare(admitted.language(), "good", |t| t.done).answer(StatusCode::OK)
}

/// The page about a link that never was, was used or is over. It does not say which.
fn invalid(language: Language) -> Response {
    EmailChangePage::bare(language, "warn", |t| t.invalid).answer(StatusCode::NOT_FOUND)
}

/// The page about whatever went wrong before a link was looked at.
pub(crate) fn of_failure(glance: &Glance, language: Language) -> Response {
    let page = match glance.code {
        Code::NotFound | Code::BadRequest => return invalid(language),
        Code::MethodNotSupport => EmailChangePage::bare(language, "warn", |t| t.wrong_method),
        Code::Forbidden => EmailChangePage::bare(language, "warn", |t| t.elsewhere),
        Code::RequestLimitReached => EmailChangePage::bare(language, "warn", |t| t.too_many),
        _ => EmailChangePage::bare(language, "bad", |t| t.broken),
    };
    answer_failure(glance, |status| page.answer(status))
}
