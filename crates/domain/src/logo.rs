//! An owner's logo: what is taken as one, and what is kept of it. It is drawn anew, small, and without anything else
//! that its file held.

use std::fmt;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::ids::OwnerId;

/// Media types that a picture may be sent as.
pub const MEDIA_TYPES: [&str; 2] = ["image/png", "image/jpeg"];

/// The largest file that is taken, in bytes.
pub const FILE_LEN_MAX: usize = 2 * 1024 * 1024;

/// The longest side of a picture that is taken, in pixels.
pub const SIDE_MAX: u32 = 4_096;

/// The shortest side of a picture that is taken, in pixels.
pub const SIDE_MIN: u32 = 16;

/// How many pixels a picture may have that is taken.
pub const PIXELS_MAX: u64 = 16_000_000;

/// The size that a logo is shrunk to, in pixels: twice what pages show, for screens that have so many.
pub const KEPT_MAX: Size = Size { width: 320, height: 120 };

/// The largest size of a logo on a page, in the pixels of style sheets.
const SHOWN_MAX: Size = Size { width: 160, height: 60 };

/// A width and a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How wide.
    pub width: u32,
    /// How high.
    pub height: u32,
}

impl Size {
    /// The largest size of the same shape within `bound`, and none larger than it is. No side goes.
    #[must_use]
    pub fn within(self, bound: Self) -> Self {
        let (width, height) = (u64::from(self.width), u64::from(self.height));
        let (width_max, height_max) = (u64::from(bound.width), u64::from(bound.height));
        if width <= width_max && height <= height_max {
            return self;
        }
        // The side that is further beyond its bound decides; the other is rounded to the nearest.
        let is_wide = width * height_max >= height * width_max;
        let (part, whole) = if is_wide { (width_max, width) } else { (height_max, height) };
        let shrunk = |side: u64, max: u64| {
            let side = (side * part + whole / 2) / whole.max(1);
            u32::try_from(side.clamp(1, max.max(1))).unwrap_or(1)
        };
        Self { width: shrunk(width, width_max), height: shrunk(height, height_max) }
    }

    /// The same, lying on its side.
    #[must_use]
    pub const fn turned(self) -> Self {
        Self { width: self.height, height: self.width }
    }
}

/// Name of a logo in its address: a hash of its owner and of its bytes. Two owners with the same logo have two
/// addresses, and a person who has a picture cannot find out whose logo it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogoHash([u8; 32]);

impl LogoHash {
    /// That of the owner's logo of these bytes.
    #[must_use]
    pub fn of(owner: OwnerId, bytes: &[u8]) -> Self {
        let hash = Sha256::new().chain_update("logo:").chain_update(owner.to_bytes());
        Self(hash.chain_update(bytes).finalize().into())
    }

    /// The hash that a store keeps as these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads it as it stands in an address: 64 digits, in one form alone.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = HEXLOWER.decode(text.as_bytes()).ok()?;
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Display for LogoHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

/// How a logo is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogoKind {
    /// Without holes.
    Jpeg,
    /// With what shows through.
    Png,
}

impl LogoKind {
    const ALL: [Self; 2] = [Self::Jpeg, Self::Png];

    /// Returns the ending of the file's name, which is also what a store keeps.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Returns the media type that the logo is served as.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

/// A logo as it is kept, but for its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logo {
    /// What it is called by.
    pub hash: LogoHash,
    /// How it is kept.
    pub kind: LogoKind,
    /// How large it is.
    pub size: Size,
}

impl Logo {
    /// Returns the path that the logo is served at.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/pay/logo/{}.{}", self.hash, self.kind.as_str())
    }

    /// How large pages show it.
    #[must_use]
    pub fn shown(&self) -> Size {
        self.size.within(SHOWN_MAX)
    }
}

/// Why a file is no logo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitPicture {
    /// There is none.
    #[error("is missing: choose a picture")]
    Missing,
    /// More than [`FILE_LEN_MAX`] bytes.
    #[error("has more than 2 MB: make it smaller and send it again")]
    TooHeavy,
    /// None of the kinds that are read.
    #[error("is no PNG or JPEG: save it as one of these and send it again")]
    OtherKind,
    /// A drawing that may hold programs.
    #[error("is an SVG, which is not taken: export it as PNG")]
    Svg,
    /// One of the kinds, and what it holds is not whole or makes no sense.
    #[error("is damaged or not whole: save it again and send that")]
    Broken,
    /// It moves.
    #[error("is animated: choose one that stands still")]
    Animated,
    /// More pixels than are drawn.
    #[error("has more than 4096 pixels on a side or more than 16 megapixels: make it smaller")]
    TooLarge,
    /// Fewer pixels than can be distinguished.
    #[error("has fewer than 16 pixels on a side: choose a larger one")]
    TooSmall,
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn size(width: u32, height: u32) -> Size {
        Size { width, height }
    }

    #[test]
    fn what_is_too_large_shrinks_in_its_shape_and_nothing_grows() {
        for (of, kept) in [
            (size(320, 120), size(320, 120)),
            (size(20, 30), size(20, 30)),
            (size(640, 240), size(320, 120)),
            (size(4_000, 3_000), size(160, 120)),
            (size(1_000, 1_000), size(120, 120)),
            (size(4_096, 16), size(320, 1)),
            (size(16, 4_096), size(1, 120)),
            (size(321, 120), size(320, 120)),
            (size(4_000, 20), size(320, 2)),
            (size(u32::MAX, u32::MAX), size(120, 120)),
        ] {
            assert_eq!(of.within(KEPT_MAX), kept, "{of:?}");
        }
    }

    #[test]
    fn an_address_names_whose_logo_it_is_and_nobody_reads_it_off() {
        let [one, other] = [1, 2].map(|n| OwnerId::from_bytes([n; 16]));
        let hash = LogoHash::of(one, b"picture");
        assert_ne!(hash, LogoHash::of(other, b"picture"));
        assert_ne!(hash, LogoHash::of(one, b"another"));
        assert_eq!(LogoHash::parse(&hash.to_string()), Some(hash));
        for wrong in ["", "00", &hash.to_string().to_uppercase(), &format!("{hash}0")] {
            assert_eq!(LogoHash::parse(wrong), None, "{wrong}");
        }
        let logo = Logo { hash, kind: LogoKind::Png, size: size(320, 90) };
        assert_eq!(logo.path(), format!("/pay/logo/{hash}.png"));
        assert_eq!(logo.shown(), size(160, 45));
    }
}
