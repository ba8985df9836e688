//! A reference in a text that was pasted with it: "Ref: 2267890".

use super::{DIGITS_MAX, InvalidReference, TAIL_DIGITS, TypedReference};
use crate::typed::seen;

/// The most numbers of a pasted text that are named.
const NAMED_MAX: usize = 4;

/// A text in which no reference is found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPaste {
    /// It has no number that could be one, or one that is none.
    #[error(transparent)]
    Reference(#[from] InvalidReference),
    /// It has several numbers that could be one, these among them.
    #[error("has several numbers: {}; leave the reference alone", .0.join(", "))]
    Several(Vec<String>),
}

impl TypedReference {
    /// Reads what a person typed or pasted into a page. A text with other characters than a reference has is searched for
    /// the one run of six digits or more in it. Programs send a reference alone: theirs is read by
    /// [`TypedReference::parse`].
    ///
    /// # Errors
    ///
    /// [`InvalidPaste`] where no run of digits can be the reference, or more than one can.
    pub fn pasted(text: &str) -> Result<Self, InvalidPaste> {
        let other = match Self::parse(text) {
            Err(error @ InvalidReference::OtherCharacter) => error,
            read => return Ok(read?),
        };
        let text = seen(text);
        // What is no text, or none that people write.
        let is_broken = |one: char| {
            one == char::REPLACEMENT_CHARACTER || (one.is_control() && !one.is_whitespace())
        };
        if text.contains(is_broken) {
            return Err(other.into());
        }
        let mut runs: Vec<&str> = Vec::new();
        for run in text.split(|one: char| !one.is_ascii_digit()) {
            if run.len() >= TAIL_DIGITS && !runs.contains(&run) {
                runs.push(run);
            }
            if runs.len() > NAMED_MAX {
                break;
            }
        }
        match runs.as_slice() {
            [] => Err(other.into()),
            [run] => Ok(Self::parse(run)?),
            _ => Err(InvalidPaste::Several(runs.into_iter().take(NAMED_MAX).map(named).collect())),
        }
    }
}

/// A run as it is named: no longer than a reference can be.
fn named(run: &str) -> String {
    match run.get(..DIGITS_MAX) {
        Some(beginning) if run.len() > DIGITS_MAX => format!("{beginning}…"),
        _ => run.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pasted_text_has_its_one_run_of_six_digits_or_more() {
        for (text, read) in [
            ("Ref: 2267890", "2267890"),
            ("\u{202a}Ref.\u{202c} Nº 000012437890 ", "12437890"),
            ("Bs. 1.234,56 · referencia 012437 · 20/11/2026", "012437"),
            ("Operación:2267890, otra vez 2267890", "2267890"),
            ("12 34-56.78", "12345678"),
            ("4321", "4321"),
        ] {
            assert_eq!(TypedReference::pasted(text).unwrap().typed(), read, "{text}");
        }
        let several =
            |runs: &[&str]| InvalidPaste::Several(runs.iter().map(ToString::to_string).collect());
        let long = format!("{}…", "1".repeat(DIGITS_MAX));
        for (text, problem) in [
            (
                "Ref 2267890, 0414-1234567, 04141234567",
                several(&["2267890", "1234567", "04141234567"]),
            ),
            (&format!("a123456 b{}", "1".repeat(50)), several(&["123456", &long])),
            ("ref: 12345", InvalidReference::OtherCharacter.into()),
            ("ref: ２２６７８９０", InvalidReference::OtherCharacter.into()),
            ("ref: 167890\0", InvalidReference::OtherCharacter.into()),
            ("ref: 000000", InvalidReference::Empty.into()),
            (&format!("ref: {}", "1".repeat(41)), InvalidReference::TooLong.into()),
            ("", InvalidReference::Empty.into()),
        ] {
            assert_eq!(TypedReference::pasted(text), Err(problem), "{text}");
        }
        let InvalidPaste::Several(named) =
            TypedReference::pasted("x123451 123452 123453 123454 123455").unwrap_err()
        else {
            panic!("one of several was taken")
        };
        assert_eq!(named.len(), 4);
        // A program sends the reference alone.
        assert_eq!(TypedReference::parse("Ref: 2267890"), Err(InvalidReference::OtherCharacter));
    }

    proptest! {
        #[test]
        fn a_paste_is_read_as_a_call_reads_the_reference_alone(digits in "[0-9]{6,12}", one in "[a-zñ :.,;()/#\u{202a}\u{200b}\u{2014}]") {
            let alone = TypedReference::parse(&digits).map_err(InvalidPaste::from);
            prop_assert_eq!(TypedReference::pasted(&format!("Ref{one}{digits}{one}.")), alone);
        }
    }
}
