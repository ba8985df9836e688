//! Draws a picture anew: read, shrunk, and written by our own encoder, so that nothing else that the file held is kept:
//! neither where a photo was taken, nor what stood behind the picture or between its parts.
//!
//! What it says of its size is looked at before anything is decoded.

use std::io::Cursor;

use domain::logo::{KEPT_MAX, LogoKind, PIXELS_MAX, SIDE_MAX, SIDE_MIN, Size, UnfitPicture};
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::{CompressionType, FilterType as Filter, PngDecoder, PngEncoder};
use image::imageops::{FilterType, resize};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageEncoder, ImageError, Limits, RgbaImage};

use super::drawing::Drawn;

/// How many bytes the pixels of a picture may take: four for each of [`PIXELS_MAX`]. One of sixteen bits a channel may
/// have half as many pixels.
pub(super) const PIXEL_BYTES_MAX: u64 = 4 * PIXELS_MAX;

/// How well a picture without holes is written, of a hundred.
const QUALITY: u8 = 90;

/// How far into a file that is no picture it is looked for what may be said of it.
const LOOKED_AT: usize = 1_024;

/// Draws the picture of a file.
///
/// # Errors
/// Why it is none that is taken.
pub(super) fn redraw(file: &[u8]) -> Result<Drawn, UnfitPicture> {
    let (picture, orientation) = match file {
        [] => return Err(UnfitPicture::Missing),
        [0x89, b'P', b'N', b'G', ..] => png(file)?,
        [0xff, 0xd8, 0xff, ..] => jpeg(file)?,
        _ if is_svg(file) => return Err(UnfitPicture::Svg),
        _ => return Err(UnfitPicture::OtherKind),
    };
    written(shrunk(picture, orientation))
}

fn png(file: &[u8]) -> Result<(DynamicImage, Orientation), UnfitPicture> {
    let decoder = PngDecoder::with_limits(Cursor::new(file), limits()).map_err(unread)?;
    if decoder.is_apng().map_err(unread)? {
        return Err(UnfitPicture::Animated);
    }
    decoded(decoder)
}

fn jpeg(file: &[u8]) -> Result<(DynamicImage, Orientation), UnfitPicture> {
    let decoder = JpegDecoder::new(Cursor::new(file)).map_err(unread)?;
    check_size(&decoder)?;
    // The decoder would fill with grey what is missing.
    if !has_end(file) {
        return Err(UnfitPicture::Broken);
    }
    decoded(decoder)
}

/// Returns the limits of the decoders: width, height and memory.
fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(PIXEL_BYTES_MAX);
    limits
}

/// The pixels of a picture of a size that is taken, and how it is held.
fn decoded(mut decoder: impl ImageDecoder) -> Result<(DynamicImage, Orientation), UnfitPicture> {
    check_size(&decoder)?;
    decoder.set_limits(limits()).map_err(unread)?;
    // What says nothing that makes sense is held as it is.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    Ok((DynamicImage::from_decoder(decoder).map_err(unread)?, orientation))
}

fn check_size(decoder: &impl ImageDecoder) -> Result<(), UnfitPicture> {
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > SIDE_MAX
        || pixels > PIXELS_MAX
        || decoder.total_bytes() > PIXEL_BYTES_MAX
    {
        return Err(UnfitPicture::TooLarge);
    }
    if width.min(height) < SIDE_MIN {
        return Err(UnfitPicture::TooSmall);
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "as errors are mapped")]
fn unread(error: ImageError) -> UnfitPicture {
    match error {
        ImageError::Limits(_) => UnfitPicture::TooLarge,
        _ => UnfitPicture::Broken,
    }
}

/// Tells whether a JPEG has its end: the end marker after the picture's own data. Anything may stand behind it.
fn has_end(file: &[u8]) -> bool {
    let mut at = 2;
    let byte = |at: usize| file.get(at).copied();
    while let (Some(first), Some(marker)) = (byte(at), byte(at + 1)) {
        match (first, marker) {
            (0xff, 0xd9) => return true,
            // Filling, and marks without a length.
            (0xff, 0xff) => at += 1,
            (0xff, 0x01 | 0xd0..=0xd8) => at += 2,
            (0xff, 0xc0..=0xfe) => {
                let (Some(high), Some(low)) = (byte(at + 2), byte(at + 3)) else { return false };
                at += 2 + usize::from(u16::from_be_bytes([high, low])).max(2);
            }
            // Data of the picture.
            _ => at += 1,
        }
    }
    false
}

