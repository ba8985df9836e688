//! What a run looks at: a part that rotates with each commit, and in a long run everything, a part after the other.

use std::env;

use crate::stage::{Hands, perform};

/// Variables that choose the part of a run. `cargo xtask test --long` sets the first.
const LONG_VARIABLE: &str = "TEST_LONG";
const PART_VARIABLE: &str = "TEST_PART";

/// In how many runs everything is looked at that is too much for one. A journey itself is run at every third commit: three
/// does not divide this, so that each part has its turn.
const PARTS: u32 = 5;

/// Part of a journey: it looks at each of so many things that it comes by, from that number on.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) number: u32,
    pub(crate) of: u32,
}

impl Part {
    /// Returns the folder of its pictures, apart from those of the other parts.
    pub(crate) fn folder(self) -> String {
        if self.of == 1 { String::new() } else { self.number.to_string() }
    }
}

/// The whole of it, by which journeys are not distinguished.
pub(crate) const ALL: Part = Part { number: 0, of: 1 };

/// Plays a journey that looks at a part of what it comes by.
///
/// # Panics
/// As [`perform`].
pub(crate) fn play_parts(journey: &str, language: &str) {
    parts().into_iter().for_each(|part| perform(Hands::Touch, journey, language, part));
}

/// Plays such a journey in one of the languages, which rotates more slowly than the part; in a long run in both.
///
/// # Panics
/// As [`perform`].
pub(crate) fn play_parts_in_turn(journey: &str) {
    match number() {
        Some(number) if (number / PARTS).is_multiple_of(2) => play_parts(journey, "es"),
        Some(_) => play_parts(journey, "en"),
        None => ["es", "en"].into_iter().for_each(|language| play_parts(journey, language)),
    }
}

/// Which parts of what is looked at this run takes: all in a long run, else one that rotates with each commit.
fn parts() -> Vec<Part> {
    match number() {
        Some(number) => vec![Part { number: number % PARTS, of: PARTS }],
        None => (0..PARTS).map(|number| Part { number, of: PARTS }).collect(),
    }
}

/// By what it is chosen what this run takes; nothing where it takes all.
#[expect(clippy::disallowed_methods, reason = "which part is taken is said from outside")]
fn number() -> Option<u32> {
    let is_long = env::var_os(LONG_VARIABLE).is_some();
    let number = env::var(PART_VARIABLE).ok().and_then(|number| number.parse().ok());
    (!is_long).then(|| number.unwrap_or(0))
}
