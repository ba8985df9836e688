//! `GET` and `POST /password-reset/{token}`, and `GET /password-reset/done`

use app::Error;
use app::passwords::check_new;
use app::sessions::{look_at_reset, reset_password};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{AnswerPasswordReset, Operation, ViewPasswordReset};
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use domain::reset::ResetToken;
use domain::secret::SecretText;
use http::{HeaderMap, StatusCode};
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure, FormBody, Glance};

use crate::assets::ASSETS;
use crate::checkout::see;
use crate::dashboard::sign_in::PATH;
use crate::message_page::answer_failure;
use crate::page::{Notice, of_template};
use crate::password_reset_texts::PasswordResetTexts;
use crate::said::Said;

/// Prefix of the paths of links for another password.
pub(crate) const PREFIX: &str = "/password-reset/";

/// Everything that the template shows. What is absent is left out.
#[derive(Template)]
#[template(path = "password_reset.html")]
struct PasswordResetPage {
    t: &'static PasswordResetTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    notice: Option<Notice>,
    form: Option<Form>,
}

/// Form that a person who has a link fills in.
struct Form {
    /// Where it is sent: the page's own address, which holds the secret of the link.
    action: String,
    email: String,
    is_password_wrong: bool,
    is_again_wrong: bool,
}

/// Problems of what was typed.
#[derive(Default)]
struct Retry {
    is_password_wrong: bool,
    is_again_wrong: bool,
}

impl PasswordResetPage {
    /// A page that says this and nothing else.
    fn bare(language: Language, kind: &'static str, said: fn(&PasswordResetTexts) -> Said) -> Self {
        let t = PasswordResetTexts::of(language);
        let notice = Some(Notice::new(kind, said(t)));
        Self { t, css: &ASSETS.css, icon: &ASSETS.icon, title: t.title, notice, form: None }
    }

    /// The form of a link.
    fn of(email: String, token: &ResetToken, retry: &Retry, language: Language) -> Self {
        let form = Form {
            action: format!("{PREFIX}{}", token.expose()),
            email,
            is_password_wrong: retry.is_password_wrong,
            is_again_wrong: retry.is_again_wrong,
        };
        Self { notice: None, form: Some(form), ..Self::bare(language, "warn", |t| t.invalid) }
    }

    fn answer(&self, status: StatusCode) -> Response {
        of_template(self, status)
    }
}

pub(crate) async fn view(
    admitted: Admitted<ViewPasswordReset>,
    State(state): State<AppState>,
    Path(token): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Some(token) = ResetToken::parse(&token) else { return Ok(invalid(language)) };
    show(&state, &admitted, &token, &Retry::default(), StatusCode::OK).await
}

/// The form of a link that is good, or one page for all others.
async fn show<O: Operation>(
    state: &AppState,
    admitted: &Admitted<O>,
    token: &ResetToken,
    retry: &Retry,
    status: StatusCode,
) -> Result<Response, Failure> {
    let language = admitted.language();
    match look_at_reset(&state.app, &admitted.0, token).await {
        Ok(email) => Ok(PasswordResetPage::of(email, token, retry, language).answer(status)),
        Err(Error::Refused(Refusal::ResetInvalid)) => Ok(invalid(language)),
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn answer(
    admitted: Admitted<AnswerPasswordReset>,
    State(state): State<AppState>,
    Path(token): Path<String>,
    headers: HeaderMap,
    form: FormBody,
) -> Result<Response, Failure> {
    let language = admitted.language();
    if is_from_elsewhere(&headers, &state.app.settings.base_url) {
        return Err(Refusal::Forbidden.into());
    }
    let Some(token) = ResetToken::parse(&token) else { return Ok(invalid(language)) };
    let password = match read(&form) {
        Ok(password) => password,
        Err(retry) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return show(&state, &admitted, &token, &retry, status).await;
        }
    };
    match reset_password(&state.app, &admitted.0, &token, password).await {
        Ok(_) => Ok(see(&format!("{PREFIX}done"))),
        Err(Error::Refused(Refusal::ResetInvalid)) => Ok(invalid(language)),
        Err(error) => Err(error.into()),
    }
}

/// The password that was typed, or what is wrong with it. It is not shown again.
fn read(form: &FormBody) -> Result<SecretText, Retry> {
    let (password, again) = (form.secret("password"), form.secret("again"));
    let is_long_enough = check_new("password", &password).is_ok();
    if is_long_enough && password == again {
        return Ok(password);
    }
    Err(Retry { is_password_wrong: !is_long_enough, is_again_wrong: is_long_enough })
}

/// Says that the password was set: loading it again sends nothing again.
pub(crate) async fn done(admitted: Admitted<ViewPasswordReset>) -> Response {
    let mut page = PasswordResetPage::bare(admitted.language(), "good", |t| t.done);
    // There is listed what was issued lately: whoever knew the former password may have left it.
    let next = format!("{PATH}?next=/app/me");
    page.notice = page.notice.map(|notice| notice.leading_to(&next, page.t.sign_in));
    page.answer(StatusCode::OK)
}

/// The page about a link that never was, was used or is over. It does not say which.
fn invalid(language: Language) -> Response {
    PasswordResetPage::bare(language, "warn", |t| t.invalid).answer(StatusCode::NOT_FOUND)
}

/// The page about whatever went wrong before a link was looked at.
pub(crate) fn of_failure(glance: &Glance, language: Language) -> Response {
    let page = match glance.code {
        Code::NotFound | Code::BadRequest => return invalid(language),
        Code::MethodNotSupport => PasswordResetPage::bare(language, "warn", |t| t.wrong_method),
        Code::Forbidden => PasswordResetPage::bare(language, "warn", |t| t.elsewhere),
        Code::RequestLimitReached => PasswordResetPage::bare(language, "warn", |t| t.too_many),
        _ => PasswordResetPage::bare(language, "bad", |t| t.broken),
    };
    answer_failure(glance, |status| page.answer(status))
}