/// Tells whether a file that is no picture of ours is an SVG, a drawing in text.
fn is_svg(file: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&file[..file.len().min(LOOKED_AT)]).to_ascii_lowercase();
    head.contains("<svg")
}

/// The picture in the size that is kept, held upright.
fn shrunk(picture: DynamicImage, orientation: Orientation) -> DynamicImage {
    let size = Size { width: picture.width(), height: picture.height() };
    let lies = matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    let wanted = size.within(if lies { KEPT_MAX.turned() } else { KEPT_MAX });
    let (width, height) = (wanted.width, wanted.height);
    let mut kept = if picture.color().has_alpha() {
        let mut pixels = picture.into_rgba8();
        if wanted != size {
            // What cannot be seen must not shine through at the edges of what can.
            multiply_by_alpha(&mut pixels);
            pixels = resize(&pixels, width, height, FilterType::Lanczos3);
            divide_by_alpha(&mut pixels);
        }
        DynamicImage::ImageRgba8(pixels)
    } else {
        let mut pixels = picture.into_rgb8();
        if wanted != size {
            pixels = resize(&pixels, width, height, FilterType::Lanczos3);
        }
        DynamicImage::ImageRgb8(pixels)
    };
    kept.apply_orientation(orientation);
    kept
}

fn multiply_by_alpha(pixels: &mut RgbaImage) {
    for pixel in pixels.pixels_mut() {
        let alpha = u16::from(pixel[3]);
        for part in &mut pixel.0[..3] {
            *part = u8::try_from((u16::from(*part) * alpha + 127) / 255).unwrap_or(u8::MAX);
        }
    }
}

fn divide_by_alpha(pixels: &mut RgbaImage) {
    for pixel in pixels.pixels_mut() {
        let alpha = u16::from(pixel[3]);
        for part in &mut pixel.0[..3] {
            let whole = (u16::from(*part) * 255 + alpha / 2).checked_div(alpha).unwrap_or(0);
            *part = u8::try_from(whole).unwrap_or(u8::MAX);
        }
    }
}

/// The file that is kept: a PNG where something shows through, and a JPEG where nothing does.
fn written(picture: DynamicImage) -> Result<Drawn, UnfitPicture> {
    let size = Size { width: picture.width(), height: picture.height() };
    let is_open = picture.as_rgba8().is_some_and(|pixels| pixels.pixels().any(|p| p[3] < u8::MAX));
    let mut bytes = Vec::new();
    let (kind, done) = if is_open {
        let encoder =
            PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, Filter::Adaptive);
        let pixels = picture.into_rgba8();
        let color = image::ExtendedColorType::Rgba8;
        (LogoKind::Png, encoder.write_image(&pixels, size.width, size.height, color))
    } else {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, QUALITY);
        let pixels = picture.into_rgb8();
        let color = image::ExtendedColorType::Rgb8;
        (LogoKind::Jpeg, encoder.write_image(&pixels, size.width, size.height, color))
    };
    // Into memory nothing fails to be written.
    done.map_err(unread)?;
    Ok(Drawn { kind, size, bytes })
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;

    #[test]
    fn a_jpeg_ends_behind_its_data_and_not_within_a_part() {
        // A part of six bytes that looks like an end, the head of the data, and data with an escaped mark.
        let part = [0xff, 0xe1, 0, 6, 0xff, 0xd9, 0, 0];
        let data = [0xff, 0xda, 0, 2, 7, 0xff, 0, 0xff, 0xd3, 8];
        let whole = [&[0xff, 0xd8][..], &part, &data, &[0xff, 0xd9]].concat();
        assert!(has_end(&whole) && has_end(&[&whole[..], b"more"].concat()));
        for len in 0..whole.len() {
            assert!(!has_end(&whole[..len]), "{len}");
        }
    }

    #[test]
    fn colours_come_back_from_what_shows_through() {
        let colours = [[200, 100, 0, 255], [200, 100, 0, 128], [255, 255, 255, 1], [9, 9, 9, 0]];
        for colour in colours {
            let mut pixels = RgbaImage::from_pixel(1, 1, Rgba(colour));
            multiply_by_alpha(&mut pixels);
            divide_by_alpha(&mut pixels);
            let came = pixels.get_pixel(0, 0).0;
            let is_near = came.iter().zip(colour).all(|(one, other)| one.abs_diff(other) <= 1);
            assert!(is_near || (colour[3] == 0 && came == [0; 4]), "{colour:?}: {came:?}");
        }
    }
}
