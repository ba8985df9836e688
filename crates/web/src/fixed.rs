//! Content that is the same for everybody: a stylesheet, a reference. It is compressed once, when it is first asked
//! for.
//!
//! Answers about somebody are never compressed here: they hold tokens beside text that others chose, and their length
//! would reveal both (the BREACH attack).

use std::io::{self, Write};
use std::sync::OnceLock;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};

use crate::page::Finished;

const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Content of one kind.
#[derive(Debug)]
pub struct Fixed {
    kind: &'static str,
    plain: Bytes,
    /// Nothing where it could not be compressed.
    gzip: OnceLock<Option<Bytes>>,
    is_immutable: bool,
}

impl Fixed {
    /// Content that may change with the program.
    #[must_use]
    pub fn new(kind: &'static str, content: impl Into<Bytes>) -> Self {
        Self { kind, plain: content.into(), gzip: OnceLock::new(), is_immutable: false }
    }

    /// Content under a name that changes with it, so that browsers keep it for ever.
    #[must_use]
    pub fn immutable(kind: &'static str, content: impl Into<Bytes>) -> Self {
        Self { is_immutable: true, ..Self::new(kind, content) }
    }

    /// The answer to a request of these headers.
    #[must_use]
    pub fn answer(&self, headers: &HeaderMap) -> Response {
        let packed = takes_gzip(headers).then(|| self.gzip.get_or_init(|| gzip(&self.plain).ok()));
        let packed = packed.and_then(Option::as_ref);
        let mut response = Response::new(Body::from(packed.unwrap_or(&self.plain).clone()));
        if self.is_immutable {
            response.extensions_mut().insert(Finished);
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.append(VARY, HeaderValue::from_static("accept-encoding"));
        if packed.is_some() {
            headers.insert(CONTENT_ENCODING, GZIP);
        }
        if self.is_immutable {
            headers.insert(CACHE_CONTROL, FOR_EVER);
        }
        response
    }
}

/// Tells whether the client that sent these headers takes an answer in gzip (RFC 9110, section 12.5.3).
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

fn gzip(plain: &[u8]) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use http_body_util::BodyExt;

    use super::*;

    fn of(encodings: &[&'static str]) -> HeaderMap {
        let values = encodings.iter().map(|text| HeaderValue::from_static(text));
        values.map(|value| (ACCEPT_ENCODING, value)).collect()
    }

    #[test]
    fn gzip_is_sent_where_it_is_accepted() {
        for said in ["gzip", "br, GZIP;q=0.5", "deflate,gzip ;q=1"] {
            assert!(takes_gzip(&of(&[said])), "{said}");
        }
        for said in ["", "br", "gzip;q=0", "gzip; q=0.0", "gzip;q=x", "xgzip"] {
            assert!(!takes_gzip(&of(&[said])), "{said}");
        }
        assert!(takes_gzip(&of(&["br", "gzip"])) && !takes_gzip(&of(&[])));
    }

    #[tokio::test]
    async fn both_answers_are_the_same_content() {
        let text = "a { color: red }\n".repeat(50);
        let fixed = Fixed::immutable("text/css", text.clone());
        let body =
            async |response: Response| response.into_body().collect().await.unwrap().to_bytes();
        let plain = fixed.answer(&of(&[]));
        assert_eq!(plain.headers().get(CONTENT_ENCODING), None);
        assert_eq!(body(plain).await, text);
        let packed = fixed.answer(&of(&["gzip"]));
        assert_eq!(packed.headers()[CONTENT_ENCODING], "gzip");
        assert_eq!(packed.headers()[VARY], "accept-encoding");
        let packed = body(packed).await;
        assert!(packed.len() < text.len() / 4);
        let mut unpacked = String::new();
        GzDecoder::new(&*packed).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
    }
}
