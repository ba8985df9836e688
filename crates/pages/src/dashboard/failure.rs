//! What a person who uses the dashboard sees of a request that was not admitted, or went wrong.

use askama::Template;
use axum::response::Response;
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use http::{Method, StatusCode, Uri};
use web::{Again, Failure, Glance};

use super::again::{given_back, has_typed};
use super::assets::ASSETS;
use super::said::to_people;
use super::texts::FrameTexts;
use super::{sign_in, step_up};
use crate::message_page::answer_failure;
use crate::page::of_template;

texts! {
    FailureTexts {
        not_found: "Esta página no existe", "This page does not exist";
        not_found_text: "La dirección está mal escrita, o lo que mostraba ya no está a su alcance.", "The address is wrong, or you no longer have access to what it showed.";
        forbidden: "No se hizo", "Nothing was done";
        out_of_reach: "No está a su alcance", "You do not have access";
        elsewhere: "El formulario venció o no vino de esta página. Vuelva, cargue la página otra vez y repita.", "The form has expired or was not sent from this page. Go back, refresh the page and try again.";
        over_title: "Falta enviarlo otra vez", "Send this form again";
        over: "El formulario venció: la página se abrió en otra sesión, así que este envío no hizo nada. Si usted llenó el formulario, mire que esté bien y envíelo otra vez.", "The form expired because its page was opened in another session, so this submission did nothing. If you filled in this form, check that it is correct and send it again.";
        over_pressed: "El formulario venció: la página se abrió en otra sesión, así que este envío no hizo nada. Si fue usted quien lo pidió, envíelo otra vez.", "The form expired because its page was opened in another session, so this submission did nothing. If you requested this action, send it again.";
        over_once: "Si ya lo había enviado y no vio la respuesta, envíelo igual: no se hace dos veces, y se le muestra lo que salió de eso.", "If you had already sent it and did not see the response, send it anyway: it is not done twice, and you will see the result.";
        later: "No se pudo por ahora", "Not possible right now";
        wait: "Lo que escribió no se perdió: espere un poco y envíelo otra vez.", "Your entries are not lost: wait a moment and send them again.";
        broken: "Algo falló de nuestro lado", "Something went wrong on our side";
        home: "Ir al inicio", "Go to home";
    }
}

/// A page that says why there is no other.
#[derive(Template)]
#[template(path = "dashboard/failure.html")]
struct FailurePage {
    f: &'static FrameTexts,
    t: &'static FailureTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    text: String,
}

/// The page about a request of the dashboard that was not admitted, or went wrong.
pub(crate) fn of_failure(
    glance: &Glance,
    (failure, again): (Option<&Failure>, Option<Again>),
    (method, uri): (&Method, &Uri),
    language: Language,
) -> Response {
    let here = uri.path_and_query().map_or(super::PREFIX, |path| path.as_str());
    match glance.code {
        Code::Unauthorized => sign_in::asked(method, here, again.as_ref(), language),
        Code::StepUpRequired => step_up::asked(here, again.as_ref(), language),
        _ => answer_failure(glance, |status| {
            let why = (glance.code, failure, again);
            page(why, (method, here), (status, language))
        }),
    }
}

/// The page that says why, or gives the form back that was not taken.
fn page(
    (code, failure, again): (Code, Option<&Failure>, Option<Again>),
    (method, here): (&Method, &str),
    (status, language): (StatusCode, Language),
) -> Response {
    let t = FailureTexts::of(language);
    let message = || failure.map_or_else(String::new, |failure| failure.message(language));
    let said = || to_people(code, &message(), language);
    // The table says more exactly whom it does not have.
    let is_elsewhere = matches!(failure.and_then(Failure::refusal), Some(Refusal::Forbidden));
    let (title, text) = match code {
        Code::NotFound | Code::MethodNotSupport => (t.not_found, t.not_found_text.to_owned()),
        _ if is_elsewhere => (t.forbidden, t.elsewhere.to_owned()),
        Code::InternalServerError => (t.broken, said()),
        _ if method == Method::GET => (t.out_of_reach, said()),
        _ => (t.forbidden, said()),
    };
    let is_for_now = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    // A form of another session may be somebody else's: where nothing in it shows what it would do, it is not given
    // back. One that makes something is, to whom its page was made for: its answer may be lost, and sent again it leads
    // to what it made.
    let is_shown = |again: &Again| has_typed(here, again) || again.is_repeatable;
    let is_given_back = |again: &Again| is_for_now || (is_elsewhere && is_shown(again));
    if let Some(again) = again.filter(is_given_back) {
        let why = match is_elsewhere {
            true => (t.over_title, over(t, here, &again)),
            false => (t.later, format!("{text} {}", t.wait)),
        };
        return given_back((why.0, &why.1), here, &again, (status, language));
    }
    let (css, icon) = (&*ASSETS.css, &*ASSETS.icon);
    let page = FailurePage { f: FrameTexts::of(language), t, css, icon, title, text };
    of_template(&page, status)
}

/// The reason why a form of a page of another session was not taken, and what to do.
fn over(t: &FailureTexts, here: &str, again: &Again) -> String {
    let over = if has_typed(here, again) { t.over } else { t.over_pressed };
    if again.is_repeatable { format!("{over} {}", t.over_once) } else { over.to_owned() }
}
