//! The fields of a request, read one by one so that every problem is reported at once.
//!
//! Wire structs keep each field as the JSON it was sent as, without a copy; `null` is absent.

use std::borrow::Cow;

use domain::money::InvalidAmount;
use domain::refusal::{Detail, Problem, Refusal};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::sent_fields::{NAMED_MAX, SentFields, shortened};

/// A field as it was sent, if it was.
pub type Field<'a> = Option<&'a RawValue>;

/// Keeps a field that was sent as `null`, for where that differs from an absent one:
/// `#[serde(default, borrow, deserialize_with = "web::fields::even_null")]`.
///
/// # Errors
/// Those of the deserializer.
pub fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<'de>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads fields and gathers what is wrong with them.
#[derive(Debug, Default)]
pub struct Fields {
    problems: Vec<Detail>,
    /// Says whether objects inside of fields may have no others than they are known to have.
    is_strict: bool,
}

impl Fields {
    /// The fields of a call that refuses whatever it does not know.
    pub(crate) fn strict() -> Self {
        Self { problems: Vec::new(), is_strict: true }
    }

    /// Answers whether the object at `path` has fields beside `names` that the call refuses, and notes them by their paths.
    pub fn has_unknown(&mut self, path: &str, object: &RawValue, names: &[&str]) -> bool {
        if !self.is_strict {
            return false;
        }
        let Ok(sent) = serde_json::from_str::<SentFields<'_>>(object.get()) else { return false };
        let unknown: Vec<_> = sent.beside(names).take(NAMED_MAX).collect();
        let taken: Vec<_> = names.iter().map(|name| format!("{path}.{name}")).collect();
        let taken: Vec<_> = taken.iter().map(String::as_str).collect();
        for name in &unknown {
            let field = format!("{path}.{}", shortened(name));
            self.problem::<()>(&field, Problem::unknown_field(&taken));
        }
        !unknown.is_empty()
    }

    /// A text that may be absent.
    pub fn text<T, E: Into<Problem>>(
        &mut self,
        name: &str,
        field: Field<'_>,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let raw = field?.get();
        let text = match serde_json::from_str(raw) {
            Ok(Borrowed(text)) => text,
            Err(error) if raw.starts_with('"') => return self.problem(name, unreadable(&error)),
            Err(_) => return self.problem(name, ("debe ser texto", "must be text")),
        };
        parse(&text).map_or_else(|error| self.problem(name, error), Some)
    }

    /// A number that may be absent.
    pub fn number<T, E: Into<Problem>>(
        &mut self,
        name: &str,
        field: Field<'_>,
        parse: impl FnOnce(f64) -> Result<T, E>,
    ) -> Option<T> {
        let raw = field?.get();
        let is_number = raw.starts_with(|one: char| one == '-' || one.is_ascii_digit());
        let number = match serde_json::from_str::<f64>(raw) {
            Ok(number) => number,
            Err(error) if is_number => return self.problem(name, unreadable(&error)),
            Err(_) => return self.problem(name, ("debe ser un número", "must be a number")),
        };
        if number == 0.0 && !is_written_as_zero(raw) {
            return self.problem(name, InvalidAmount::TooPrecise);
        }
        parse(number).map_or_else(|error| self.problem(name, error), Some)
    }

    /// A whole number between `min` and `max` that may be absent.
    pub fn integer(&mut self, name: &str, field: Field<'_>, (min, max): (i64, i64)) -> Option<i64> {
        let whole = |number: f64| {
            let is_right = number.fract() == 0.0 && (min as f64..=max as f64).contains(&number);
            let problem = || Problem::whole_number(min, max);
            is_right.then_some(number as i64).ok_or_else(problem)
        };
        self.number(name, field, whole)
    }

    /// A truth value that may be absent.
    pub fn boolean(&mut self, name: &str, field: Field<'_>) -> Option<bool> {
        match field?.get() {
            "true" => Some(true),
            "false" => Some(false),
            _ => self.problem(name, ("debe ser true o false", "must be true or false")),
        }
    }

    /// A list of texts that may be absent.
    pub fn texts<T, E: Into<Problem>>(
        &mut self,
        name: &str,
        field: Field<'_>,
        max: usize,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<Vec<T>> {
        let Ok(texts) = serde_json::from_str::<Vec<Borrowed<'_>>>(field?.get()) else {
            return self.problem(name, ("debe ser una lista de textos", "must be a list of texts"));
        };
        if texts.len() > max {
            return self.problem(name, Problem::entries_max(max));
        }
        let mut parsed = Vec::with_capacity(texts.len());
        for Borrowed(text) in &texts {
            match parse(text) {
                Ok(value) => parsed.push(value),
                Err(error) => return self.problem(name, error),
            }
        }
        Some(parsed)
    }

    /// Notes a problem; answers nothing, as whatever has one.
    pub fn problem<T>(&mut self, name: &str, problem: impl Into<Problem>) -> Option<T> {
        self.problems.push(Detail::new(name, problem));
        None
    }

    /// Tells whether nothing is wrong so far.
    #[must_use]
    pub fn are_right(&self) -> bool {
        self.problems.is_empty()
    }

    /// The refusal that reports every problem.
    #[must_use]
    pub fn refusal(self) -> Refusal {
        Refusal::Validation(self.problems)
    }
}

