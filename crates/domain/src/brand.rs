//! The colour that an owner's pages have, and what is made of it so that everybody can read them.

use std::fmt;

use crate::typed::seen;

/// The contrast that text needs to be read by most people: that of WCAG 2.2 AA.
pub const CONTRAST_MIN: f64 = 4.5;

/// In how many steps a colour is made darker or lighter.
const STEPS: u16 = 64;

/// Text that is no colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a colour such as #0b5cad")]
pub struct InvalidColour;

/// A colour: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour([u8; 3]);

impl Colour {
    /// Black.
    pub const BLACK: Self = Self([0; 3]);

    /// White.
    pub const WHITE: Self = Self([u8::MAX; 3]);

    /// That much red, green and blue.
    #[must_use]
    pub const fn of(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// Reads `#0b5cad`, with or without the sign, or `#05a` for short.
    ///
    /// # Errors
    /// [`InvalidColour`] for other text.
    pub fn parse(text: &str) -> Result<Self, InvalidColour> {
        let text = seen(text);
        let digits = text.strip_prefix('#').unwrap_or(&text).as_bytes();
        let values: Option<Vec<u8>> = digits.iter().map(|digit| hex(*digit)).collect();
        match values.as_deref() {
            Some([a, b, c, d, e, f]) => Ok(Self([a << 4 | b, c << 4 | d, e << 4 | f])),
            Some([a, b, c]) => Ok(Self([a * 17, b * 17, c * 17])),
            _ => Err(InvalidColour),
        }
    }

    /// How much it stands out from another colour: from 1 to 21.
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The colour nearest to it that can be read on that ground: darker on a light one, lighter on a dark one.
    #[must_use]
    pub fn readable_on(self, ground: Self) -> Self {
        let towards = ground.ink();
        let steps = (0..=STEPS).map(|step| self.mixed(towards, step));
        steps.into_iter().find(|one| one.contrast(ground) >= CONTRAST_MIN).unwrap_or(towards)
    }

    /// Black or white, whichever is read better on it. One of them can always be read.
    #[must_use]
    pub fn ink(self) -> Self {
        let is_black = self.contrast(Self::BLACK) >= self.contrast(Self::WHITE);
        if is_black { Self::BLACK } else { Self::WHITE }
    }

    /// So many of [`STEPS`] parts of the way to another colour.
    fn mixed(self, other: Self, step: u16) -> Self {
        let mix = |one: u8, other: u8| {
            let sum = u16::from(one) * (STEPS - step) + u16::from(other) * step;
            u8::try_from(sum / STEPS).unwrap_or(u8::MAX)
        };
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([mix(a, d), mix(b, e), mix(c, f)])
    }

    /// How bright it is to people, from 0 to 1, as WCAG defines it.
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours that shops have, and the ends of the range.
    const COLOURS: [&str; 20] = [
        "#000000", "#ffffff", "#ff0000", "#00ff00", "#0000ff", "#ffff00", "#00ffff", "#ff00ff",
        "#808080", "#ffd700", "#ffcc00", "#f7c6d9", "#0b5cad", "#7db7f5", "#123456", "#fedcba",
        "#c0ffee", "#a31621", "#2e8b57", "#777777",
    ];

    #[test]
    fn colours_are_read_and_written() {
        for (text, colour) in [("#0b5cad", "#0b5cad"), (" 0B5CAD ", "#0b5cad"), ("#05A", "#0055aa")]
        {
            assert_eq!(Colour::parse(text).unwrap().to_string(), colour);
        }
        for text in ["", "#", "#12345", "#1234567", "red", "#gggggg", "#0b5cad;", "#ááá"] {
            assert_eq!(Colour::parse(text), Err(InvalidColour), "{text}");
        }
        assert!((Colour::BLACK.contrast(Colour::WHITE) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn every_colour_can_be_read_on_its_ground_and_written_on() {
        for text in COLOURS {
            let colour = Colour::parse(text).unwrap();
            for ground in ["#ffffff", "#f4f5f7", "#e8f1fb", "#121417", "#1c2025", "#142a42"] {
                let ground = Colour::parse(ground).unwrap();
                let readable = colour.readable_on(ground);
                assert!(readable.contrast(ground) >= CONTRAST_MIN, "{text} on {ground}");
                let ink = readable.ink();
                assert!(ink.contrast(readable) >= CONTRAST_MIN, "{ink} on {readable}");
            }
        }
    }

    #[test]
    fn what_can_be_read_stays_as_it_is() {
        let colour = Colour::parse("#0b5cad").unwrap();
        assert_eq!(colour.readable_on(Colour::WHITE), colour);
    }
}
