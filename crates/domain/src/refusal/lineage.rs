//! Refusals to end what has issued something that still lives, in two languages.

use super::Fact;
use super::text::choose;
use crate::language::Language::{self, En, Es};

/// How many of those that live are named in the text for people.
const NAMED_MAX: usize = 5;

/// Key or person that was issued, as a refusal names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedThing {
    /// The noun of the wire: `api_key` or `employee`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// A refusal about what a key or a person has issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineageRefusal {
    /// It has issued what still lives, and the call does not say what becomes of that.
    Lives {
        /// The first ones that the caller may end itself.
        issued: Vec<IssuedThing>,
        /// How many live.
        total: i64,
    },
    /// More lives than is ended at once.
    TooMany {
        /// How many are ended at once.
        limit: i64,
    },
}

impl LineageRefusal {
    /// Its text.
    pub(super) fn message(&self, language: Language) -> String {
        match self {
            Self::Lives { issued, total } => lives(issued, *total, language),
            Self::TooMany { limit } => match language {
                Es => format!(
                    "Emitió más de {limit} que siguen vivas, y de una sola vez no se terminan tantas. Termine primero, una \
                     por una, las llaves y personas que más emitieron, o deje lo emitido con with_issued=false."
                ),
                En => format!(
                    "It has issued more than {limit}, and no more is ended at once. First end, one by one, the API keys \
                     and people that issued most, or leave what was issued by with_issued=false."
                ),
            },
        }
    }

    /// The facts for machines.
    pub(super) fn facts(&self) -> Vec<(&'static str, Fact)> {
        match self {
            Self::Lives { issued, total } => {
                vec![("issued", Fact::Issued(issued.clone())), ("total", Fact::Int(*total))]
            }
            Self::TooMany { limit } => vec![("limit", Fact::Int(*limit))],
        }
    }
}

fn lives(issued: &[IssuedThing], total: i64, language: Language) -> String {
    let names: Vec<&str> = issued.iter().take(NAMED_MAX).map(|it| it.name.as_str()).collect();
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let what_to_do = choose(
        language,
        "Diga qué pasa con ello: with_issued=true lo termina también, with_issued=false lo deja.",
        "Say what becomes of it: with_issued=true ends it as well, with_issued=false leaves it.",
    );
    match language {
        Es => format!(
            "Emitió llaves o invitó personas que siguen vivas: {total}{names}. {what_to_do}"
        ),
        En => format!(
            "It issued API keys or invited people that still live: {total}{names}. {what_to_do}"
        ),
    }
}
