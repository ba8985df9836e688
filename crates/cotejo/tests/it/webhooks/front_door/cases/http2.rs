//! As much of HTTP/2 as a hostile receiver needs (RFC 9113, RFC 7541), by a program that shares nothing
//! with ours.

use testkit::scripted::Wire;

/// The stream of the first request on a connection.
const FIRST: u8 = 1;

/// The most that a frame may hold where nothing else was said.
const FRAME_MAX: usize = 16_384;

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// Reads until a webhook about a link has come, unless the other side hangs up.
pub(super) fn receive_webhook(wire: &mut dyn Wire) -> bool {
    let (mut received, mut some) = (Vec::new(), [0; 4_096]);
    let has_webhook = |received: &[u8]| received.windows(10).any(|part| part == b"\"livemode\"");
    while !has_webhook(&received) {
        match wire.read(&mut some) {
            Ok(len) if len > 0 => received.extend_from_slice(&some[..len]),
            _ => return false,
        }
    }
    true
}

/// Returns the frame that must come first.
pub(super) fn settings() -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[])
}

/// The end of a stream that nobody wants any more.
pub(super) fn reset() -> Vec<u8> {
    const CANCEL: [u8; 4] = [0, 0, 0, 8];
    [settings(), frame(RST_STREAM, 0, FIRST, &CANCEL)].concat()
}

/// The head of an answer with status 200 and so many headers of 10,000 bytes.
pub(super) fn head(headers: usize) -> Vec<u8> {
    // `:status: 200` is the eighth of the table that everybody knows.
    let mut block = vec![0x88];
    for _ in 0..headers {
        // A header that is not remembered, with its name in full.
        block.extend([&[0][..], &len(1), b"x", &len(10_000), &[b'y'; 10_000]].concat());
    }
    let mut frames = settings();
    let parts = block.chunks(FRAME_MAX);
    let last = parts.len() - 1;
    for (number, part) in parts.enumerate() {
        let kind = if number == 0 { HEADERS } else { CONTINUATION };
        let flags = if number == last { END_HEADERS } else { 0 };
        frames.extend(frame(kind, flags, FIRST, part));
    }
    frames
}

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&len[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

/// A length, in seven bits and as many more as it takes.
fn len(mut len: usize) -> Vec<u8> {
    const FULL: usize = 127;
    if len < FULL {
        return vec![u8::try_from(len).unwrap()];
    }
    let mut bytes = vec![127];
    len -= FULL;
    while len >= 128 {
        bytes.push(u8::try_from(len % 128).unwrap() | 128);
        len /= 128;
    }
    bytes.push(u8::try_from(len).unwrap());
    bytes
}
