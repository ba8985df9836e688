//! The days that a list is narrowed to, as its address says them.

use app::paging::{PageNumber, Paging};
use domain::language::Language;
use domain::time::CaracasDate;
use http::Uri;

use super::form::FormState;

texts! {
    DaysTexts {
        none: "no se entiende; escríbalo como 2026-01-31", "is not valid; enter it like 2026-01-31";
        turned: "es antes del primer día", "is before the first date";
    }
}

/// The first and the last day.
#[derive(Debug)]
pub(super) struct Days {
    from: Field,
    to: Field,
}

/// A day as it was typed, what it is, and what is wrong with it.
#[derive(Debug)]
struct Field {
    name: &'static str,
    typed: String,
    day: Option<CaracasDate>,
    wrong: Option<&'static str>,
}

impl Field {
    fn of(uri: &Uri, name: &'static str, t: &DaysTexts) -> Self {
        let typed = web::query::typed(uri, name);
        let day = CaracasDate::parse(&typed).ok();
        let wrong = (!typed.is_empty() && day.is_none()).then_some(t.none);
        Self { name, typed, day, wrong }
    }
}

impl Days {
    /// Reads the days of the address.
    pub(super) fn of(uri: &Uri, language: Language) -> Self {
        let t = DaysTexts::of(language);
        let (from, mut to) = (Field::of(uri, "from", t), Field::of(uri, "to", t));
        if from.day.zip(to.day).is_some_and(|(from, to)| to < from) {
            to.wrong = Some(t.turned);
        }
        Self { from, to }
    }

    /// Tells whether the days are none to look for anything in.
    pub(super) fn are_wrong(&self) -> bool {
        self.from.wrong.is_some() || self.to.wrong.is_some()
    }

    /// Tells whether any day was typed.
    pub(super) fn are_asked(&self) -> bool {
        !self.from.typed.is_empty() || !self.to.typed.is_empty()
    }

    /// That page of what happened on them.
    pub(super) fn page(&self, number: PageNumber) -> Paging {
        Paging { number, from: self.from.day, to: self.to.day }
    }

    /// The form with them as they were typed, and beside each what is wrong with it.
    pub(super) fn beside(&self, form: FormState) -> FormState {
        [&self.from, &self.to].into_iter().fold(form, |form, field| {
            let form = form.and(field.name, &field.typed);
            match field.wrong {
                Some(problem) => form.with_problem(field.name, problem),
                None => form,
            }
        })
    }
}
