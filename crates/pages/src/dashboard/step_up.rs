//! What asks for a code before something that needs a proof: the form that was sent, to be sent again with it.

use askama::Template;
use axum::response::Response;
use domain::language::Language;
use http::StatusCode;
use web::{Again, FORM_TOKEN, STEP_UP_CODE};

use super::assets::ASSETS;
use super::form::{FormState, is_secret};
use super::texts::FrameTexts;
use crate::page::of_template;

texts! {
    StepUpTexts {
        title: "Confirme que es usted", "Confirm your identity";
        why: "Lo que pidió es delicado. Muestre un código de su segundo factor para seguir.", "This is a sensitive action. Enter a two-step verification code to continue.";
        wrong: "Ese código no es correcto, ya se usó o venció.", "That code is incorrect, has already been used or has expired.";
        go_on: "Seguir", "Continue";
        back: "No seguir", "Do not continue";
    }
}

#[derive(Template)]
#[template(path = "dashboard/step_up.html")]
struct StepUpPage<'a> {
    f: &'static FrameTexts,
    t: &'static StepUpTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    action: &'a str,
    /// What was typed, but for passwords, which are asked for once more.
    carried: Vec<(String, String)>,
    passwords: Vec<String>,
    /// The field of a file, which is chosen again.
    file: Option<&'a str>,
    form_token: &'a str,
    form: FormState,
}

/// The page that asks for a code.
pub(crate) fn asked(here: &str, again: Option<&Again>, language: Language) -> Response {
    let pairs = again.map(|again| again.form.pairs()).unwrap_or_default();
    let ours = |name: &str| name == FORM_TOKEN || name == STEP_UP_CODE;
    let (passwords, carried): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .filter(|(name, _)| !ours(name))
        .filter(|(name, _)| name.contains("password") || !is_secret(name))
        .partition(|(name, _)| name.contains("password"));
    let t = StepUpTexts::of(language);
    let is_wrong = again.is_some_and(|again| again.is_code_wrong);
    let form = FormState::default();
    let form = if is_wrong { form.with_problem(STEP_UP_CODE, t.wrong) } else { form };
    let page = StepUpPage {
        f: FrameTexts::of(language),
        t,
        css: &ASSETS.css,
        icon: &ASSETS.icon,
        title: t.title,
        action: here,
        carried,
        file: again.and_then(|again| again.form.file_field()),
        passwords: passwords.into_iter().map(|(name, _)| name).collect(),
        form_token: again
            .and_then(|again| again.form_token.as_ref())
            .map_or("", |token| token.expose()),
        form,
    };
    of_template(&page, StatusCode::FORBIDDEN)
}
