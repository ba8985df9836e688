//! The text of people, on its way to a value: typed, pasted from a message or copied from the contacts of a telephone.
//!
//! Every type that reads such text begins with [`seen`], so that two texts that look alike are one value. The
//! decisions follow Unicode's properties and no list of characters. A digit is one of the ten of ASCII: those of other
//! scripts are seen and are refused, since no receipt and no bank here prints them.

use std::borrow::Cow;

use icu_properties::props::{
    CanonicalCombiningClass, Dash, DefaultIgnorableCodePoint, EmojiModifier, ExtendedPictographic,
    GeneralCategory, JoiningType, PrependedConcatenationMark, VariationSelector,
};
use icu_properties::{CodePointMapData, CodePointSetData, CodePointSetDataBorrowed};

/// Characters of one property.
type Set = CodePointSetDataBorrowed<'static>;

/// The two joiners: without and with a ligature.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// Keeps an emoji with its own colours.
const EMOJI_STYLE: char = '\u{fe0f}';

/// Draws a key around a digit.
const KEYCAP: char = '\u{20e3}';

/// Drops what cannot be seen, and white space at both ends. Characters that join emoji, or letters of scripts that are
/// joined in writing, are kept where they do so.
#[must_use]
pub fn seen(text: &str) -> Cow<'_, str> {
    // White space may stand behind what is dropped.
    match without_unseen(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// Reads as [`seen`] does, on one line: line breaks and tabs become a space, those that follow each other become one.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    let text = seen(text);
    if !text.contains(is_break) {
        return text;
    }
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match is_break(character) {
            false => line.push(character),
            true if line.ends_with(' ') => {}
            true => line.push(' '),
        }
    }
    Cow::Owned(line)
}

/// Digits of `text` alone. People put white space, dots and hyphens between them, and what `is_mark` says besides.
/// Nothing where there is something else.
#[must_use]
pub fn digits(text: &str, is_mark: impl Fn(char) -> bool) -> Option<String> {
    let text = seen(text);
    let written = text.chars().filter(|one| !is_separator(*one) && !is_mark(*one));
    written.map(|one| one.is_ascii_digit().then_some(one)).collect()
}

/// Says whether a character has no shape of its own: Unicode has it ignored where it is not supported, or it is of format
/// and not one of the signs that are drawn around numbers.
#[must_use]
pub fn is_unseen(character: char) -> bool {
    const IGNORED: Set = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    const DRAWN: Set = CodePointSetData::new::<PrependedConcatenationMark>();
    if character.is_ascii() {
        return false;
    }
    let is_format = || category(character) == GeneralCategory::Format && !DRAWN.contains(character);
    IGNORED.contains(character) || is_format()
}

/// Says whether it breaks or advances a line: white space that is no space.
fn is_break(character: char) -> bool {
    character.is_whitespace() && (character.is_control() || is_line_separator(character))
}

fn is_line_separator(character: char) -> bool {
    use GeneralCategory::{LineSeparator, ParagraphSeparator};
    !character.is_ascii() && matches!(category(character), LineSeparator | ParagraphSeparator)
}

/// Says whether people put it between digits: white space, a dot, or a hyphen or dash of any length.
pub(crate) fn is_separator(character: char) -> bool {
    const DASHES: Set = CodePointSetData::new::<Dash>();
    match character {
        ' ' | '.' | '-' => true,
        _ if character.is_ascii_digit() => false,
        _ => character.is_whitespace() || DASHES.contains(character),
    }
}

fn category(character: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(character)
}

fn without_unseen(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars();
    // What is seen behind a row of what is not: joined is what is seen, and it is looked for once.
    let mut after = None;
    while let Some(character) = rest.next() {
        if !is_unseen(character) {
            kept.push(character);
            after = None;
            continue;
        }
        let after = *after.get_or_insert_with(|| rest.clone().find(|one| !is_unseen(*one)));
        if joins(kept.chars().next_back(), character, after) {
            kept.push(character);
        }
    }
    Cow::Owned(kept)
}

/// Says whether a character that cannot be seen changes how its neighbours are drawn, as their writers mean it.
fn joins(before: Option<char>, character: char, after: Option<char>) -> bool {
    const SELECTORS: Set = CodePointSetData::new::<VariationSelector>();
    const PICTURES: Set = CodePointSetData::new::<ExtendedPictographic>();
    const SKINS: Set = CodePointSetData::new::<EmojiModifier>();
    let Some(before) = before else { return false };
    if SELECTORS.contains(character) {
        let is_key = matches!(before, '0'..='9' | '#' | '*') && after == Some(KEYCAP);
        return character == EMOJI_STYLE && (is_key || PICTURES.contains(before));
    }
    if !JOINERS.contains(&character) {
        return false;
    }
    let Some(after) = after else { return false };
    let is_picture = PICTURES.contains(before) || SKINS.contains(before) || before == EMOJI_STYLE;
    let joins_pictures = character == JOINERS[1] && is_picture && PICTURES.contains(after);
    joins_pictures || (is_joined_on(before) && after.is_alphabetic() && !after.is_ascii())
}

/// Says whether a letter is joined to the one behind it, or is a sign by which the next one loses its vowel.
fn is_joined_on(letter: char) -> bool {
    let joining = CodePointMapData::<JoiningType>::new().get(letter);
    let combining = CodePointMapData::<CanonicalCombiningClass>::new().get(letter);
    matches!(joining, JoiningType::DualJoining | JoiningType::LeftJoining)
        || combining == CanonicalCombiningClass::Virama
}

#[cfg(test)]
mod tests;
