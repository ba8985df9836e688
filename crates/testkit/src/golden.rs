//! Bodies of answers as tests pin them: whole, with what is made by chance replaced.

use serde_json::Value;

/// From how many letters and digits on what follows an underscore is an id or a secret: ids have 26.
const MADE_LEN_MIN: usize = 20;

/// How many letters and digits the address of a page has: those of two ids.
const PAGE_LEN: usize = 52;

/// Text that replaces an id or a secret behind its prefix.
const MADE: &str = "…";

/// Text that replaces the address that a service under test listens on.
const ADDRESS: &str = "{address}";

/// The body with every id and secret as its prefix alone (`bank_…`) and every loopback address as
/// `{address}`. Everything else stays, field for field and type for type, so that a test compares
/// the rest exactly:
///
/// ```
/// # use serde_json::json;
/// let body = json!({ "id": "bank_01arz3ndektsv4rrffq69g5fav", "amount": 100.0 });
/// assert_eq!(testkit::golden::masked(&body), json!({ "id": "bank_…", "amount": 100.0 }));
/// ```
#[must_use]
pub fn masked(body: &Value) -> Value {
    match body {
        Value::String(text) => Value::String(without_address(&without_made(&without_pages(text)))),
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), masked(value))).collect()
        }
        other => other.clone(),
    }
}

/// Two ids behind each other are the address of a page.
fn without_pages(text: &str) -> String {
    let is_page = |part: &str| {
        part.len() == PAGE_LEN && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let parts = text.split('/').map(|part| if is_page(part) { MADE } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn without_made(text: &str) -> String {
    let mut parts = text.split('_');
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let len = part.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (made, rest) = part.split_at(len);
        masked.push('_');
        masked.push_str(if len >= MADE_LEN_MIN { MADE } else { made });
        masked.push_str(rest);
    }
    masked
}

fn without_address(text: &str) -> String {
    let Some((before, after)) = text.split_once("127.0.0.1:") else { return text.to_owned() };
    let rest = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
    format!("{before}{ADDRESS}{rest}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_chance_makes_is_replaced() {
        let id = "0000000000ABCDEFGHJKMNPQRS";
        let body = json!({
            "list": [format!("link_{id}"), 1, 1.0, null, true],
            "url": format!("http://127.0.0.1:4711/pay/link_{id}?a_b=c"),
            "text": "REFERENCE_NUMBER",
        });
        let expected = json!({
            "list": ["link_…", 1, 1.0, null, true],
            "url": "http://{address}/pay/link_…?a_b=c",
            "text": "REFERENCE_NUMBER",
        });
        assert_eq!(masked(&body), expected);
    }
}
