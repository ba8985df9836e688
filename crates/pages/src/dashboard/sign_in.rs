//! `GET` and `POST /app/sign-in`, and `GET /`, which leads to the dashboard.

use std::time::Duration;

use app::sessions::{Credentials, is_wrong};
use app::{Act, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Login, ViewSignIn};
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use domain::session_cookie::SessionCookie;
use http::{HeaderMap, Method, StatusCode, Uri};
use web::cookies::set_session;
use web::origin::is_from_elsewhere;
use web::rate_limit::TooMany;
use web::{Admitted, Again, AppState, Failure, FormBody, Uncounted};

use super::assets::ASSETS;
use super::carried::Carried;
use super::form::FormState;
use super::said::to_people;
use super::texts::FrameTexts;
use crate::checkout::see;
use crate::message_page::set_wait;
use crate::page::of_template;
use crate::written::encoded;

/// The page's path.
pub(crate) const PATH: &str = "/app/sign-in";

/// How much of an address that was typed is shown again.
const EMAIL_SHOWN_MAX: usize = 254;

/// The longest address to come back to.
const NEXT_LEN_MAX: usize = 1_024;

texts! {
    SignInTexts {
        title: "Entrar", "Sign in";
        email: "Correo", "Email";
        password: "Contraseña", "Password";
        code: "Código", "Code";
        sign_in: "Entrar", "Sign in";
        wrong: "El correo o la contraseña no son correctos.", "The email or the password is incorrect.";
        code_needed: "Su cuenta tiene un segundo factor. Escriba la contraseña otra vez y el código.", "Your account uses two-step verification. Enter your password again and the code.";
        ended: "Su sesión terminó. Entre otra vez para seguir donde estaba.", "Your session has ended. Sign in again to continue where you were.";
        file_lost: "El archivo que eligió no se guardó: lo elige otra vez después de entrar.", "The file you chose was not saved. Choose it again after you sign in.";
        forgotten: "¿Olvidó la contraseña?", "Forgot your password?";
    }
}

#[derive(Template)]
#[template(path = "dashboard/sign_in.html")]
struct SignInPage<'a> {
    f: &'static FrameTexts,
    t: &'static SignInTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    path: &'static str,
    forgotten: &'static str,
    /// Where another language is chosen.
    languages: &'static str,
    notice: Option<String>,
    /// Whether the notice is of a mistake, and not of what is to be done next.
    is_mistaken: bool,
    form: FormState,
    /// Where to go then.
    next: &'a str,
    /// A form that waits, whose session had ended.
    carried: Carried,
    asks_code: bool,
}

impl<'a> SignInPage<'a> {
    fn new(next: &'a str, language: Language) -> Self {
        let t = SignInTexts::of(language);
        Self {
            f: FrameTexts::of(language),
            t,
            css: &ASSETS.css,
            icon: &ASSETS.icon,
            title: t.title,
            path: PATH,
            forgotten: super::forgotten::PATH,
            notice: None,
            is_mistaken: false,
            form: FormState::default(),
            next,
            carried: Carried::default(),
            languages: super::language::PATH,
            asks_code: false,
        }
    }

    /// Keeps what was typed.
    fn keep(&mut self, email: &str, carried: Carried) {
        let shown: String = email.chars().take(EMAIL_SHOWN_MAX).collect();
        self.form = FormState::with(&[("email", &shown)]);
        self.carried = carried;
    }

    fn answer(&self, status: StatusCode) -> Response {
        of_template(self, status)
    }
}

/// Leads a person who opens the service's address to the dashboard.
pub(crate) async fn lead(_: Admitted<ViewSignIn>) -> Response {
    see(super::PREFIX)
}

pub(crate) async fn view(admitted: Admitted<ViewSignIn>, uri: Uri) -> Response {
    let next = web::query::find(&uri, "next").unwrap_or_default();
    SignInPage::new(ours(&next), admitted.language()).answer(StatusCode::OK)
}

/// The page for a person who is not signed in: the address that was asked for waits, and so does what was typed.
pub(crate) fn asked(
    method: &Method,
    here: &str,
    again: Option<&Again>,
    language: Language,
) -> Response {
    if method == Method::GET {
        let next =
            if here == super::PREFIX { String::new() } else { format!("?next={}", encoded(here)) };
        return see(&format!("{PATH}{next}"));
    }
    let mut page = SignInPage::new(ours(here), language);
    page.carried = Carried::of_sent(again);
    page.notice = Some(page.t.ended.to_owned());
    page.answer(StatusCode::UNAUTHORIZED)
}

