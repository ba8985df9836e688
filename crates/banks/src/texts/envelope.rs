//! What a phone sends on: who wrote, what, and when, in the words of the apps that people use for it.
//!
//! Apps that fill a template by themselves do not escape what they put in, so that a form is read as well as JSON, and
//! a body that is neither says nothing.

use domain::time::Timestamp;
use serde_json::Value;

/// The longest body that is read, in bytes: a mail is longer than a text message.
const BODY_LEN_MAX: usize = 16 * 1024;

const SENDER: [&str; 5] = ["from", "sender", "phoneNumber", "packageName", "package"];
const TEXT: [&str; 5] = ["text", "message", "content", "body", "msg"];
const TIME: [&str; 5] = ["sentStamp", "postedAt", "timestamp", "receivedAt", "time"];

/// Whatever counts more milliseconds than this since 1970 does so in milliseconds: in seconds it is the year 5138.
const SECONDS_MAX: i64 = 100_000_000_000;

/// A text that was sent on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Forwarded {
    pub(super) sender: String,
    pub(super) text: String,
    /// The phone's time of it, not that of its arrival here.
    pub(super) at: Option<Timestamp>,
}

/// Reads a body; nothing where it has no sender or no text.
pub(super) fn read(body: &[u8]) -> Option<Forwarded> {
    if body.len() > BODY_LEN_MAX {
        return None;
    }
    let body = std::str::from_utf8(body).ok()?.trim_start_matches('\u{feff}').trim();
    let fields = if body.starts_with('{') { of_json(body)? } else { of_form(body) };
    let value = |names: &[&str]| {
        let found = names.iter().find_map(|name| fields.iter().find(|(key, _)| key == name));
        found.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let at = value(&TIME).and_then(|text| instant(&text));
    Some(Forwarded { sender: value(&SENDER)?, text: value(&TEXT)?, at })
}

fn of_json(body: &str) -> Option<Vec<(String, String)>> {
    let Value::Object(fields) = serde_json::from_str(body).ok()? else { return None };
    let text = |value: Value| match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name, text(value)?)));
    Some(fields.collect())
}

fn of_form(body: &str) -> Vec<(String, String)> {
    let pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

/// A name or value of a form. What is no escape stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = text.as_bytes().iter();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(&byte) = bytes.next() {
        let escaped = bytes.as_slice().first().zip(bytes.as_slice().get(1));
        let escaped = escaped.and_then(|(high, low)| Some((hex(*high)?, hex(*low)?)));
        match (byte, escaped) {
            (b'%', Some((high, low))) => {
                decoded.push(high * 16 + low);
                bytes.nth(1);
            }
            (b'+', _) => decoded.push(b' '),
            (other, _) => decoded.push(other),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// An instant in milliseconds, in seconds, or as RFC 3339.
fn instant(text: &str) -> Option<Timestamp> {
    let Ok(number) = text.parse::<i64>() else { return Timestamp::parse(text).ok() };
    let per_unit = if number > SECONDS_MAX { 1_000 } else { 1_000_000 };
    Some(Timestamp::from_micros(number.checked_mul(per_unit)?)).filter(|_| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_app_says_it_in_its_own_words() {
        let at = Timestamp::parse("2026-11-20T12:00:00Z").ok();
        let micros = at.unwrap().as_micros();
        let (seconds, millis) = (micros / 1_000_000, micros / 1_000);
        for body in [
            format!(
                r#"{{"from":"2661","text":"a b","sentStamp":{millis},"receivedStamp":1,"sim":"1"}}"#
            ),
            format!(r#"{{"packageName":"2661","title":"t","text":"a b","postedAt":{millis}}}"#),
            format!("from=2661&content=a+b&timestamp={millis}"),
            format!("sender=2661&msg=a%20b&timestamp={seconds}"),
            r#"{"sender":"2661","message":"a b","time":"2026-11-20T08:00:00-04:00"}"#.to_owned(),
        ] {
            let read = read(body.as_bytes()).unwrap();
            let said = Forwarded { sender: "2661".to_owned(), text: "a b".to_owned(), at };
            assert_eq!(read, said, "{body}");
        }
    }

    #[test]
    fn what_is_no_text_of_anybody_is_nothing() {
        let long = format!("from=2661&text={}", "x".repeat(BODY_LEN_MAX));
        for body in ["", "{", "[]", "hola", "from=2661", "text=hola", r#"{"from":"2661"}"#, &long] {
            assert_eq!(read(body.as_bytes()), None, "{body}");
        }
        assert_eq!(read(b"\xff"), None);
        assert_eq!(decoded("100%+%4"), "100% %4");
    }
}
