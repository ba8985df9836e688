//! What was typed, given back: a form that was not taken, for no fault of what stands in it, is sent again by one press.

use askama::Template;
use axum::response::Response;
use domain::language::Language;
use http::{Method, StatusCode};
use web::{Again, FORM_TOKEN, OF_PROOF, is_secret};

use super::assets::ASSETS;
use super::form::FormState;
use super::texts::FrameTexts;
use crate::page::of_template;

texts! {
    AgainTexts {
        typed: "Lo que escribió", "Details you entered";
        retype: "Por seguridad, esto se escribe otra vez.", "For your security, enter this again.";
        current_password: "Contraseña actual", "Current password";
        new_password: "Contraseña nueva", "New password";
        secret: "Clave o dato secreto", "Key or secret";
        send: "Enviar otra vez", "Send again";
        home: "No enviar e ir al inicio", "Go to home without sending";
    }
}

#[derive(Template)]
#[template(path = "dashboard/again.html")]
struct AgainPage<'a> {
    f: &'static FrameTexts,
    t: &'static AgainTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    why: &'a str,
    action: &'a str,
    form: FormState,
    form_token: &'a str,
    carried: Vec<(String, String)>,
    /// What people have typed, and what its field is called. What is chosen or known has no label, and is carried along.
    typed: Vec<(&'static str, String)>,
    retyped: Vec<Retyped>,
    /// The field of a file, which is chosen again.
    file: Option<&'a str>,
}

/// A secret: it is never sent back.
pub(super) struct Retyped {
    pub(super) name: String,
    pub(super) label: &'static str,
    pub(super) is_code: bool,
}

impl Retyped {
    /// The field of that name, which is typed once more.
    pub(super) fn of(name: String, language: Language) -> Self {
        let (f, t) = (FrameTexts::of(language), AgainTexts::of(language));
        let label = match &*name {
            "current_password" => t.current_password,
            "new_password" => t.new_password,
            "password" => f.password,
            "code" => f.code,
            _ => t.secret,
        };
        Self { is_code: name == "code", name, label }
    }
}

/// The page that gives a form back, and says why it was not taken.
pub(crate) fn given_back(
    (title, why): (&'static str, &str),
    here: &str,
    again: &Again,
    (status, language): (StatusCode, Language),
) -> Response {
    let (f, t) = (FrameTexts::of(language), AgainTexts::of(language));
    let pairs = again.form.pairs().into_iter();
    let pairs = pairs.filter(|(name, _)| name != FORM_TOKEN && !OF_PROOF.contains(&name.as_str()));
    // Nothing was typed into a secret that is empty.
    let (secrets, carried): (Vec<_>, Vec<_>) =
        pairs.partition(|(name, value)| is_secret(name) && !value.is_empty());
    let page = AgainPage {
        f,
        t,
        css: &ASSETS.css,
        icon: &ASSETS.icon,
        title,
        why,
        action: here,
        form: FormState::default(),
        form_token: again.form_token.as_ref().map_or("", |token| token.expose()),
        typed: typed(here, &carried, language),
        carried,
        file: again.form.file_field(),
        retyped: secrets.into_iter().map(|(name, _)| Retyped::of(name, language)).collect(),
    };
    of_template(&page, status)
}

/// The texts that people have typed into those fields of the form at that address, and what each is called. What is chosen or known
/// has no label.
pub(super) fn typed(
    here: &str,
    pairs: &[(String, String)],
    language: Language,
) -> Vec<(&'static str, String)> {
    let labels = labels(here, language);
    let typed = pairs.iter().filter(|(_, value)| !value.is_empty());
    typed.filter_map(|(name, value)| Some((label(&labels, name)?, value.clone()))).collect()
}

/// Tells whether something was typed into the form, which the page that gives it back shows.
pub(super) fn has_typed(here: &str, again: &Again) -> bool {
    let labels = labels(here, Language::Es);
    let is_typed = |(name, value): &(String, String)| {
        !value.is_empty() && (is_secret(name) || label(&labels, name).is_some())
    };
    again.form.file_field().is_some() || again.form.pairs().iter().any(is_typed)
}

/// Returns what the fields of the form at that address are called.
fn labels(here: &str, language: Language) -> Vec<(&'static str, &'static str)> {
    let path = here.split('?').next().unwrap_or_default();
    let routes = super::routes();
    let form = routes.iter().find(|route| route.method == Method::POST && route.is_at(path));
    form.map(|form| form.labels(language)).unwrap_or_default()
}

fn label(labels: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    labels.iter().find(|(field, _)| *field == name).map(|(_, label)| *label)
}
