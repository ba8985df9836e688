//! A form that waits until somebody has signed in: what was typed into it is carried along, and sent by one press then.

use askama::Template;
use axum::response::Response;
use domain::language::Language;
use http::StatusCode;
use web::{Again, FORM_TOKEN, FormBody, OF_PROOF, SIGNED_IN_ANEW, is_secret};

use super::again::Retyped;
use super::assets::ASSETS;
use super::form::FormState;
use super::texts::FrameTexts;
use crate::page::of_template;

/// Prefix that a field of the form carried along has in the form that carries it.
const FIELD: &str = "again:";

/// Field that names the field of a file. The file itself is not kept: it is chosen again.
const FILE: &str = "again_file";

/// The field that names the field of a secret. The secret itself is not kept: it is typed again.
const SECRET: &str = "again_secret";

/// The longest name of such a field.
const NAME_LEN_MAX: usize = 40;

/// The number of secrets that a form asks for at most.
const SECRETS_MAX: usize = 8;

texts! {
    GoOnTexts {
        title: "Ya entró", "You are signed in";
        text: "Falta un paso: enviar lo que había pedido. Las contraseñas y claves se escriben otra vez.", "One step is left: sending your earlier request. You need to enter passwords and keys again.";
        go_on: "Enviar ahora", "Send now";
    }
}

/// Page of what is sent again by a person who has signed in anew.
#[derive(Template)]
#[template(path = "dashboard/go_on.html")]
struct GoOnPage<'a> {
    f: &'static FrameTexts,
    t: &'static GoOnTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    action: &'a str,
    carried: Carried,
    retyped: Vec<Retyped>,
    form: FormState,
    form_token: &'a str,
}

/// Contents of a form that are carried along.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    typed: Vec<(String, String)>,
    /// The fields of the secrets that came with it.
    secrets: Vec<String>,
    /// The field of the file that came with it.
    pub(super) file: Option<String>,
}

impl Carried {
    /// Reads a form whose session had ended. Secrets stay behind.
    pub(super) fn of_sent(again: Option<&Again>) -> Self {
        let pairs = again.map(|again| again.form.pairs()).unwrap_or_default();
        let is_typed = |name: &str| name != FORM_TOKEN && !OF_PROOF.contains(&name);
        let pairs = pairs.into_iter().filter(|(name, _)| is_typed(name));
        // Nothing was typed into a secret that is empty: it is carried along, so that the form asks for the same.
        let (secrets, mut typed): (Vec<_>, Vec<_>) =
            pairs.partition(|(name, value)| is_secret(name) && !value.is_empty());
        // Also where nothing is left to carry, what was asked for is asked again by a form.
        typed.push((SIGNED_IN_ANEW.to_owned(), "yes".to_owned()));
        let file = again.and_then(|again| again.form.file_field());
        Self {
            typed,
            secrets: secrets_of(secrets.into_iter().map(|(name, _)| name)),
            file: file.and_then(field_name),
        }
    }

    /// Reads what a form carries along.
    pub(super) fn of(form: &FormBody) -> Self {
        let typed = form.pairs().into_iter();
        let typed = typed
            .filter_map(|(name, value)| Some((name.strip_prefix(FIELD)?.to_owned(), value)))
            .collect();
        let secrets = secrets_of(form.fields(SECRET).into_iter());
        Self { typed, secrets, file: field_name(&form.field(FILE)) }
    }

    /// Tells whether no form waits.
    pub(super) fn is_empty(&self) -> bool {
        self.typed.is_empty()
    }

    /// The hidden fields of the form that carries it.
    pub(super) fn hidden(&self) -> Vec<(String, String)> {
        let typed = self.typed.iter();
        let typed = typed.map(|(name, value)| (format!("{FIELD}{name}"), value.clone()));
        let file = self.file.iter().map(|name| (FILE.to_owned(), name.clone()));
        let secrets = self.secrets.iter().map(|name| (SECRET.to_owned(), name.clone()));
        typed.chain(secrets).chain(file).collect()
    }

    /// The page that sends it where it was to go.
    pub(super) fn go_on(self, action: &str, form_token: &str, language: Language) -> Response {
        let t = GoOnTexts::of(language);
        let page = GoOnPage {
            f: FrameTexts::of(language),
            t,
            css: &ASSETS.css,
            icon: &ASSETS.icon,
            title: t.title,
            action,
            retyped: self.secrets.iter().map(|name| Retyped::of(name.clone(), language)).collect(),
            carried: self,
            form: FormState::default(),
            form_token,
        };
        of_template(&page, StatusCode::OK)
    }
}

/// The names that may be those of secrets of ours.
fn secrets_of(names: impl Iterator<Item = String>) -> Vec<String> {
    let names = names.filter(|name| is_secret(name)).filter_map(|name| field_name(&name));
    names.take(SECRETS_MAX).collect()
}

/// The name of a field that may be one of ours.
fn field_name(name: &str) -> Option<String> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    (is_plain && !name.is_empty() && name.len() <= NAME_LEN_MAX).then(|| name.to_owned())
}
