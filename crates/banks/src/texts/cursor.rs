//! A text of a bank, read from left to right, and the values in it.
//!
//! The text is plain: lower case, without accents, one space where there was any. How an amount is written belongs to
//! the form of the text, since `1.900` is nineteen hundred to one bank and not quite two to another.

use std::time::Duration;

use domain::money::Bolivars;
use domain::reference::BankReference;
use domain::time::{CaracasDate, Timestamp};

/// The longest text that is read, in characters. A notice of a payment has some two hundred.
pub(super) const TEXT_LEN_MAX: usize = 2_000;

/// How an amount is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `1.234,56`: a point between thousands, and two decimals.
    Grouped,
    /// `1234,56`: two decimals, and nothing between thousands.
    Comma,
    /// `1234.5`: one or two decimals behind a point, and nothing between thousands.
    Point,
}

/// The text in the form in which it is compared. Quotation marks around it go; nothing where it is too long.
pub(super) fn plain(text: &str) -> Option<String> {
    if text.chars().count() > TEXT_LEN_MAX {
        return None;
    }
    let folded: String = text.chars().map(folded).collect();
    let spaced = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    let spaced = spaced.strip_prefix('"').unwrap_or(&spaced);
    let spaced = spaced.strip_suffix('"').unwrap_or(spaced);
    Some(spaced.trim().to_owned())
}

fn folded(character: char) -> char {
    match character {
        'á' | 'Á' => 'a',
        'é' | 'É' => 'e',
        'í' | 'Í' => 'i',
        'ó' | 'Ó' => 'o',
        'ú' | 'Ú' | 'ü' | 'Ü' => 'u',
        'ñ' | 'Ñ' => 'n',
        '\u{200b}' | '\u{feff}' => ' ',
        other => other.to_ascii_lowercase(),
    }
}

/// The part of a plain text that is not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    pub(super) const fn new(plain: &'a str) -> Self {
        Self(plain)
    }

    /// The text that is not read yet.
    pub(super) fn rest(self) -> &'a str {
        self.0.trim()
    }

    /// Reads these words, behind any space.
    pub(super) fn words(&mut self, words: &str) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(words)?;
        Some(())
    }

    /// Reads these words if they are next.
    pub(super) fn perhaps(&mut self, words: &str) -> bool {
        self.words(words).is_some()
    }

    /// Reads all up to these words, and the words.
    pub(super) fn up_to(&mut self, words: &str) -> Option<&'a str> {
        let (before, after) = self.0.split_once(words)?;
        self.0 = after;
        Some(before.trim())
    }

    /// Reads the name of a person, up to these words: letters, and what stands between them. Its owner chooses it, so that
    /// nothing in it may look like another part of the text.
    pub(super) fn name(&mut self, words: &str) -> Option<()> {
        let name = self.up_to(words)?;
        let is_letter =
            |letter: char| letter.is_alphabetic() || matches!(letter, ' ' | '.' | '\'' | '-' | ',');
        (!name.is_empty() && name.chars().all(is_letter)).then_some(())
    }

    /// Reads as many characters as are of that kind.
    fn run(&mut self, is_of_it: impl Fn(char) -> bool) -> &'a str {
        let text = self.0.trim_start();
        let end = text.find(|character| !is_of_it(character)).unwrap_or(text.len());
        let (run, rest) = text.split_at(end);
        self.0 = rest;
        run
    }

    /// Reads exactly that many digits, and no digit more.
    pub(super) fn digits(&mut self, count: usize) -> Option<&'a str> {
        let run = self.run(|character| character.is_ascii_digit());
        (run.len() == count).then_some(run)
    }

    /// Reads a reference of so many digits.
    pub(super) fn reference(&mut self, least: usize, most: usize) -> Option<BankReference> {
        let run = self.run(|character| character.is_ascii_digit());
        (least..=most).contains(&run.len()).then(|| BankReference::parse(run).ok())?
    }

    /// Reads the abbreviation of the currency, and the amount behind it.
    pub(super) fn bolivars(&mut self, style: Style) -> Option<Bolivars> {
        self.words("bs")?;
        self.perhaps(".");
        self.amount(style)
    }

    /// Reads an amount. A point or comma that ends it belongs to the sentence.
    pub(super) fn amount(&mut self, style: Style) -> Option<Bolivars> {
        let run =
            self.run(|character| character.is_ascii_digit() || matches!(character, '.' | ','));
        let amount = amount(run.trim_end_matches(['.', ',']), style)?;
        amount.is_positive().then_some(amount)
    }

    /// Reads a phone whose digits may be hidden behind stars; the whole number, if all can be seen.
    pub(super) fn phone(&mut self) -> Option<Option<&'a str>> {
        let run = self.run(|sign| sign.is_ascii_digit() || matches!(sign, '-' | '*'));
        let has_digits = run.bytes().any(|byte| byte.is_ascii_digit());
        has_digits.then(|| Some(run).filter(|run| !run.contains('*')))
    }

    /// Reads `05-11-26`, `05/11/26` or `05/11/2026`: day, month and year.
    pub(super) fn day(&mut self, separator: &str, year_digits: usize) -> Option<CaracasDate> {
        let day = self.digits(2)?;
        self.words(separator)?;
        let month = self.digits(2)?;
        self.words(separator)?;
        let year = self.digits(year_digits)?;
        let century = if year_digits == 2 { "20" } else { "" };
        CaracasDate::parse(&format!("{century}{year}-{month}-{day}")).ok()
    }

    /// Reads `14:07`, or `02:07 pm` where `is_halved`: the seconds since midnight.
    pub(super) fn time(&mut self, is_halved: bool) -> Option<u64> {
        let hour: u64 = self.digits(2)?.parse().ok()?;
        self.words(":")?;
        let minute: u64 = self.digits(2)?.parse().ok()?;
        let hour = match is_halved {
            false => hour,
            true if !(1..=12).contains(&hour) => return None,
            true if self.perhaps("am") => hour % 12,
            true => {
                self.words("pm")?;
                hour % 12 + 12
            }
        };
        (hour < 24 && minute < 60).then_some(hour * 3600 + minute * 60)
    }
}

