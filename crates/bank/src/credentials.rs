//! What accounts are linked with, as facts that each bank declares.
//!
//! A fact says in which field of a request it comes, how it is written and what people call it.
//! Linking, the check before saving, the change of a secret and the list of banks follow from that,
//! so that a bank which wants other facts needs no code outside of its own folder.

use std::collections::BTreeMap;
use std::fmt;

use domain::refusal::Problem;
use domain::secret::SecretText;

/// A fact that accounts of a bank are linked with.
#[derive(Debug)]
pub struct CredentialFact {
    /// The name that it is kept under. It never changes, since sealed values have it.
    pub name: &'static str,
    /// The field of a request that it comes in.
    pub field: Field,
    /// What people call it.
    pub label: Label,
    /// Whether it is to be typed and shown like a password.
    pub is_secret: bool,
    /// How it is written.
    pub format: Format,
    /// How many characters it may have.
    pub max_len: usize,
    /// Whether an account cannot be linked without it.
    pub is_required: bool,
}

/// The field of a request that a fact comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `username`.
    Username,
    /// `password`: what `change-secret` changes.
    Password,
    /// `user_bank_phone`.
    Phone,
    /// The entry of `metadata` of that name, in any case.
    Metadata(&'static str),
}

impl Field {
    /// The field's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Username => "username",
            Self::Password => "password",
            Self::Phone => "user_bank_phone",
            Self::Metadata(_) => "metadata",
        }
    }

    /// Tells whether the field is the entry of `metadata` of that name.
    #[must_use]
    pub fn is_entry(self, name: &str) -> bool {
        matches!(self, Self::Metadata(own) if name.trim().eq_ignore_ascii_case(own))
    }
}

/// Name of a fact for people, in the middle of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// In Spanish.
    pub es: &'static str,
    /// In English.
    pub en: &'static str,
}

/// How a fact is written, and where it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The twenty digits of the receiving account. Kept in the open: payers see it.
    AccountNumber,
    /// A mobile number. Kept in the open: payers see it.
    Phone,
    /// Text of one line. Kept sealed, secret or not.
    Text,
}

impl Format {
    /// Its name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AccountNumber => "ACCOUNT_NUMBER",
            Self::Phone => "PHONE",
            Self::Text => "TEXT",
        }
    }
}

impl CredentialFact {
    /// Returns the problem that a caller gets who left the fact out.
    #[must_use]
    pub fn missing(&self) -> Problem {
        let Label { es, en } = self.label;
        match (self.format, self.field) {
            (Format::AccountNumber, _) => Problem::made(
                format!("debe ser {es}, que este banco exige"),
                format!("must be {en}, which this bank requires"),
            ),
            (_, Field::Metadata(name)) => {
                Problem::made(format!("debe tener {name}: {es}"), format!("must have {name}: {en}"))
            }
            _ => Problem::made(format!("es obligatorio: {es}"), format!("is required: {en}")),
        }
    }

    /// Checks a text for it.
    ///
    /// # Errors
    /// What is wrong with it, without the text.
    pub fn check(&self, text: &str) -> Result<(), Problem> {
        let max = self.max_len;
        let Label { es, en } = self.label;
        if text.chars().count() > max {
            return Err(Problem::made(
                format!("es demasiado largo: {es} tiene a lo más {max} caracteres"),
                format!("is too long: {en} has at most {max} characters"),
            ));
        }
        if text.chars().any(char::is_control) {
            return Err(Problem::made(
                format!("debe ser de una sola línea: {es}"),
                format!("must be a single line: {en}"),
            ));
        }
        Ok(())
    }
}

/// The sealed facts of one account, by their names. Shows the names alone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials(BTreeMap<String, SecretText>);

impl Credentials {
    /// The fact of that name, if the account has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SecretText> {
        self.0.get(name)
    }

    /// Puts this fact in place of what it was.
    pub fn set(&mut self, name: &str, value: SecretText) {
        self.0.insert(name.to_owned(), value);
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SecretText)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl FromIterator<(String, SecretText)> for Credentials {
    fn from_iter<I: IntoIterator<Item = (String, SecretText)>>(facts: I) -> Self {
        Self(facts.into_iter().collect())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use domain::language::Language;

    use super::*;

    const TERMINAL: CredentialFact = CredentialFact {
        name: "terminal",
        field: Field::Metadata("TERMINAL_ID"),
        label: Label { es: "el número del terminal", en: "the terminal's number" },
        is_secret: false,
        format: Format::Text,
        max_len: 4,
        is_required: true,
    };

    #[test]
    fn a_fact_says_what_is_wrong_with_it_and_not_what_was_sent() {
        let said = |problem: &Problem| problem.text(Language::En).to_owned();
        assert_eq!(said(&TERMINAL.missing()), "must have TERMINAL_ID: the terminal's number");
        assert_eq!(TERMINAL.check("ñ234"), Ok(()));
        let long = TERMINAL.check("12345").unwrap_err();
        assert_eq!(said(&long), "is too long: the terminal's number has at most 4 characters");
        assert!(TERMINAL.check("1\n2").is_err());
    }

    #[test]
    fn credentials_show_their_names_alone() {
        let mut credentials = Credentials::default();
        credentials.set("api_key", SecretText::from("former"));
        credentials.set("client_id", SecretText::from("made-up-too"));
        credentials.set("api_key", SecretText::from("made-up"));
        assert_eq!(format!("{credentials:?}"), r#"{"api_key", "client_id"}"#);
        assert_eq!(credentials.get("api_key"), Some(&SecretText::from("made-up")));
        assert_eq!(credentials.get("another"), None);
    }
}
