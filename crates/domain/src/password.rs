//! Passwords that anybody would try first: they are refused where somebody chooses one.
//!
//! A list of whole passwords would be long and soon out of date. People make theirs of few parts, so the parts are listed:
//! words, years, rows of the keyboard. What such parts do not explain has to be something.

mod words;

use crate::client_names::plain;

/// How many characters a password has at least that no common part explains.
const LEFT_MIN: usize = 4;

/// How many different characters it has at least.
const DIFFERENT_MIN: usize = 5;

/// The shortest text that may be there several times.
const UNIT_MIN: usize = 8;

/// How many neighbours in a row are no coincidence.
const ROW_MIN: usize = 4;

/// The shortest part of a name or an address that is looked for.
const OWN_MIN: usize = 3;

/// Characters by which people part words.
const SEPARATORS: &str = "-_.,";

/// Characters that lie beside one another, in either direction.
const ROWS: [&str; 6] = [
    "01234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "asdfghjklñ",
    "zxcvbnm",
    "!\"#$%&/()=",
];

/// Reason why a password is one of the first that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// The same few characters again and again.
    Repeated,
    /// Digits alone, as an account, a document or a telephone has.
    Digits,
    /// Words and rows that many people choose.
    Common,
    /// Besides these, the name or the address of who chooses it, or of the merchant.
    Own,
}

impl Weakness {
    /// Returns what is wrong with the password, in Spanish and in English.
    #[must_use]
    pub const fn problem(self) -> (&'static str, &'static str) {
        match self {
            Self::Repeated => (
                "repite lo mismo; elija otra, como cuatro palabras que no vayan juntas",
                "repeats the same; choose another, such as four words that do not belong together",
            ),
            Self::Digits => (
                "tiene solo números; elija otra, como cuatro palabras que no vayan juntas",
                "has digits alone; choose another, such as four words that do not belong together",
            ),
            Self::Common => (
                "es de las primeras que cualquiera prueba; elija otra, como cuatro palabras que no vayan juntas",
                "is one of the first that anybody tries; choose another, such as four words that do not belong together",
            ),
            Self::Own => (
                "lleva poco más que su nombre, su correo o el del comercio; elija otra, como cuatro palabras que no vayan juntas",
                "is little more than your name, your email or the shop's; choose another, such as four words that do not belong together",
            ),
        }
    }
}

/// Finds why a password is one of the first that are tried. `own` are the words of who chooses it ([`own_words`]).
#[must_use]
pub fn weakness(password: &str, own: &[String]) -> Option<Weakness> {
    let text: Vec<char> = plain(password).chars().filter(|it| !is_separator(*it)).collect();
    if is_repeated(&text) {
        return Some(Weakness::Repeated);
    }
    if text.iter().all(char::is_ascii_digit) {
        return Some(Weakness::Digits);
    }
    let mut explained = vec![false; text.len()];
    explain_numbers(&mut explained, &text);
    explain_words(&mut explained, &text, words::COMMON.split_whitespace());
    if is_little_left(&explained) {
        return Some(Weakness::Common);
    }
    explain_words(&mut explained, &text, own.iter().map(String::as_str));
    is_little_left(&explained).then_some(Weakness::Own)
}

/// Returns the words of which names and addresses consist, as [`weakness`] looks for them.
#[must_use]
pub fn own_words(texts: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    for text in texts {
        let text = plain(text);
        let parts = text.split(|letter: char| !letter.is_alphanumeric());
        let parts = parts.filter(|part| part.chars().count() >= OWN_MIN);
        words.extend(parts.map(ToOwned::to_owned));
    }
    words
}

fn is_separator(letter: char) -> bool {
    letter.is_whitespace() || SEPARATORS.contains(letter)
}

/// Tells whether a text has few characters, or is a short one several times.
fn is_repeated(text: &[char]) -> bool {
    let mut different = text.to_vec();
    different.sort_unstable();
    different.dedup();
    let repeats = |unit: usize| text.iter().skip(unit).zip(text).all(|(one, other)| one == other);
    different.len() < DIFFERENT_MIN
        || (1..UNIT_MIN).any(|unit| text.len() >= 2 * unit && repeats(unit))
}

