//! `GET` and `POST /invitation/{token}`, and `GET /invitation/accepted`

use app::Error;
use app::employees::{Acceptance, EmployeeName, Invited, accept, look};
use app::passwords::check_new;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{AnswerInvitation, Operation, ViewInvitation};
use domain::invitation::InvitationToken;
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use http::{HeaderMap, StatusCode};
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure, FormBody, Glance};

use crate::assets::ASSETS;
use crate::checkout::see;
use crate::dashboard::sign_in::PATH;
use crate::invitation_texts::InvitationTexts;
use crate::message_page::answer_failure;
use crate::page::{Input, Notice, of_template};
use crate::said::Said;

/// Prefix of the paths of invitations.
pub(crate) const PREFIX: &str = "/invitation/";

/// How much of a name that was typed wrongly is shown again.
const SHOWN_AGAIN_MAX: usize = 120;

/// Everything that the template shows. What is absent is left out.
#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationPage {
    t: &'static InvitationTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    merchant: Option<String>,
    client: Option<String>,
    notice: Option<Notice>,
    form: Option<Form>,
}

/// Form that an invited person fills in.
struct Form {
    /// Where it is sent: the page's own address, which holds the secret of the invitation.
    action: String,
    email: String,
    name: Input,
    is_password_wrong: bool,
    is_again_wrong: bool,
}

/// Problems of what was typed, and the name to show again.
#[derive(Default)]
struct Retry {
    name: Option<Input>,
    is_password_wrong: bool,
    is_again_wrong: bool,
}

impl InvitationPage {
    /// A page that says this and nothing else.
    fn bare(language: Language, kind: &'static str, said: fn(&InvitationTexts) -> Said) -> Self {
        let t = InvitationTexts::of(language);
        Self {
            t,
            css: &ASSETS.css,
            icon: &ASSETS.icon,
            title: t.title,
            merchant: None,
            client: None,
            notice: Some(Notice::new(kind, said(t))),
            form: None,
        }
    }

    /// The form of an invitation.
    fn of(invited: Invited, token: &InvitationToken, retry: Retry, language: Language) -> Self {
        let name = Input { value: invited.name, ..Input::default() };
        let form = Form {
            action: format!("{PREFIX}{}", token.expose()),
            email: invited.email,
            name: retry.name.unwrap_or(name),
            is_password_wrong: retry.is_password_wrong,
            is_again_wrong: retry.is_again_wrong,
        };
        Self {
            merchant: Some(invited.merchant).filter(|name| !name.is_empty()),
            client: invited.client,
            notice: None,
            form: Some(form),
            ..Self::bare(language, "warn", |t| t.invalid)
        }
    }

    /// With a way on for a person who has chosen a password.
    fn leading_to_sign_in(self) -> Self {
        let notice = self.notice.map(|notice| notice.leading_to(PATH, self.t.sign_in));
        Self { notice, ..self }
    }

    fn answer(&self, status: StatusCode) -> Response {
        of_template(self, status)
    }
}

pub(crate) async fn view(
    admitted: Admitted<ViewInvitation>,
    State(state): State<AppState>,
    Path(token): Path<String>,
) -> Result<Response, Failure> {
    let language = admitted.language();
    let Some(token) = InvitationToken::parse(&token) else { return Ok(invalid(language)) };
    show(&state, &admitted, &token, Retry::default(), StatusCode::OK).await
}

/// The form of an invitation that can be accepted, or one page for all others.
async fn show<O: Operation>(
    state: &AppState,
    admitted: &Admitted<O>,
    token: &InvitationToken,
    retry: Retry,
    status: StatusCode,
) -> Result<Response, Failure> {
    let language = admitted.language();
    match look(&state.app, &admitted.0, token).await {
        Ok(invited) => Ok(InvitationPage::of(invited, token, retry, language).answer(status)),
        Err(Error::Refused(Refusal::InvitationInvalid)) => Ok(invalid(language)),
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn answer(
    admitted: Admitted<AnswerInvitation>,
    State(state): State<AppState>,
    Path(token): Path<String>,
    headers: HeaderMap,
    form: FormBody,
) -> Result<Response, Failure> {
    let language = admitted.language();
    if is_from_elsewhere(&headers, &state.app.settings.base_url) {
        return Err(Refusal::Forbidden.into());
    }
    let Some(token) = InvitationToken::parse(&token) else { return Ok(invalid(language)) };
    let acceptance = match read(&form) {
        Ok(acceptance) => acceptance,
        Err(retry) => {
            return show(&state, &admitted, &token, retry, StatusCode::UNPROCESSABLE_ENTITY).await;
        }
    };
    match accept(&state.app, &admitted.0, &token, acceptance).await {
        Ok(()) => Ok(see(&format!("{PREFIX}accepted"))),
        Err(Error::Refused(Refusal::InvitationInvalid)) => Ok(invalid(language)),
        Err(Error::Refused(Refusal::EmailTaken)) => {
            let page = InvitationPage::bare(language, "warn", |t| t.taken);
            Ok(page.answer(StatusCode::CONFLICT))
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads what was typed, or what is wrong with it. Passwords are not shown again.
fn read(form: &FormBody) -> Result<Acceptance, Retry> {
    let typed = form.field("name");
    let name = EmployeeName::parse(&typed);
    let (password, again) = (form.secret("password"), form.secret("again"));
    let is_long_enough = check_new("password", &password).is_ok();
    match name {
        Ok(name) if is_long_enough && password == again => {
            Ok(Acceptance { name: Some(name), password })
        }
        name => {
            let value = typed.chars().take(SHOWN_AGAIN_MAX).collect();
            Err(Retry {
                name: Some(Input { value, is_wrong: name.is_err(), ..Input::default() }),
                is_password_wrong: !is_long_enough,
                is_again_wrong: is_long_enough && password != again,
            })
        }
    }
}

/// Says that an invitation was accepted: loading it again sends nothing again.
pub(crate) async fn accepted(admitted: Admitted<ViewInvitation>) -> Response {
    let page = InvitationPage::bare(admitted.language(), "good", |t| t.accepted);
    page.leading_to_sign_in().answer(StatusCode::OK)
}

/// The page about an invitation that never was, was used or is over. It does not say which.
fn invalid(language: Language) -> Response {
    let page = InvitationPage::bare(language, "warn", |t| t.invalid);
    page.leading_to_sign_in().answer(StatusCode::NOT_FOUND)
}

/// The page about whatever went wrong before an invitation was looked at.
pub(crate) fn of_failure(glance: &Glance, language: Language) -> Response {
    let page = match glance.code {
        Code::NotFound | Code::BadRequest => return invalid(language),
        Code::MethodNotSupport => InvitationPage::bare(language, "warn", |t| t.wrong_method),
        Code::Forbidden => InvitationPage::bare(language, "warn", |t| t.elsewhere),
        Code::RequestLimitReached => InvitationPage::bare(language, "warn", |t| t.too_many),
        _ => InvitationPage::bare(language, "bad", |t| t.broken),
    };
    answer_failure(glance, |status| page.answer(status))
}
