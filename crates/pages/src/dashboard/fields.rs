//! The fields of a form, read one by one so that every problem is reported at once. An empty one is absent.

use std::time::Duration;

use domain::money::Credits;
use domain::refusal::{Detail, Problem, Refusal};
use domain::time::{CaracasDate, Timestamp};
use web::FormBody;

use super::edits::is_edited;

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

    /// Reads a field that the person has changed; nothing where it stands as it was shown, or is not in the form.
    pub(super) fn edited<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self, &str) -> T,
    ) -> Option<T> {
        is_edited(self.form, name).then(|| read(self, name))
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

    /// Reads which of its two sides a button says.
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

    /// A whole number of credits, zero or more, that may be absent.
    pub(super) fn credits(&mut self, name: &str) -> Option<Credits> {
        let problem = (
            "debe ser un número entero, cero o más, como 1500",
            "must be a whole number, zero or more, such as 1500",
        );
        self.optional(name, |text| whole(text).map(Credits::new).ok_or(problem))
    }

    /// A whole number within bounds that may be absent.
    pub(super) fn number(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        let is_within = |number: &i64| (min..=max).contains(number);
        self.optional(name, |text| {
            whole(text).filter(is_within).ok_or_else(|| Problem::whole_number(min, max))
        })
    }

    /// Notes what is wrong with a field.
    pub(super) fn problem<T>(&mut self, name: &str, problem: impl Into<Problem>) -> Option<T> {
        self.problems.push(Detail::new(name, problem));
        None
    }

    /// Returns what was made of the fields, or all that is wrong with them.
    pub(super) fn made<T>(self, value: Option<T>) -> Result<T, Refusal> {
        match value {
            Some(value) if self.problems.is_empty() => Ok(value),
            _ => Err(Refusal::Validation(self.problems)),
        }
    }
}

/// Reads a whole number. A mark stands between groups of three digits or nowhere: what may be decimals is none.
fn whole(text: &str) -> Option<i64> {
    let mark = text.chars().find(|c| matches!(c, '.' | ',' | ' '));
    let groups: Vec<&str> = mark.map_or_else(|| vec![text], |mark| text.split(mark).collect());
    let is_digits = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let (first, others) = groups.split_first()?;
    let is_grouped = others.is_empty()
        || ((1..=3).contains(&first.len()) && others.iter().all(|group| group.len() == 3));
    (is_grouped && groups.iter().all(is_digits)).then(|| groups.concat().parse().ok())?
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
    fn decimals_are_no_whole_number() {
        for (text, number) in
            [("0", 0), ("100", 100), ("1.500", 1_500), ("1,500", 1_500), ("12 345 678", 12_345_678)]
        {
            assert_eq!(whole(text), Some(number), "{text}");
        }
        for text in [
            "",
            "100,00",
            "1,5",
            "1.5",
            "10.00",
            "1.500,00",
            "1.5000",
            ".500",
            "1500.",
            "-1",
            "+1",
            "1e3",
            "1..500",
            "99999999999999999999",
            "1 500,5",
            "١",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

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