fn is_little_left(explained: &[bool]) -> bool {
    explained.iter().filter(|it| !**it).count() < LEFT_MIN
}

/// Marks rows of neighbours, and years.
fn explain_numbers(explained: &mut [bool], text: &[char]) {
    let mut start = 0;
    for at in 1..=text.len() {
        let goes_on = at < text.len() && are_neighbours(text[at - 1], text[at]);
        if goes_on {
            continue;
        }
        if at - start >= ROW_MIN {
            mark(explained, start, at - start);
        }
        start = at;
    }
    for (at, year) in text.windows(4).enumerate() {
        let is_year = matches!(year, ['1', '9', _, _] | ['2', '0', _, _]);
        if is_year && year.iter().all(char::is_ascii_digit) {
            mark(explained, at, year.len());
        }
    }
}

/// Tells whether two characters are the same, or lie side by side in a row.
fn are_neighbours(one: char, other: char) -> bool {
    let beside = |row: &&str| {
        let mut pairs = row.chars().zip(row.chars().skip(1));
        pairs.any(|pair| pair == (one, other) || pair == (other, one))
    };
    one == other || ROWS.iter().any(beside)
}

/// Marks words, also where digits and signs stand for letters.
fn explain_words<'a>(explained: &mut [bool], text: &[char], words: impl Iterator<Item = &'a str>) {
    let read: Vec<char> = text.iter().map(|sign| letter_of(*sign)).collect();
    for word in words {
        let word: Vec<char> = word.chars().collect();
        if word.is_empty() {
            continue;
        }
        let seen = text.windows(word.len()).zip(read.windows(word.len()));
        for (at, (plain, read)) in seen.enumerate() {
            if plain == word || read == word {
                mark(explained, at, word.len());
            }
        }
    }
}

/// The letter that a digit or a sign is written for.
const fn letter_of(sign: char) -> char {
    match sign {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        other => other,
    }
}

fn mark(explained: &mut [bool], start: usize, len: usize) {
    explained.iter_mut().skip(start).take(len).for_each(|it| *it = true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everybody_tries_is_found() {
        for (password, found) in [
            ("            ", Weakness::Repeated),
            ("aaaaaaaaaaaa", Weakness::Repeated),
            ("abcxabcxabcx", Weakness::Repeated),
            ("Lucia1Lucia1", Weakness::Repeated),
            ("123456789012", Weakness::Digits),
            ("041412345678", Weakness::Digits),
            ("passwordpassword", Weakness::Common),
            ("P@ssw0rd1234!", Weakness::Common),
            ("p-a-s-s-w-o-r-d-2026", Weakness::Common),
            ("Contraseña2026", Weakness::Common),
            ("qwertyuiop12", Weakness::Common),
            ("Venezuela2026*", Weakness::Common),
            ("te amo princesa", Weakness::Common),
            ("Cotejo123456", Weakness::Common),
            ("pagomovil2025", Weakness::Common),
        ] {
            assert_eq!(weakness(password, &[]), Some(found), "{password}");
        }
    }

    #[test]
    fn what_is_about_the_person_is_found() {
        let own = own_words(&["eva.toro@ferreteria-sol.example", "Eva Toro", "Ferretería El Sol"]);
        for password in [
            "eva.toro.1985",
            "ferreteriasol",
            "Ferreteria-Sol-2026",
            "EvaToro*12345",
            "t0ro ferreteria",
        ] {
            assert_eq!(weakness(password, &own), Some(Weakness::Own), "{password}");
            assert_eq!(weakness(password, &[]), None, "{password}");
        }
    }

    #[test]
    fn phrases_and_chance_are_let_through() {
        let own = own_words(&["eva.toro@ferreteria-sol.example", "Eva", "El Sol"]);
        for password in [
            "correct horse battery staple",
            "una frase que nadie más sabe",
            "otra frase de prueba",
            "another password",
            "mi clave es larga y verde",
            "gK7#xP2m!qLz",
            "lámpara tijera ocho río",
            "twelve bytes",
        ] {
            assert_eq!(weakness(password, &own), None, "{password}");
        }
    }
}
