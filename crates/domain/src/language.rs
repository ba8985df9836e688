//! The two languages in which people are answered.

/// A language of the texts for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// Spanish, which is spoken where nothing else is asked for.
    #[default]
    Es,
    /// English.
    En,
}

impl Language {
    /// Both, for tests and documents that walk them.
    pub const ALL: [Self; 2] = [Self::Es, Self::En];

    /// Its code, which stores keep (ISO 639-1).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Es => "es",
            Self::En => "en",
        }
    }

    /// The one of two texts that is in this language.
    #[must_use]
    pub const fn pick<'a>(self, spanish: &'a str, english: &'a str) -> &'a str {
        match self {
            Self::Es => spanish,
            Self::En => english,
        }
    }

    /// The language of that code.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == code)
    }

    /// The one that an `Accept-Language` header prefers: the greatest weight wins, and of equal
    /// weights the first. A language that is not spoken here, or one of weight zero, counts for
    /// nothing.
    #[must_use]
    pub fn from_accept_language(header: &str) -> Self {
        let mut best = (0, Self::default());
        for range in header.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default();
            let primary = tag.split('-').next().unwrap_or_default();
            let language = match primary.to_ascii_lowercase().as_str() {
                "es" | "*" => Self::Es,
                "en" => Self::En,
                _ => continue,
            };
            let weight = parts.find_map(weight).unwrap_or(1_000);
            if weight > best.0 {
                best = (weight, language);
            }
        }
        best.1
    }
}

/// The weight of `q=0.8` in thousandths. One that cannot be read counts for nothing.
fn weight(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value: f32 = value.trim().parse().unwrap_or(0.0);
    let in_range = (0.0..=1.0).contains(&value);
    Some(if in_range { (value * 1_000.0).round() as u16 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_weight_wins() {
        for (header, language) in [
            ("", Language::Es),
            ("en", Language::En),
            ("EN-us", Language::En),
            ("es-VE,es;q=0.9,en;q=0.8", Language::Es),
            ("en;q=0.8, es;q=0.9", Language::Es),
            ("es;q=0.2, en-GB;q=0.7", Language::En),
            ("fr, en;q=0.5", Language::En),
            ("fr", Language::Es),
            ("en;q=0", Language::Es),
            ("en, es", Language::En),
            ("*, en;q=0.5", Language::Es),
            ("en;q=abc", Language::Es),
            ("en;q=7, es;q=0.1", Language::Es),
            ("en ; Q = 0.9 , es ; q=0.1", Language::En),
            ("english", Language::Es),
        ] {
            assert_eq!(Language::from_accept_language(header), language, "{header}");
        }
    }
}