/// Answers whether a number is zero as it is written, and not only once it is read: `1e-400` is not.
fn is_written_as_zero(number: &str) -> bool {
    let digits = number.split(['e', 'E']).next().unwrap_or_default();
    digits.bytes().all(|byte| !matches!(byte, b'1'..=b'9'))
}

/// Says why JSON of the right kind cannot be read.
#[must_use]
pub fn unreadable(error: &serde_json::Error) -> Problem {
    let (text, column) = (error.to_string(), error.column());
    let (es, en) = if text.contains("out of range") {
        ("tiene un número fuera de rango", "has a number out of range")
    } else if text.contains("recursion limit") {
        ("tiene más de 127 niveles, uno dentro de otro", "is nested more than 127 levels deep")
    } else if text.contains("surrogate") || text.contains("hex escape") {
        (
            "tiene medio carácter: un escape \\uD800 a \\uDFFF sin su par",
            "has half a character: an escape from \\uD800 to \\uDFFF without its pair",
        )
    } else {
        ("no es JSON válido", "is not valid JSON")
    };
    Problem::made(format!("{es} (columna {column})"), format!("{en} (column {column})"))
}

/// Text that is borrowed from the body unless it has escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use domain::ids::BankId;
    use domain::language::Language::En;
    use domain::money::Bolivars;
    use domain::text::Text;

    use super::*;

    fn raw(json: &str) -> Field<'_> {
        serde_json::from_str(json).unwrap()
    }

    type Name = Text<1, 5>;

    #[test]
    fn fields_are_read() {
        let mut fields = Fields::default();
        let name = fields.text("name", raw(r#"" \u0061na ""#), Name::parse);
        assert_eq!(name.unwrap().as_str(), "ana");
        let amount = fields.number("amount", raw("150.75"), Bolivars::from_number);
        assert_eq!(amount, Some(Bolivars::from_hundredths(15_075)));
        let bank = BankId::from_bytes([1; 16]);
        let list = format!(r#"["{bank}"]"#);
        let banks = fields.texts("banks", raw(&list), 2, str::parse::<BankId>);
        assert_eq!(banks, Some(vec![bank]));
        assert_eq!(fields.integer("page", raw("9.0"), (1, 9)), Some(9));
        assert_eq!(fields.boolean("truth", raw("true")), Some(true));
        assert_eq!(fields.text("absent", None, Name::parse), None);
        assert_eq!(fields.text("null", raw("null"), Name::parse), None);
        assert!(fields.are_right());
    }

    #[test]
    fn every_problem_is_reported() {
        let mut fields = Fields::default();
        fields.text("kind", raw("1"), Name::parse);
        fields.text("long", raw(r#""123456""#), Name::parse);
        fields.number("number", raw(r#""1""#), Bolivars::from_number);
        fields.number("endless", raw("1e400"), Bolivars::from_number);
        fields.number("tiny", raw("0.1e-400"), Bolivars::from_number);
        fields.number("zero", raw("-0.0e9"), Bolivars::from_number);
        fields.integer("half", raw("1.5"), (1, 9));
        fields.integer("ten", raw("10"), (1, 9));
        fields.boolean("truth", raw("1"));
        fields.texts("list", raw(r#"["a", 1]"#), 2, Name::parse);
        fields.texts("many", raw(r#"["a", "b", "c"]"#), 2, Name::parse);
        assert!(!fields.are_right());
        let Refusal::Validation(details) = fields.refusal() else { panic!("another refusal") };
        let reported: Vec<String> = details
            .iter()
            .map(|Detail { field, problem }| format!("{field} {}", problem.text(En)))
            .collect();
        assert_eq!(
            reported,
            [
                "kind must be text",
                "long must have at most 5 characters",
                "number must be a number",
                "endless has a number out of range (column 5)",
                "tiny has too many decimals",
                "half must be a whole number from 1 to 9",
                "ten must be a whole number from 1 to 9",
                "truth must be true or false",
                "list must be a list of texts",
                "many must have at most 2 entries",
            ]
        );
    }

    #[test]
    fn json_of_the_right_kind_that_cannot_be_read_says_why() {
        let read = |json: &str| {
            let mut fields = Fields::default();
            fields.text("text", raw(json), Name::parse);
            fields.number("number", raw(json), Bolivars::from_number);
            let Refusal::Validation(details) = fields.refusal() else { panic!("another refusal") };
            details.iter().map(|detail| detail.problem.text(En).to_owned()).collect::<Vec<_>>()
        };
        for half in [r#""\ud83d""#, r#""\ude00x""#, r#""a\ud83d\u0061""#] {
            let problems = read(half);
            assert!(problems[0].starts_with("has half a character"), "{problems:?}");
            assert_eq!(problems[1], "must be a number");
        }
        let problems = read("-1e999");
        assert_eq!(problems[0], "must be text");
        assert!(problems[1].starts_with("has a number out of range"), "{problems:?}");
    }

    #[test]
    fn null_is_distinguished_from_absent() {
        #[derive(Deserialize)]
        struct Wire<'a> {
            #[serde(default, borrow, deserialize_with = "even_null")]
            limit: Field<'a>,
        }
        let limit = |json| serde_json::from_str::<Wire<'_>>(json).unwrap().limit;
        assert_eq!(limit(r#"{"limit": null}"#).unwrap().get(), "null");
        assert!(limit("{}").is_none());
    }
}
