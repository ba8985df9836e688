//! Parameters behind the question mark.

use domain::typed::seen;
use http::Uri;

/// The first parameter of that name, decoded; `None` where it is absent.
#[must_use]
pub fn find(uri: &Uri, name: &str) -> Option<String> {
    find_in(uri.query()?, name)
}

/// The parameter of that name as a person typed it into a form that looks for something: as far as it can be seen,
/// trimmed; empty where it is absent.
#[must_use]
pub fn typed(uri: &Uri, name: &str) -> String {
    seen(&find(uri, name).unwrap_or_default()).into_owned()
}

/// Every parameter, decoded.
#[must_use]
pub fn pairs(uri: &Uri) -> Vec<(String, String)> {
    uri.query().map(pairs_of).unwrap_or_default()
}

/// The first of `pairs`, which are encoded as in a query, that has this name, decoded.
pub(crate) fn find_in(pairs: &str, name: &str) -> Option<String> {
    pairs.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(key) == name).then(|| decoded(value))
    })
}

/// A path without percent signs; plus signs are themselves.
#[must_use]
pub fn decoded_path(path: &str) -> String {
    decoded(&path.replace('+', "%2B"))
}

/// Every one of `pairs`, decoded.
pub(crate) fn pairs_of(pairs: &str) -> Vec<(String, String)> {
    let pairs = pairs.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(key, value)| (decoded(key), decoded(value)))
        .collect()
}

/// Undoes percent and plus signs. What is not text after that is no value that anybody knows.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        match (first, escaped(others)) {
            (b'%', Some((byte, others))) => {
                bytes.push(byte);
                rest = others;
            }
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte that two hexadecimal digits at the beginning stand for, and what follows them.
fn escaped(text: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, rest) = text.split_first_chunk::<2>()?;
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = digit(digits[0])? * 16 + digit(digits[1])?;
    Some((u8::try_from(byte).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_and_decoded() {
        let uri: Uri =
            "/a?month=2026-11&page=2&page=3&empty=&flag&n%61me=a%2Bb+c%zz%4".parse().unwrap();
        for (name, value) in [
            ("month", Some("2026-11")),
            ("page", Some("2")),
            ("empty", Some("")),
            ("flag", Some("")),
            ("name", Some("a+b c%zz%4")),
            ("other", None),
        ] {
            assert_eq!(find(&uri, name).as_deref(), value, "{name}");
        }
        assert_eq!(find(&"/a".parse().unwrap(), "month"), None);
    }
}