/// The page once more with what was typed, as in another language. A password is typed again.
pub(super) fn once_more(form: &FormBody, language: Language) -> Response {
    let next = form.field("next");
    let mut page = SignInPage::new(ours(&next), language);
    page.keep(&form.field("email"), Carried::of(form));
    page.asks_code = form.has("code");
    page.notice = (!page.carried.is_empty()).then(|| page.t.ended.to_owned());
    page.answer(StatusCode::OK)
}

pub(crate) async fn sign_in(
    Uncounted(act): Uncounted<Login>,
    State(state): State<AppState>,
    headers: HeaderMap,
    form: FormBody,
) -> Result<Response, Failure> {
    let base_url = &state.app.settings.base_url;
    if is_from_elsewhere(&headers, base_url) {
        return Err(Refusal::Forbidden.into());
    }
    let language = act.request.language;
    let code = Some(form.secret("code")).filter(|code| !code.expose().trim().is_empty());
    let credentials =
        Credentials { email: form.field("email"), password: form.secret("password"), code };
    let opened = open_session(&state, &act, &credentials).await;
    let next = form.field("next");
    let next = ours(&next);
    let carried = Carried::of(&form);
    let cookie = match opened {
        Ok(cookie) => cookie,
        Err(Error::Refused(refusal)) => {
            let mut page = SignInPage::new(next, language);
            page.keep(&credentials.email, carried);
            return Ok(refused(page, &refusal, credentials.code.is_some(), language));
        }
        Err(error) => return Err(error.into()),
    };
    let token = cookie.form_token();
    let mut response = if carried.is_empty() {
        see(if next.is_empty() { super::PREFIX } else { next })
    } else {
        carried.go_on(next, token.expose(), language)
    };
    set_session(response.headers_mut(), &cookie, base_url);
    Ok(response)
}

/// Opens a session, unless that was tried too often.
async fn open_session(
    state: &AppState,
    act: &Act<Login>,
    credentials: &Credentials,
) -> Result<SessionCookie, Error> {
    let begun = state.begin_sign_in(&act.request, Some(&credentials.email));
    let sign_in = begun.map_err(|TooMany { retry_after_s, .. }| Refusal::TooManyRequests {
        retry_after: Duration::from_secs(retry_after_s),
    })?;
    let opened = app::sessions::sign_in(&state.app, act, credentials).await;
    if let Some(sign_in) = sign_in {
        let was_wrong = matches!(&opened, Err(Error::Refused(refusal)) if is_wrong(refusal));
        state.end_sign_in(sign_in, was_wrong, act.now);
    }
    opened
}

/// The form again, and why.
fn refused(
    mut page: SignInPage<'_>,
    refusal: &Refusal,
    had_code: bool,
    language: Language,
) -> Response {
    let code = refusal.code();
    page.asks_code = had_code || code == Code::SecondFactorRequired;
    page.is_mistaken = had_code || code != Code::SecondFactorRequired;
    page.notice = Some(match code {
        Code::SecondFactorRequired if !had_code => page.t.code_needed.to_owned(),
        Code::Unauthorized if matches!(refusal, Refusal::LoginFailed) => page.t.wrong.to_owned(),
        _ => to_people(refusal.code(), &refusal.message(language), language),
    });
    let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::UNAUTHORIZED);
    let mut response = page.answer(status);
    if let Some(wait) = refusal.retry_after() {
        set_wait(&mut response, wait);
    }
    response
}

/// An address of the dashboard's own to go to, or nothing: nobody is led elsewhere by a link to this page.
pub(super) fn ours(next: &str) -> &str {
    let is_page = next == super::PREFIX || next.starts_with("/app/") || next.starts_with("/app?");
    let is_plain = next.len() <= NEXT_LEN_MAX
        && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
        && !next.starts_with(PATH);
    if is_page && is_plain { next } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_out_of_the_dashboard() {
        for next in ["/app", "/app/keys", "/app/keys?page=2&q=a%20b", "/app?x=1"] {
            assert_eq!(ours(next), next);
        }
        let elsewhere = [
            "",
            "/",
            "//evil.example",
            "/\\evil.example",
            "/app\\x",
            "https://evil.example/app",
            "/application",
            "/app/sign-in",
            "/app/ x",
            "/app/\n",
            "javascript:alert(1)",
            "/pay/x",
        ];
        for next in elsewhere {
            assert_eq!(ours(next), "", "{next}");
        }
        assert_eq!(ours(&format!("/app/{}", "x".repeat(NEXT_LEN_MAX))), "");
    }
}
