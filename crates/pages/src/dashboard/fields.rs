//! The fields of a form, read one by one so that every problem is told at once. An empty one is absent.

use std::time::Duration;

use domain::money::Credits;
use domain::refusal::{Detail, Problem, Refusal};
use domain::time::{CaracasDate, Timestamp};
use web::FormBody;

/// Reads fields and gathers what is wrong with them.
#[derive(Debug)]
pub(super) struct FormFields<'a> {
    form: &'a FormBody,
    problems: Vec<Detail>,
}

impl<'a> FormFields<'a> {
    pub(super) fn of(form: &'a FormBody) -> Self {
        Self { form, problems: Vec::new() }
    }

    /// A text that may be absent.
    pub(super) fn optional<T, E: Into<Problem>>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.form.field(name);
        if text.is_empty() {
            return None;
        }
        parse(&text).map_or_else(|error| self.problem(name, error), Some)
    }

    /// A text that must be there.
    pub(super) fn required<T, E: Into<Problem>>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        if self.form.field(name).is_empty() {
            return self.problem(name, ("falta", "is missing"));
        }
        self.optional(name, parse)
    }

    /// What a button says of its two sides.
    pub(super) fn yes_or_no(&mut self, name: &str) -> Option<bool> {
        self.required(name, |text| match text {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err(("debe ser yes o no", "must be yes or no")),
        })
    }

    /// A day that may be absent.
    pub(super) fn day(&mut self, name: &str) -> Option<CaracasDate> {
        let problem = ("debe ser una fecha como 2026-12-31", "must be a date like 2026-12-31");
        self.optional(name, |text| CaracasDate::parse(text).map_err(|_| problem))
    }

    /// An instant by the clock of Caracas, to the minute, that may be absent.
    pub(super) fn instant(&mut self, name: &str) -> Option<Timestamp> {
        let problem = (
            "debe ser una fecha y una hora como 2026-12-31T08:30",
            "must be a date and a time like 2026-12-31T08:30",
        );
        self.optional(name, |text| instant_of(text).ok_or(problem))
    }

    /// A whole number of credits, zero or more, that may be absent. Points and commas between thousands are taken.
    pub(super) fn credits(&mut self, name: &str) -> Option<Credits> {
        let problem =
            ("debe ser un número entero, cero o más", "must be a whole number, zero or more");
        self.optional(name, |text| {
            let digits: String = text.chars().filter(|c| !matches!(c, '.' | ',' | ' ')).collect();
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| digits.parse().ok()).flatten();
            number.map(Credits::new).ok_or(problem)
        })
    }

    /// Notes what is wrong with a field.
    pub(super) fn problem<T>(&mut self, name: &str, problem: impl Into<Problem>) -> Option<T> {
        self.problems.push(Detail::new(name, problem));
        None
    }

    /// What was made of the fields, or all that is wrong with them.
    pub(super) fn made<T>(self, value: Option<T>) -> Result<T, Refusal> {
        match value {
            Some(value) if self.problems.is_empty() => Ok(value),
            _ => Err(Refusal::Validation(self.problems)),
        }
    }
}

/// The instant that a browser's field names: `2026-12-31T08:30`.
fn instant_of(text: &str) -> Option<Timestamp> {
    let (day, time) = text.split_once('T')?;
    let day = CaracasDate::parse(day).ok()?;
    let (hours, rest) = time.split_once(':')?;
    let minutes = rest.split(':').next()?;
    let (hours, minutes): (u64, u64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let is_time = hours < 24 && minutes < 60;
    is_time.then(|| day.start().plus(Duration::from_secs(60 * (60 * hours + minutes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_that_of_caracas() {
        let read = |text| instant_of(text).map(|instant| instant.to_string());
        assert_eq!(read("2026-11-20T08:30").as_deref(), Some("2026-11-20T12:30:00.000Z"));
        assert_eq!(read("2026-11-20T23:59:58").as_deref(), Some("2026-11-21T03:59:00.000Z"));
        for text in ["2026-11-20", "2026-11-20T24:00", "2026-11-20T1", "x T1:1", "2026-11-20T08:60"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
