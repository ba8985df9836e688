//! Fields and parameters that an operation takes, and what it does about fields and parameters that it does not take.
//!
//! A call never says "done" to what it did not do. Calls of our own are *strict*: they refuse whatever they do not know,
//! by name. Those whose shapes others depend on are *tolerant*: they ignore it, but for the fields whose loss harms.

use domain::refusal::{Detail, Problem, Refusal};
use http::Uri;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::sent_fields::{NAMED_MAX, SentFields, shortened};
use crate::{Fields, query};

/// A field that an operation does not take, and the calls that set it; without any, none does.
pub type SetElsewhere = (&'static str, &'static [&'static str]);

/// The fields that an operation takes, in the extensions of its requests. A tolerant one without `elsewhere` has none.
#[derive(Debug)]
pub struct Taken {
    /// Says whether it refuses every field and parameter that it does not take, and not those of `elsewhere` alone.
    pub is_strict: bool,
    /// Says whether it refuses a body that has no field which it takes.
    pub needs_a_field: bool,
    /// The parameters that it takes behind the question mark.
    pub parameters: Vec<&'static str>,
    /// Fields that other calls set.
    pub elsewhere: &'static [SetElsewhere],
    /// Fields of its record that move by themselves: sent back with whatever value, they are no change.
    pub moving: &'static [&'static str],
}

impl Taken {
    /// Refuses parameters that a strict operation does not take, and those that are there twice.
    pub(crate) fn check_parameters(&self, uri: &Uri) -> Result<(), Refusal> {
        if !self.is_strict || uri.query().is_none() {
            return Ok(());
        }
        let pairs = query::pairs(uri);
        let mut problems: Vec<Detail> = Vec::new();
        for (number, (name, _)) in pairs.iter().enumerate() {
            let problem = if !self.parameters.contains(&name.as_str()) {
                Problem::unknown_parameter(&self.parameters)
            } else if pairs[..number].iter().any(|(earlier, _)| earlier == name) {
                Problem::REPEATED
            } else {
                continue;
            };
            problems.push(Detail::new(shortened(name), problem));
            if problems.len() == NAMED_MAX {
                break;
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Refusal::Validation(problems)) }
    }

    /// Answers whether a field that the operation does not take is refused.
    fn refuses(&self, name: &str) -> bool {
        !self.moving.contains(&name)
            && (self.is_strict || self.elsewhere.iter().any(|(other, _)| *other == name))
    }

    /// Notes what is wrong with the fields of a body that are not among `names`, which the operation takes. `null` and
    /// the value `in_force` are no change.
    pub(crate) fn check_fields(
        &self,
        sent: &SentFields<'_>,
        names: &[&'static str],
        in_force: Option<&Map<String, Value>>,
    ) -> Fields {
        let mut fields = if self.is_strict { Fields::strict() } else { Fields::default() };
        let is_change = |(name, raw): &(&str, &RawValue)| {
            !in_force.is_some_and(|record| is_in_force(record, name, raw))
        };
        for (name, _) in self.untaken(sent, names).filter(is_change).take(NAMED_MAX) {
            let calls = self.elsewhere.iter().find(|(other, _)| *other == name);
            let problem = match calls {
                Some((_, calls)) => Problem::set_elsewhere(calls),
                None => Problem::unknown_field(names),
            };
            fields.problem::<()>(&shortened(name), problem);
        }
        let has_one = sent.0.iter().any(|(name, _)| names.contains(&name.as_ref()));
        if self.needs_a_field && !has_one && fields.are_right() {
            fields.problem::<()>("body", Problem::nothing_named(names));
        }
        fields
    }

    /// The fields of a body that the operation refuses unless they are in force.
    pub(crate) fn untaken<'a>(
        &self,
        sent: &'a SentFields<'a>,
        names: &[&'static str],
    ) -> impl Iterator<Item = (&'a str, &'a RawValue)> {
        let fields = sent.0.iter().map(|(name, raw)| (name.as_ref(), *raw));
        fields.filter(|(name, raw)| {
            raw.get() != "null" && !names.contains(name) && self.refuses(name)
        })
    }
}

/// Answers whether a record already has the value that was sent.
fn is_in_force(record: &Map<String, Value>, name: &str, raw: &RawValue) -> bool {
    let sent = serde_json::from_str::<Value>(raw.get());
    record.get(name).zip(sent.ok()).is_some_and(|(value, sent)| is_same(value, &sent))
}

/// Answers whether two values are one: numbers by what they are worth, since many callers write 20.0 as 20.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |name, value| other.get(name).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(|(name, value)| has(name, value))
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use domain::language::Language::En;

    use super::*;

    const NAMES: &[&str] = &["name", "is_active"];

    fn taken(is_strict: bool) -> Taken {
        Taken {
            is_strict,
            needs_a_field: is_strict,
            parameters: vec!["month", "page"],
            elsewhere: &[("status", &["POST /a", "POST /b"]), ("made_by", &[])],
            moving: &["seen_at"],
        }
    }

    fn problems(refusal: Refusal) -> Vec<String> {
        let Refusal::Validation(details) = refusal else { panic!("{refusal:?}") };
        let listed = details.iter();
        listed.map(|Detail { field, problem }| format!("{field} {}", problem.text(En))).collect()
    }

    fn checked(is_strict: bool, json: &str, record: Option<&Value>) -> Vec<String> {
        let sent = serde_json::from_str::<SentFields<'_>>(json).unwrap();
        let record = record.map(|record| record.as_object().unwrap());
        let fields = taken(is_strict).check_fields(&sent, NAMES, record);
        if fields.are_right() { Vec::new() } else { problems(fields.refusal()) }
    }

    #[test]
    fn a_strict_operation_names_every_field_that_it_does_not_take() {
        assert_eq!(
            checked(
                true,
                r#"{"name": 1, "n\u00f1": "x", "status": 1, "made_by": {}, "z": null}"#,
                None
            ),
            [
                "nñ is not a field of this call, which takes: name, is_active",
                "status is not set by this call: use POST /a or POST /b",
                "made_by is not set by this call, nor by any other",
            ]
        );
        assert_eq!(checked(true, r#"{"is_active": null}"#, None), Vec::<String>::new());
    }

    #[test]
    fn a_refusal_names_no_more_than_people_read() {
        let fields: Vec<_> = (0..1_000).map(|it| format!(r#""{it:0>9000}": 1"#)).collect();
        let problems = checked(true, &format!("{{{}}}", fields.join(",")), None);
        assert_eq!(problems.len(), NAMED_MAX);
        assert!(problems.iter().all(|problem| problem.len() < 200));
    }

    #[test]
    fn a_body_that_names_nothing_is_no_change() {
        for json in ["{}", r#"{"z": null}"#] {
            assert_eq!(
                checked(true, json, None),
                ["body must have at least one of: name, is_active"]
            );
        }
        assert_eq!(checked(false, "{}", None), Vec::<String>::new());
    }

    #[test]
    fn a_tolerant_operation_names_only_what_it_must_not_lose() {
        assert_eq!(
            checked(false, r#"{"nonsense": 1, "status": "paid", "made_by": null}"#, None),
            ["status is not set by this call: use POST /a or POST /b"]
        );
    }

    #[test]
    fn the_value_in_force_is_no_change() {
        let record = serde_json::json!({
            "status": "pending", "amount": 20.0, "list": [1, { "a": null }], "gone": null,
        });
        let same = r#"{"name": "x", "status": "pending", "amount": 20, "list": [1.0, {"a": null}], "gone": null}"#;
        assert_eq!(checked(true, same, Some(&record)), Vec::<String>::new());
        for other in [
            r#"{"status": "paid"}"#,
            r#"{"amount": 20.5}"#,
            r#"{"amount": "20"}"#,
            r#"{"list": [1]}"#,
            r#"{"list": [1, {}]}"#,
            r#"{"gone": 1}"#,
            r#"{"other": ""}"#,
        ] {
            assert_eq!(checked(true, other, Some(&record)).len(), 1, "{other}");
        }
    }

    #[test]
    fn what_moves_by_itself_is_no_change_whatever_it_was() {
        let record = serde_json::json!({ "seen_at": 2, "status": "pending" });
        for record in [None, Some(&record)] {
            assert_eq!(
                checked(true, r#"{"name": "x", "seen_at": 1}"#, record),
                Vec::<String>::new()
            );
        }
        let problems = checked(true, r#"{"seen_at": 1, "status": "paid"}"#, Some(&record));
        assert!(problems.len() == 1 && problems[0].starts_with("status "), "{problems:?}");
        // It names nothing either.
        let problems = checked(true, r#"{"seen_at": 1}"#, None);
        assert_eq!(problems, ["body must have at least one of: name, is_active"]);
    }

    #[test]
    fn a_strict_operation_names_every_parameter_that_it_does_not_take() {
        let check = |is_strict, query: &str| {
            let uri = format!("/a{query}").parse().unwrap();
            taken(is_strict).check_parameters(&uri).map_err(problems)
        };
        for query in ["", "?", "?month=2026-11&page=1", "?p%61ge=1"] {
            assert_eq!(check(true, query), Ok(()), "{query}");
        }
        let wrong = [
            "limit is not a parameter of this call, which takes: month, page",
            "page is there twice",
        ];
        assert_eq!(check(true, "?limit=&page=1&page=2"), Err(wrong.map(str::to_owned).to_vec()));
        assert_eq!(check(false, "?limit=&page=1&page=2"), Ok(()));
    }
}
