//! What a request offers to be admitted with, in either of the two header forms.

use app::access::Credential;
use domain::secret::SecretText;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName};

const APP_KEY: HeaderName = HeaderName::from_static("appkey");

/// Reads `Authorization: Bearer …` and `appKey: …`. Both may be there if they say the same.
pub(crate) fn read(headers: &HeaderMap) -> Credential {
    let bearer = only(headers, &AUTHORIZATION).map(|line| line.and_then(bearer));
    // Programs send the header whether they have a key for it or not.
    let app_key = only(headers, &APP_KEY).filter(|_| !is_blank(headers, &APP_KEY));
    match (bearer, app_key) {
        (None, None) => Credential::None,
        (Some(Some(token)), None) => Credential::Bearer(SecretText::from(token)),
        (None, Some(Some(key))) => Credential::AppKey(SecretText::from(key)),
        (Some(Some(token)), Some(Some(key))) => {
            let token = SecretText::from(token);
            if token == SecretText::from(key) {
                Credential::Bearer(token)
            } else {
                Credential::Conflicting
            }
        }
        (Some(None), _) | (_, Some(None)) => Credential::Malformed,
    }
}

/// The only value of that header: `None` without the header, `Some(None)` where it is there twice,
/// empty or not text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Option<&'a str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    let text = first.to_str().ok().map(str::trim).filter(|text| !text.is_empty());
    Some(if values.next().is_none() { text } else { None })
}

/// Says whether every value of that header is empty.
fn is_blank(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get_all(name).iter().all(|value| value.as_bytes().trim_ascii().is_empty())
}

/// Returns the token that follows the word `Bearer`, in any case of letters.
fn bearer(line: &str) -> Option<&str> {
    let (scheme, token) = line.split_once(' ')?;
    let token = token.trim();
    let is_token = !token.is_empty() && !token.contains(' ');
    (scheme.eq_ignore_ascii_case("bearer") && is_token).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The credential of these headers, as text.
    fn credential(lines: &[(&str, &str)]) -> String {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, value.parse().unwrap());
        }
        match read(&headers) {
            Credential::None => "none".to_owned(),
            Credential::Malformed => "malformed".to_owned(),
            Credential::Conflicting => "conflicting".to_owned(),
            Credential::Bearer(text) => format!("bearer {}", text.expose()),
            Credential::AppKey(text) => format!("key {}", text.expose()),
            Credential::Cookie(_) => "cookie".to_owned(),
        }
    }

    #[test]
    fn both_forms_are_read_in_any_case() {
        assert_eq!(credential(&[]), "none");
        assert_eq!(credential(&[("Authorization", "Bearer abc")]), "bearer abc");
        assert_eq!(credential(&[("AUTHORIZATION", "bEARER  abc ")]), "bearer abc");
        assert_eq!(credential(&[("appKey", "abc")]), "key abc");
        assert_eq!(credential(&[("APPKEY", " abc ")]), "key abc");
    }

    #[test]
    fn both_at_once_must_say_the_same() {
        let same = [("authorization", "Bearer abc"), ("appkey", "abc")];
        assert_eq!(credential(&same), "bearer abc");
        let different = [("authorization", "Bearer abc"), ("appkey", "abd")];
        assert_eq!(credential(&different), "conflicting");
    }

    #[test]
    fn an_empty_app_key_is_as_absent() {
        for empty in ["", " ", "\t"] {
            assert_eq!(credential(&[("appkey", empty)]), "none");
            let beside = [("authorization", "Bearer abc"), ("appkey", empty)];
            assert_eq!(credential(&beside), "bearer abc");
            let twice = [("appkey", empty), ("appkey", "a")];
            assert_eq!(credential(&twice), "malformed");
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        for line in ["Basic abc", "Bearer", "Bearer ", "abc", "", "Bearer a b", "Bearerabc"] {
            assert_eq!(credential(&[("authorization", line)]), "malformed", "{line:?}");
            let both = [("authorization", line), ("appkey", "abc")];
            assert_eq!(credential(&both), "malformed", "{line:?}");
        }
        for empty in ["", " "] {
            let both = [("authorization", "Bearer"), ("appkey", empty)];
            assert_eq!(credential(&both), "malformed", "{empty:?}");
        }
        assert_eq!(credential(&[("appkey", "a"), ("appkey", "a")]), "malformed");
    }
}
