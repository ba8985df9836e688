//! A face of the font that receipts are set in: how wide a text is, and where it breaks.

use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider};

/// Character in place of each that the font lacks.
const LACKING: char = '?';

/// One face of a font.
pub(super) struct Face {
    pub(super) font: Font,
    charmap: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
}

impl Face {
    /// Reads a face from the bytes of its file.
    pub(super) fn read(bytes: &'static [u8]) -> Option<Self> {
        let file = FontRef::new(bytes).ok()?;
        let metrics = file.glyph_metrics(Size::unscaled(), LocationRef::default());
        Some(Self { font: Font::new(bytes.into(), 0)?, charmap: file.charmap(), metrics })
    }

    /// Breaks a text into lines of that width: between words, and inside of one that is wider than a line.
    pub(super) fn lines(&self, text: &str, size: f32, width: f32) -> Vec<String> {
        let text: String = text.chars().map(|c| if self.has(c) { c } else { LACKING }).collect();
        let mut lines = Vec::new();
        let mut line = String::new();
        for word in text.split_whitespace() {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if self.width(&longer, size) <= width {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                // Whoever hears or copies the text has words apart, also where a line ends.
                line.push(' ');
                lines.push(line);
            }
            let mut rest = word;
            loop {
                let (head, tail) = rest.split_at(self.fitting(rest, size, width));
                if tail.is_empty() {
                    break;
                }
                lines.push(head.to_owned());
                rest = tail;
            }
            line = rest.to_owned();
        }
        if !line.is_empty() {
            lines.push(line);
        }
        lines
    }

    /// Glyphs of a line that [`Self::lines`] has made, each beside the former.
    pub(super) fn glyphs(&self, line: &str) -> Vec<KrillaGlyph> {
        line.char_indices()
            .map(|(at, c)| {
                let (id, range) = (GlyphId::new(self.glyph(c).to_u32()), at..at + c.len_utf8());
                KrillaGlyph::new(id, self.advance(c), 0.0, 0.0, 0.0, range, None)
            })
            .collect()
    }

    /// Length of the beginning of a word that fits into that width: its first character at least.
    fn fitting(&self, word: &str, size: f32, width: f32) -> usize {
        let mut sum = 0.0;
        let over = word.char_indices().find(|(at, c)| {
            sum += self.advance(*c) * size;
            *at > 0 && sum > width
        });
        over.map_or(word.len(), |(at, _)| at)
    }

    fn width(&self, line: &str, size: f32) -> f32 {
        line.chars().map(|c| self.advance(c)).sum::<f32>() * size
    }

    /// The advance of a character, in parts of the font's size.
    fn advance(&self, c: char) -> f32 {
        self.metrics.advance_width(self.glyph(c)).unwrap_or_default() / self.font.units_per_em()
    }

    fn has(&self, c: char) -> bool {
        // An accessible PDF has no text with any of these.
        let is_none = matches!(c, '\0' | '\u{feff}' | '\u{fffe}');
        c.is_whitespace() || (!is_none && self.charmap.map(c).is_some_and(|id| id.to_u32() > 0))
    }

    fn glyph(&self, c: char) -> skrifa::GlyphId {
        self.charmap.map(c).unwrap_or_default()
    }
}
