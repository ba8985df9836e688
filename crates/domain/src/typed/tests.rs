use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::payer::{AccountNumber, BankCode, Document, Phone};
use crate::profile::SupportPhone;
use crate::reference::{BankReference, TypedReference};
use crate::second_factor::ShownCode;
use crate::text::{EmailAddress, InvalidText, Text};

/// Every general category with all its characters; surrogates are none.
fn categories() -> Vec<(GeneralCategory, Arc<[char]>)> {
    let mut of_all: BTreeMap<u8, (GeneralCategory, Vec<char>)> = BTreeMap::new();
    for one in '\0'..=char::MAX {
        let category = category(one);
        let (_, characters) = of_all.entry(category as u8).or_insert((category, Vec::new()));
        characters.push(one);
    }
    of_all.into_values().map(|(category, characters)| (category, characters.into())).collect()
}

/// A character of any category, each as likely as the others.
fn any_character() -> impl Strategy<Value = char> {
    let of_all = categories();
    (select(of_all), any::<Index>()).prop_map(|((_, characters), index)| *index.get(&characters))
}

/// A character that cannot be seen.
fn unseen_character() -> impl Strategy<Value = char> {
    let all: Vec<char> = ('\0'..=char::MAX).filter(|one| is_unseen(*one)).collect();
    select(all)
}

fn with(text: &str, character: char, place: Index) -> String {
    let place = place.index(text.chars().count() + 1);
    let (before, after): (Vec<_>, Vec<_>) = text.chars().enumerate().partition(|(n, _)| *n < place);
    let chars = |part: Vec<(usize, char)>| part.into_iter().map(|(_, one)| one).collect::<String>();
    format!("{}{character}{}", chars(before), chars(after))
}

/// The value of each kind that `text` is read as, as far as it is one.
fn values(text: &str) -> [Option<String>; 9] {
    let shown = |code: ShownCode| match code {
        ShownCode::Totp(_) => "code".to_owned(),
        ShownCode::Recovery(hash) => format!("{:?}", hash.to_bytes()),
    };
    [
        TypedReference::parse(text).ok().map(|read| read.typed().to_owned()),
        BankReference::parse(text).ok().map(|read| read.shown().to_owned()),
        Phone::parse(text).ok().map(|read| read.to_string()),
        SupportPhone::parse(text).ok().map(|read| read.as_str().to_owned()),
        Document::parse(text).ok().map(|read| read.to_string()),
        BankCode::parse(text).ok().map(|read| read.to_string()),
        AccountNumber::parse(text).ok().map(|read| read.to_string()),
        EmailAddress::parse(text).ok().map(|read| read.to_string()),
        ShownCode::parse(text).map(shown),
    ]
}

const RIGHT: [&str; 9] = [
    "0012437890",
    "79912345",
    "0414-1234567",
    "(0212) 123.45.67",
    "V-12.345.678",
    "0102",
    "0102-0000-89-0000000001",
    "Ana+x@Example.com",
    "7kq4-m2xn-0d9p-w3fz",
];

#[test]
fn every_general_category_is_either_seen_or_not_seen_as_a_whole_but_for_ignored_characters() {
    use GeneralCategory as Gc;
    let of_all = categories();
    assert_eq!(of_all.len(), 29, "all but surrogates");
    for (category, characters) in of_all {
        let unseen = characters.iter().filter(|one| is_unseen(**one)).count();
        match category {
            // All but the signs that are drawn around numbers.
            Gc::Format => assert!((1..20).contains(&(characters.len() - unseen)), "{unseen}"),
            // Fillers, selectors and what is kept free for more of them.
            Gc::NonspacingMark | Gc::OtherLetter | Gc::Unassigned => assert!(unseen > 0),
            _ => assert_eq!(unseen, 0, "{category:?}"),
        }
    }
}

#[test]
fn what_telephones_and_messages_put_around_numbers_is_not_seen() {
    for unseen in [
        '\u{202a}',
        '\u{202c}',
        '\u{202e}',
        '\u{2066}',
        '\u{2069}',
        '\u{200e}',
        '\u{200f}',
        '\u{61c}',
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{2060}',
        '\u{feff}',
        '\u{ad}',
        '\u{34f}',
        '\u{3164}',
        '\u{fe0e}',
        '\u{fe0f}',
        '\u{e0041}',
        '\u{e0100}',
        '\u{180e}',
        '\u{fffa}',
    ] {
        assert!(is_unseen(unseen), "{unseen:?}");
        let phone = format!("{unseen}+58 414{unseen}-1234567{unseen}");
        assert_eq!(Phone::parse(&phone).unwrap().as_str(), "584141234567", "{unseen:?}");
        assert_eq!(seen(&format!(" {unseen} a{unseen}b {unseen}")), "ab", "{unseen:?}");
    }
    assert!(!['a', 'ñ', '\0', '\u{301}', '\u{a0}', '\u{600}'].into_iter().any(is_unseen));
}

