//! Pictures that are drawn for a test, and files that are not what they say.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat, Rgba, RgbaImage};

/// Red, green, blue and how much it covers.
pub type Paint = [u8; 4];

/// Opaque paint.
pub const RED: Paint = [200, 20, 20, 255];
/// The same in another colour.
pub const BLUE: Paint = [20, 20, 200, 255];
/// Transparent paint.
pub const NOTHING: Paint = [0, 0, 0, 0];

/// Place that test photos say they were taken at.
pub const PLACE: &str = "10.4806 N, 66.9036 W";

fn drawn(width: u32, height: u32, paint: impl Fn(u32, u32) -> Paint) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| Rgba(paint(x, y)))
}

/// A PNG.
///
/// # Panics
/// Where it cannot be written.
pub fn png(width: u32, height: u32, paint: impl Fn(u32, u32) -> Paint) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    drawn(width, height, paint).write_to(&mut file, ImageFormat::Png).expect("a PNG");
    file.into_inner()
}

/// A JPEG.
///
/// # Panics
/// Where it cannot be written.
pub fn jpeg(width: u32, height: u32, paint: impl Fn(u32, u32) -> Paint) -> Vec<u8> {
    let mut file = Vec::new();
    let pixels = image::DynamicImage::ImageRgba8(drawn(width, height, paint)).into_rgb8();
    let encoder = JpegEncoder::new_with_quality(&mut file, 95);
    pixels.write_with_encoder(encoder).expect("a JPEG");
    file
}

/// A file as it is seen: how wide and high it is, and the paint at a place of it.
///
/// # Panics
/// Where it is no picture.
#[must_use]
pub fn seen(file: &[u8]) -> RgbaImage {
    image::load_from_memory(file).expect("a picture").into_rgba8()
}

/// Tells whether two paints look alike.
#[must_use]
pub fn is_like(one: Rgba<u8>, other: Paint) -> bool {
    one.0.iter().zip(other).all(|(one, other)| one.abs_diff(other) < 24)
}

/// A photo that says where it was taken, in the thumbnail's way (EXIF), and how it was held.
#[must_use]
pub fn taken_somewhere(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut said = b"Exif\0\0".to_vec();
    said.extend(exif(orientation));
    let len = u16::try_from(said.len() + 2).expect("a short text");
    let (start, rest) = jpeg.split_at(2);
    [start, &[0xff, 0xe1], &len.to_be_bytes(), &said, rest].concat()
}

/// A TIFF of three entries: what it is of, how it was held, and where (as another directory).
fn exif(orientation: u8) -> Vec<u8> {
    let text = [PLACE.as_bytes(), b"\0"].concat();
    let text_len = u32::try_from(text.len()).expect("a short text");
    // Behind a header of 8 bytes and a directory of 3 entries.
    let (text_at, gps_at) = (8 + 2 + 3 * 12 + 4_u32, 8 + 2 + 3 * 12 + 4 + text_len);
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        [&tag.to_le_bytes()[..], &kind.to_le_bytes(), &count.to_le_bytes(), &value.to_le_bytes()]
            .concat()
    };
    let north = u32::from_le_bytes(*b"N\0\0\0");
    [
        &b"II*\0"[..],
        &8_u32.to_le_bytes(),
        &3_u16.to_le_bytes(),
        &entry(0x010e, 2, text_len, text_at),
        &entry(0x0112, 3, 1, orientation.into()),
        &entry(0x8825, 4, 1, gps_at),
        &0_u32.to_le_bytes(),
        &text,
        &1_u16.to_le_bytes(),
        &entry(0x0001, 2, 2, north),
        &0_u32.to_le_bytes(),
    ]
    .concat()
}

/// A PNG with one more chunk behind its head.
#[must_use]
pub fn with_chunk(png: &[u8], name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    // A signature of 8 bytes, and the head of 25.
    let (head, rest) = png.split_at(8 + 25);
    [head, &chunk(name, content), rest].concat()
}

/// A PNG of two frames.
#[must_use]
pub fn animated_png(width: u32, height: u32) -> Vec<u8> {
    let control = [2_u32.to_be_bytes(), 0_u32.to_be_bytes()].concat();
    with_chunk(&png(width, height, |_, _| RED), b"acTL", &control)
}

/// A small PNG that says to be as large as this.
#[must_use]
pub fn png_that_claims(width: u32, height: u32) -> Vec<u8> {
    let real = png(16, 16, |_, _| RED);
    // Eight bits, with what shows through.
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    [&real[..8], &chunk(b"IHDR", &head), &real[8 + 25..]].concat()
}

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let named = [&name[..], content].concat();
    let len = u32::try_from(content.len()).expect("a short chunk");
    [&len.to_be_bytes()[..], &named, &crc(&named).to_be_bytes()].concat()
}

/// The checksum of PNG.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}
