//! Instants, days and counts as the dashboard writes them.

use domain::language::Language;
use domain::money::Credits;
use domain::time::Timestamp;

/// An instant by the clock of Caracas, to the minute: `2026-11-20 08:15`.
pub(super) fn instant(at: Timestamp) -> String {
    at.in_caracas()
}

/// The same to the second: `2026-11-20 08:15:07`.
pub(super) fn second(at: Timestamp) -> String {
    format!("{}:{:02}", at.in_caracas(), at.as_seconds().rem_euclid(60))
}

/// An instant as a browser's field of date and time takes it: `2026-11-20T08:15`.
pub(super) fn field_instant(at: Timestamp) -> String {
    at.in_caracas().replace(' ', "T")
}

/// When something was, in a sentence: `a las 14:05`, with the day where that is not the day of `now`.
pub(super) fn hour(at: Timestamp, now: Timestamp, language: Language) -> String {
    let (at, now) = (at.in_caracas(), now.in_caracas());
    let (day, hour) = at.split_once(' ').unwrap_or((&at, ""));
    match now.starts_with(day) {
        true => format!("{} {hour}", language.pick("a las", "at")),
        false => format!("{} {hour}", language.pick("el {day} a las", "on {day} at")),
    }
    .replace("{day}", day)
}

/// How long ago that was, in the largest unit that fits.
pub(super) fn ago(at: Timestamp, now: Timestamp, language: Language) -> String {
    let seconds = now.since(at).as_secs();
    let (count, unit) = match seconds {
        0..60 => return language.pick("ahora mismo", "just now").to_owned(),
        60..3_600 => (seconds / 60, ("min", "min")),
        3_600..86_400 => (seconds / 3_600, ("h", "h")),
        _ if seconds < 2 * 86_400 => return language.pick("ayer", "yesterday").to_owned(),
        _ => (seconds / 86_400, ("días", "days")),
    };
    match language {
        Language::Es => format!("hace {count} {}", unit.0),
        Language::En => format!("{count} {} ago", unit.1),
    }
}

/// Credits with their thousands apart.
pub(super) fn credits(credits: Credits, language: Language) -> String {
    count(credits.get(), language)
}

/// A number with its thousands apart.
pub(super) fn count(number: i64, language: Language) -> String {
    let point = language.pick(".", ",");
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push_str(point);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::time::CaracasMonth;

    use super::*;

    #[test]
    fn how_long_ago_is_said_in_one_unit() {
        let now = Timestamp::from_micros(1_763_640_000_000_000);
        let said_ago =
            |seconds, language| ago(now.minus(Duration::from_secs(seconds)), now, language);
        assert_eq!(said_ago(59, Language::Es), "ahora mismo");
        assert_eq!(said_ago(60, Language::Es), "hace 1 min");
        assert_eq!(said_ago(7_200, Language::En), "2 h ago");
        assert_eq!(said_ago(90_000, Language::Es), "ayer");
        assert_eq!(said_ago(172_800, Language::En), "2 days ago");
    }

    #[test]
    fn a_month_and_a_second_are_written_by_the_clock_of_caracas() {
        let month = CaracasMonth::parse("2026-12").unwrap();
        assert_eq!(month.in_words(Language::Es), "diciembre de 2026");
        assert_eq!(month.in_words(Language::En), "December 2026");
        let at = Timestamp::parse("2026-11-20T02:00:07.900Z").unwrap();
        assert_eq!(second(at), "2026-11-19 22:00:07");
        assert_eq!(field_instant(at), "2026-11-19T22:00");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(credits(Credits::new(1_234_567), Language::Es), "1.234.567");
        assert_eq!(credits(Credits::new(-1_000), Language::En), "-1,000");
        assert_eq!(credits(Credits::new(999), Language::En), "999");
    }
}
