//! The merchant's logo, as a PDF shows it.

use domain::logo::{KEPT_MAX, Logo, LogoKind, Size};
use krilla::geom;
use krilla::image::Image;

/// Bytes of a logo that is drawn, at most: more than any has that was kept.
const LEN_MAX: usize = 256 * 1024;

/// Points of a pixel of style sheets.
const POINTS: f32 = 0.75;

/// A logo that can be drawn.
pub(super) struct PdfLogo {
    pub(super) image: Image,
    pub(super) size: geom::Size,
}

impl PdfLogo {
    /// Reads the bytes of a logo; nothing where they are none, or larger than what is kept.
    pub(super) fn read(logo: &Logo, bytes: Vec<u8>) -> Option<Self> {
        if bytes.len() > LEN_MAX {
            return None;
        }
        let image = match logo.kind {
            LogoKind::Jpeg => Image::from_jpeg(bytes.into(), true),
            LogoKind::Png => Image::from_png(bytes.into(), true),
        };
        let image = image.ok()?;
        let (width, height) = image.size();
        let size = Size { width, height };
        if size.within(KEPT_MAX) != size {
            return None;
        }
        let shown = Logo { size, ..*logo }.shown();
        let points = |side: u32| u16::try_from(side).ok().map(|side| f32::from(side) * POINTS);
        let size = geom::Size::from_wh(points(shown.width)?, points(shown.height)?)?;
        Some(Self { image, size })
    }
}