#[test]
fn digits_of_other_scripts_are_refused_wherever_digits_are_read() {
    let (_, digits) = categories()
        .into_iter()
        .find(|(category, _)| *category == GeneralCategory::DecimalNumber)
        .unwrap();
    let others: Vec<char> = digits.iter().copied().filter(|one| !one.is_ascii()).collect();
    assert!(others.contains(&'\u{661}') && others.contains(&'\u{ff11}') && others.len() > 600);
    for other in others {
        for text in RIGHT.iter().filter(|text| text.contains(|one: char| one.is_ascii_digit())) {
            let digit = text.chars().find(char::is_ascii_digit).unwrap();
            let text = text.replacen(digit, &other.to_string(), 1);
            assert!(values(&text).iter().all(Option::is_none), "{text}");
        }
    }
}

#[test]
fn what_joins_emoji_and_letters_stays_where_it_does_and_nowhere_else() {
    for text in [
        "👨\u{200d}👩\u{200d}👧",
        "👩🏽\u{200d}🍳 Café",
        "❤\u{fe0f}\u{200d}🔥",
        "Caja 1\u{fe0f}\u{20e3}",
        "می\u{200c}خواهم",
        "क्\u{200d}ष",
        "niño\u{301}",
    ] {
        assert_eq!(seen(text), text);
    }
    for (text, kept) in [
        ("👨\u{200d}", "👨"),
        ("a\u{200d}b", "ab"),
        ("é\u{200d}ñ", "éñ"),
        ("\u{200d}👩", "👩"),
        ("👨\u{200d}\u{200d}\u{fe0f}👩", "👨\u{200d}👩"),
        ("1\u{fe0f}2", "12"),
        ("می\u{200c}", "می"),
        ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}"),
        ("🏴\u{e0067}\u{e0062}\u{e007f}", "🏴"),
    ] {
        assert_eq!(seen(text), kept, "{text:?}");
    }
}

#[test]
fn a_long_row_of_joiners_is_read_in_one_go() {
    let row = format!("👨{}👩", "\u{200d}".repeat(80_000));
    assert_eq!(seen(&row), "👨\u{200d}👩");
    assert_eq!(seen(&"\u{200d}".repeat(80_000)), "");
}

#[test]
fn line_breaks_and_tabs_become_a_space_and_other_controls_are_refused() {
    for (text, kept) in [
        ("dos\nlíneas", "dos líneas"),
        ("dos \r\n\tlíneas\n", "dos líneas"),
        ("dos\u{b}líneas\u{c}", "dos líneas"),
        ("dos\u{2028}líneas\u{2029}\u{85}más", "dos líneas más"),
        ("dos  espacios", "dos  espacios"),
    ] {
        assert_eq!(Text::<1, 40>::parse(text).unwrap().as_str(), kept, "{text:?}");
    }
    for control in ('\0'..='\u{9f}').filter(|one| one.is_control() && !one.is_whitespace()) {
        let text = format!("a{control}b");
        assert_eq!(Text::<1, 9>::parse(&text), Err(InvalidText::Control), "{control:?}");
        assert!(values(&format!("04141{control}234567")).iter().all(Option::is_none));
    }
}

proptest! {
    #[test]
    fn what_cannot_be_seen_changes_no_value(which in 0..RIGHT.len(), one in unseen_character(), place: Index) {
        let right = RIGHT[which];
        prop_assert!(values(right)[which].is_some(), "{}", right);
        prop_assert_eq!(values(&with(right, one, place)), values(right));
    }

    #[test]
    fn what_cannot_be_seen_changes_no_free_text_of_ours(text in "[a-zñáéíóúA-ZÑ0-9 .,;:-]{1,20}", one in unseen_character(), place: Index) {
        prop_assume!(!text.trim().is_empty());
        let parsed = |text: &str| Text::<0, 20>::parse(text).unwrap();
        prop_assert_eq!(parsed(&with(&text, one, place)), parsed(&text));
    }

    #[test]
    fn a_character_of_any_category_is_dropped_refused_or_read_for_what_it_is(which in 0..RIGHT.len(), one in any_character(), place: Index) {
        let right = RIGHT[which];
        let is_read = one.is_ascii() || is_unseen(one) || is_separator(one);
        for (read, was) in values(&with(right, one, place)).iter().zip(values(right)) {
            prop_assert!(is_read || read.is_none() || *read == was, "{one:?} {read:?}");
            prop_assert!(!is_unseen(one) || *read == was, "{one:?} {read:?}");
        }
    }

    #[test]
    fn what_was_read_once_stays_as_it_is(text in proptest::collection::vec(any_character(), 0..12)) {
        let text: String = text.into_iter().collect();
        for read in [seen(&text), line(&text)] {
            prop_assert_eq!(seen(&read), read.clone());
            prop_assert_eq!(line(&read).into_owned(), line(&text).into_owned());
        }
        if let Ok(kept) = Text::<0, 12>::parse(&text) {
            prop_assert!(!kept.as_str().contains(char::is_control));
            prop_assert_eq!(Text::<0, 12>::parse(kept.as_str()), Ok(kept));
        }
    }
}
