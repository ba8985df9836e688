//! What a form shows: what was typed, what is wrong with it, and what its page answers.

use std::collections::{HashMap, HashSet};

use app::{App, Error};
use domain::language::Language;
use domain::refusal::Refusal;
use http::StatusCode;
use web::{FormBody, NotTaken};

use super::said::to_people;

/// How much of what was typed is shown again in one field.
const SHOWN_AGAIN_MAX: usize = 4_096;

/// Fields whose content is never shown again.
const SECRET: [&str; 3] = ["password", "secret", "code"];

/// A form as its page shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormState {
    values: HashMap<String, Vec<String>>,
    wrong: HashMap<String, String>,
    /// The fields of the form that was sent.
    sent: HashSet<String>,
    /// What stands above it: why nothing was done.
    pub(crate) notice: Option<String>,
    /// What its page answers.
    pub(crate) status: StatusCode,
}

impl FormState {
    /// A form that nobody has filled in, with these values in it.
    pub(crate) fn with(values: &[(&str, &str)]) -> Self {
        let mut form = Self::default();
        for (name, value) in values {
            form.values.entry((*name).to_owned()).or_default().push((*value).to_owned());
        }
        form
    }

    /// The form once more, where what it asked for was refused.
    ///
    /// # Errors
    /// A failure that is no refusal.
    pub(crate) fn again(
        form: &FormBody,
        error: Error,
        language: Language,
    ) -> Result<Self, NotTaken> {
        match error {
            Error::Refused(refusal) => Ok(Self::refused(form, &refusal, language)),
            error => Err(error.into()),
        }
    }

    /// A form that was refused, with what was typed, and beside each field what is wrong with it. What is wrong with no
    /// field of it stands above.
    pub(crate) fn refused(form: &FormBody, refusal: &Refusal, language: Language) -> Self {
        let mut values: HashMap<String, Vec<String>> = HashMap::new();
        for (name, value) in form.pairs() {
            if !is_secret(&name) {
                let value = value.chars().take(SHOWN_AGAIN_MAX).collect();
                values.entry(name).or_default().push(value);
            }
        }
        let (mut wrong, mut others) = (HashMap::new(), Vec::new());
        for detail in refusal.details() {
            let problem = detail.problem.text(language).to_owned();
            let name = detail.field.split(['[', '.']).next().unwrap_or_default();
            if form.has(name) {
                wrong.insert(name.to_owned(), problem);
            } else {
                others.push(format!("{}: {problem}", detail.field));
            }
        }
        let notice = match (wrong.is_empty(), others.is_empty()) {
            (false, true) => None,
            (_, false) => Some(others.join(" · ")),
            (true, true) => Some(to_people(refusal.code(), &refusal.message(language), language)),
        };
        let sent = form.pairs().into_iter().map(|(name, _)| name).collect();
        let status = StatusCode::from_u16(refusal.status());
        let status = status.unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
        Self { values, wrong, sent, notice, status }
    }

    /// The same, with that in the field of that name.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.values.insert(name.to_owned(), vec![value.to_owned()]);
        self
    }

    /// The same, with something wrong with the field of that name.
    pub(crate) fn with_problem(mut self, name: &str, problem: &str) -> Self {
        self.wrong.insert(name.to_owned(), problem.to_owned());
        self
    }

    /// The same, with what is kept in every field that was not sent: a page has several forms, and one that was refused
    /// leaves the others as they are.
    pub(crate) fn or(mut self, kept: Self) -> Self {
        for (name, values) in kept.values {
            if !self.sent.contains(&name) {
                self.values.insert(name, values);
            }
        }
        self
    }

    /// What stands in the field of that name.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.values.get(name).and_then(|values| values.first()).map_or("", String::as_str)
    }

    /// Whether the box of that name and value is ticked.
    pub(crate) fn has(&self, name: &str, value: &str) -> bool {
        self.values.get(name).is_some_and(|values| values.iter().any(|one| one == value))
    }

    /// What is wrong with the field of that name.
    pub(crate) fn problem(&self, name: &str) -> Option<&str> {
        self.wrong.get(name).map(String::as_str)
    }
}

/// A field of a form for a fact that a bank declares.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) is_secret: bool,
    pub(super) is_required: bool,
    pub(super) max: usize,
}

/// Whether somebody ticked the box before what cannot be undone.
///
/// # Errors
/// It is not ticked.
pub(super) fn ticked(form: &FormBody, field: &str) -> Result<(), Refusal> {
    if form.fields(field).iter().any(|value| value == "yes") {
        return Ok(());
    }
    let problem = ("marque la casilla para confirmar", "tick the box to confirm");
    Err(Refusal::invalid(field, problem))
}

/// What a form carries that must not be taken twice.
pub(super) fn once(app: &App) -> String {
    let mut random = [0; 16];
    app.ids.fill(&mut random);
    data_encoding::HEXLOWER.encode(&random)
}

/// Whether what was typed into a field of that name is never sent back. What else a bank wants may be a secret, too.
pub(super) fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|secret| name.contains(secret)) || name.starts_with("metadata-")
}