/// The instant so many seconds after midnight in Caracas, whose days all have 24 hours.
pub(super) fn instant(day: CaracasDate, seconds: u64) -> Timestamp {
    day.start().plus(Duration::from_secs(seconds))
}

/// Reads an amount that is written so, and in no other way.
fn amount(text: &str, style: Style) -> Option<Bolivars> {
    let mark = if style == Style::Point { '.' } else { ',' };
    let (whole, decimals) = text.split_once(mark)?;
    let whole = match style {
        Style::Grouped => ungrouped(whole)?,
        Style::Comma | Style::Point => whole.to_owned(),
    };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let has_tenths_alone = style == Style::Point && decimals.len() == 1;
    if !are_digits(&whole) || !are_digits(decimals) || !(decimals.len() == 2 || has_tenths_alone) {
        return None;
    }
    let tenfold = if has_tenths_alone { 10 } else { 1 };
    let hundredths = decimals.parse::<i64>().ok()?.checked_mul(tenfold)?;
    let hundredths = whole.parse::<i64>().ok()?.checked_mul(100)?.checked_add(hundredths)?;
    let amount = Bolivars::from_hundredths(hundredths);
    (amount <= Bolivars::MAX).then_some(amount)
}

/// The digits of a whole number with a point between thousands; without any point, at most three.
fn ungrouped(text: &str) -> Option<String> {
    let mut groups = text.split('.');
    let is_first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    (is_first && groups.all(|group| group.len() == 3)).then(|| text.replace('.', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_an_amount_is_written_belongs_to_the_form() {
        use Style::{Comma, Grouped, Point};
        for (style, text, hundredths) in [
            (Grouped, "1.240,50", Some(124_050)),
            (Grouped, "75,00", Some(7_500)),
            (Grouped, "12.000,00", Some(1_200_000)),
            (Grouped, "1240,50", None),
            (Grouped, "1.900", None),
            (Grouped, "1.24,50", None),
            (Grouped, "1,240.50", None),
            (Comma, "2350,00", Some(235_000)),
            (Comma, "2.350,00", None),
            (Comma, "2350,0", None),
            (Point, "845.5", Some(84_550)),
            (Point, "1.0", Some(100)),
            (Point, "1.900", None),
            (Point, "1,9", None),
            (Point, "845", None),
            (Comma, "99999999999999999999,00", None),
            (Comma, ",50", None),
        ] {
            let read = amount(text, style).map(Bolivars::hundredths);
            assert_eq!(read, hundredths, "{style:?} {text}");
        }
    }

    #[test]
    fn a_text_is_compared_without_accents_quotes_and_gaps() {
        let text = "\"Recibiste  una\u{a0}Operación\r\nnúmero Ñ\"";
        assert_eq!(plain(text).unwrap(), "recibiste una operacion numero n");
        assert_eq!(plain(&"x".repeat(TEXT_LEN_MAX + 1)), None);
    }

    #[test]
    fn twelve_hours_are_told_apart() {
        for (text, seconds) in [
            ("04:20 pm", Some(16 * 3600 + 20 * 60)),
            ("12:05 am", Some(5 * 60)),
            ("12:05 pm", Some(12 * 3600 + 5 * 60)),
            ("13:05 pm", None),
            ("04:20", None),
        ] {
            assert_eq!(Cursor::new(text).time(true), seconds, "{text}");
        }
        assert_eq!(Cursor::new("24:00").time(false), None);
    }
}
