//! `GET` and `POST /app/forgotten`: a link for another password.

use app::Error;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{RequestPasswordReset, ViewSignIn};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use http::{HeaderMap, StatusCode};
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure, FormBody};

use super::assets::ASSETS;
use super::form::FormState;
use super::sign_in;
use super::texts::FrameTexts;
use crate::page::of_template;

/// The page's path.
pub(super) const PATH: &str = "/app/forgotten";

texts! {
    ForgottenTexts {
        title: "Otra contraseña", "Reset password";
        lead: "Escriba el correo con el que entra y le enviaremos un enlace para poner otra contraseña.", "Enter the email address you sign in with, and we will send you a link to set a new password.";
        email: "Correo", "Email";
        send: "Enviar enlace", "Send link";
        sent: "Si alguien entra con ese correo, el enlace ya va en camino. Sirve por una hora.", "If someone signs in with that email address, the link is on its way. It works for one hour.";
        wrong: "Eso no es un correo.", "That is not a valid email address. Check it and try again.";
        no_mail: "Este servicio no envía correos. Pídale otra contraseña a quien lo opera, o a quien la invitó.", "This service does not send email. To get a new password, ask the operator of the service or the person who invited you.";
        back: "Volver a entrar", "Back to sign in";
    }
}

#[derive(Template)]
#[template(path = "dashboard/forgotten.html")]
struct ForgottenPage {
    f: &'static FrameTexts,
    t: &'static ForgottenTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    path: &'static str,
    back: &'static str,
    has_mail: bool,
    is_sent: bool,
    form: FormState,
}

fn page(state: &AppState, language: Language) -> ForgottenPage {
    let t = ForgottenTexts::of(language);
    ForgottenPage {
        f: FrameTexts::of(language),
        t,
        css: &ASSETS.css,
        icon: &ASSETS.icon,
        title: t.title,
        path: PATH,
        back: sign_in::PATH,
        has_mail: state.app.mail.is_some(),
        is_sent: false,
        form: FormState::default(),
    }
}

pub(crate) async fn view(
    admitted: Admitted<ViewSignIn>,
    State(state): State<AppState>,
) -> Response {
    of_template(&page(&state, admitted.language()), StatusCode::OK)
}

pub(crate) async fn ask(
    admitted: Admitted<RequestPasswordReset>,
    State(state): State<AppState>,
    headers: HeaderMap,
    form: FormBody,
) -> Result<Response, Failure> {
    if is_from_elsewhere(&headers, &state.app.settings.base_url) {
        return Err(Refusal::Forbidden.into());
    }
    let page = page(&state, admitted.language());
    let Ok(email) = EmailAddress::parse(&form.field("email")) else {
        let form = FormState::default().with_problem("email", page.t.wrong);
        let page = ForgottenPage { form, ..page };
        return Ok(of_template(&page, StatusCode::UNPROCESSABLE_ENTITY));
    };
    match app::sessions::request_reset(&state.app, &admitted.0, email) {
        Ok(()) => Ok(of_template(&ForgottenPage { is_sent: true, ..page }, StatusCode::OK)),
        Err(Error::Refused(Refusal::MailNotConfigured)) => {
            Ok(of_template(&page, StatusCode::CONFLICT))
        }
        Err(error) => Err(error.into()),
    }
}
