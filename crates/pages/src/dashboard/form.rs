//! What a form shows: what was typed, what is wrong with it, and what its page answers.

use std::collections::{HashMap, HashSet};

use app::{App, Error};
use domain::access::Caller;
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use http::StatusCode;
use web::{FormBody, NotTaken, SHOWN, is_secret};

use super::edits::are_same;
use super::said::to_people;

/// How much of what was typed is shown again in one field.
const SHOWN_AGAIN_MAX: usize = 4_096;

texts! {
    /// Texts of a form whose fields somebody else has changed meanwhile.
    OvertakenTexts {
        notice: "Otra persona cambió esto después de que usted abrió la página, así que no se guardó nada. Junto a cada campo está lo que vale ahora. Si guarda otra vez, vale lo suyo.", "Someone else changed this after you opened the page, so nothing was saved. The current value is shown beside each field. If you save again, your version replaces it.";
        problem: "Otra persona lo cambió mientras tanto.", "Someone else changed this in the meantime.";
        now: "Ahora dice:", "Current value:";
        empty: "Ahora está vacío.", "It is now empty.";
        mark: "vale ahora", "current";
    }
}

/// A form as its page shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormState {
    values: HashMap<String, Vec<String>>,
    /// The values that fields carry along as what they showed.
    shown: HashMap<String, Vec<String>>,
    /// The values in force of the fields that somebody else has changed.
    overtaken: HashMap<String, Vec<String>>,
    said: Option<&'static OvertakenTexts>,
    wrong: HashMap<String, String>,
    /// The fields of the form that was sent.
    sent: HashSet<String>,
    /// What stands above it: why nothing was done.
    pub(crate) notice: Option<String>,
    /// The way to what the same form made when it was sent before, and the words that lead there.
    pub(crate) earlier: Option<(String, &'static str)>,
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

    /// A form that changes these values, which are in force. Its fields carry along what they show.
    pub(crate) fn changing(values: &[(&str, &str)]) -> Self {
        let form = Self::with(values);
        Self { shown: form.values.clone(), ..form }
    }

    /// The form once more, where what it asked for was refused.
    ///
    /// # Errors
    /// A failure that is no refusal, and a proof that is missing: its own page asks for that.
    pub(crate) fn again(
        form: &FormBody,
        error: Error,
        language: Language,
    ) -> Result<Self, NotTaken> {
        match error {
            Error::Refused(refusal) if refusal.code() != Code::StepUpRequired => {
                Ok(Self::refused(form, &refusal, language))
            }
            error => Err(error.into()),
        }
    }

    /// The form once more as it was typed, where nothing was asked to be done. Secrets are not shown again.
    pub(crate) fn typed(form: &FormBody) -> Self {
        let (mut values, mut shown) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (name, value) in form.pairs() {
            let value = value.chars().take(SHOWN_AGAIN_MAX).collect();
            match name.strip_prefix(SHOWN) {
                Some(name) => shown.entry(name.to_owned()).or_default().push(value),
                None if is_secret(&name) => {}
                None => values.entry(name).or_default().push(value),
            }
        }
        let sent = form.pairs().into_iter().map(|(name, _)| name).collect();
        Self { values, shown, sent, ..Self::default() }
    }

    /// A form that was refused, with what was typed, and beside each field what is wrong with it. What is wrong with no
    /// field of it stands above.
    pub(crate) fn refused(form: &FormBody, refusal: &Refusal, language: Language) -> Self {
        let said = OvertakenTexts::of(language);
        let (mut wrong, mut others) = (HashMap::new(), Vec::new());
        let mut overtaken = HashMap::new();
        if let Refusal::Overtaken { fields } = refusal {
            for field in fields {
                wrong.insert(field.clone(), said.problem.to_owned());
                overtaken.insert(field.clone(), Vec::new());
            }
        }
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
            _ if !overtaken.is_empty() => Some(said.notice.to_owned()),
            (false, true) => None,
            (_, false) => Some(others.join(" · ")),
            (true, true) => Some(to_people(refusal.code(), &refusal.message(language), language)),
        };
        let status = StatusCode::from_u16(refusal.status());
        let status = status.unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
        let said = Some(said);
        Self { overtaken, said, wrong, notice, status, ..Self::typed(form) }
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

    /// The same, with what is in force in every field that was not sent: a page has several forms, and one that was
    /// refused leaves the others as they are. Where somebody else has changed a field meanwhile, all that the person did
    /// not change is as it is now, and what is changed stands beside it: sent once more, the form has seen that.
    pub(crate) fn or(mut self, kept: Self) -> Self {
        let is_overtaken = !self.overtaken.is_empty();
        for (name, values) in kept.values {
            let is_sent = self.sent.contains(&name);
            if is_sent && !is_overtaken {
                continue;
            }
            let is_edited = is_sent && !self.is_as_shown(&name);
            if let Some(now) = self.overtaken.get_mut(&name) {
                now.clone_from(&values);
            }
            if let Some(shown) = kept.shown.get(&name) {
                self.shown.insert(name.clone(), shown.clone());
            }
            if !is_edited {
                self.values.insert(name, values);
            }
        }
        self
    }

    /// Answers whether somebody else has changed a field of it meanwhile.
    pub(super) fn is_overtaken(&self) -> bool {
        !self.overtaken.is_empty()
    }

    /// Answers whether a field stands as it was shown.
    fn is_as_shown(&self, name: &str) -> bool {
        let (shown, typed) = (self.shown.get(name), self.values.get(name));
        shown.zip(typed).is_some_and(|(shown, typed)| are_same(shown, typed))
    }

    /// The values of the field of that name; nothing where there is no such field.
    pub(super) fn all(&self, name: &str) -> Option<&[String]> {
        self.values.get(name).map(Vec::as_slice)
    }

    /// The names of its fields.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The values that the field of that name carries along as what it showed.
    pub(crate) fn shown(&self, name: &str) -> &[String] {
        self.shown.get(name).map_or(&[], Vec::as_slice)
    }

    /// A sentence about what is in force in a field that somebody else has changed.
    pub(crate) fn now(&self, name: &str) -> Option<String> {
        let (now, said) = (self.overtaken.get(name)?, self.said?);
        let now: Vec<&str> =
            now.iter().map(String::as_str).filter(|value| !value.is_empty()).collect();
        Some(match now.is_empty() {
            true => said.empty.to_owned(),
            false => format!("{} {}", said.now, now.join(", ")),
        })
    }

    /// The mark of the choice that is in force in a field that somebody else has changed.
    pub(crate) fn mark(&self, name: &str, value: &str) -> Option<&'static str> {
        let is_now = self.overtaken.get(name)?.iter().any(|now| now == value);
        self.said.filter(|_| is_now).map(|said| said.mark)
    }

    /// Returns what stands in the field of that name.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.values.get(name).and_then(|values| values.first()).map_or("", String::as_str)
    }

    /// Tells whether the box of that name and value is ticked.
    pub(crate) fn has(&self, name: &str, value: &str) -> bool {
        self.values.get(name).is_some_and(|values| values.iter().any(|one| one == value))
    }

    /// Returns what is wrong with the field of that name.
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

/// Checks that somebody ticked the box before what cannot be undone.
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

/// Makes what a form of that caller's page carries that must not be taken twice.
pub(super) fn once(app: &App, caller: &Caller) -> String {
    let mut random = [0; web::ONCE_LEN];
    app.ids.fill(&mut random);
    web::once(random, caller)
}
