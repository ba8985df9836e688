//! The cookies of pages: the one that a browser's session is known by, the language that somebody chose, and whether its
//! session is in test mode.

use std::time::Duration;

use domain::ids::SessionId;
use domain::language::Language;
use domain::session::AGE_MAX;
use domain::session_cookie::SessionCookie;
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

/// The cookie of the session. A browser takes the first name over TLS alone, from this very host, for every path.
const SESSION: (&str, &str) = ("__Host-cotejo", "cotejo");

/// The cookie of the language. No secret, and no session's.
const LANGUAGE: &str = "cotejo-language";

/// How long a language is remembered.
const LANGUAGE_AGE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The cookie of test mode: the id of the session that is in it, so that no other session ever is.
const TEST_MODE: &str = "cotejo-test-mode";

/// Tells whether people reach the service over TLS. Where they do not, which is a trial on one machine, a browser would
/// not keep a cookie that is for TLS alone.
fn is_secure(base_url: &str) -> bool {
    base_url.starts_with("https://")
}

fn session_name(base_url: &str) -> &'static str {
    if is_secure(base_url) { SESSION.0 } else { SESSION.1 }
}

/// Reads what a browser shows of its session: nothing, something that is no cookie of ours, or a cookie.
pub(crate) fn session(headers: &HeaderMap, base_url: &str) -> Option<Option<SessionCookie>> {
    let shown = find(headers, session_name(base_url))?;
    Some(SessionCookie::parse(shown))
}

/// The language that was chosen, if it was.
pub(crate) fn language(headers: &HeaderMap) -> Option<Language> {
    Language::parse(find(headers, LANGUAGE)?)
}

/// True if that session is in test mode.
pub(crate) fn is_test_mode(headers: &HeaderMap, session: SessionId) -> bool {
    find(headers, TEST_MODE).is_some_and(|shown| shown == session.to_string())
}

/// The value of the cookie of that name; nothing where it is there twice, since one of them is somebody else's.
fn find<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value);
    let first = values.next()?;
    if values.next().is_none() { Some(first) } else { None }
}

/// Hands a session over to the browser. No script reads it.
pub fn set_session(headers: &mut HeaderMap, cookie: &SessionCookie, base_url: &str) {
    // Until the session ends for good: its row says when that is.
    set(headers, session_name(base_url), (cookie.expose(), AGE_MAX), base_url, true);
}

/// Makes the browser forget its session.
pub fn clear_session(headers: &mut HeaderMap, base_url: &str) {
    set(headers, session_name(base_url), ("", Duration::ZERO), base_url, true);
}

/// Makes the browser keep which language its person chose, and say so.
pub fn set_language(headers: &mut HeaderMap, language: Language, base_url: &str) {
    set(headers, LANGUAGE, (language.as_str(), LANGUAGE_AGE), base_url, false);
}

/// Makes the browser keep that this session is in test mode, or that none is.
pub fn set_test_mode(headers: &mut HeaderMap, session: Option<SessionId>, base_url: &str) {
    let (value, age) = match session {
        Some(session) => (session.to_string(), AGE_MAX),
        None => (String::new(), Duration::ZERO),
    };
    set(headers, TEST_MODE, (&value, age), base_url, true);
}

fn set(
    headers: &mut HeaderMap,
    name: &str,
    (value, age): (&str, Duration),
    base_url: &str,
    is_secret: bool,
) {
    let secure = if is_secure(base_url) { "; Secure" } else { "" };
    let hidden = if is_secret { "; HttpOnly" } else { "" };
    let seconds = age.as_secs();
    let line = format!("{name}={value}; Path=/; Max-Age={seconds}; SameSite=Lax{hidden}{secure}");
    if let Ok(mut line) = HeaderValue::from_str(&line) {
        line.set_sensitive(is_secret);
        headers.append(SET_COOKIE, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, line.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name_and_once_only() {
        for (lines, value) in [
            (&["a=1; b=2"][..], Some("2")),
            (&["a=1", "b=2"], Some("2")),
            (&["b=2=3"], Some("2=3")),
            (&["bb=2; ab=3; b"], None),
            (&["b=2; b=2"], None),
            (&["b=2", "b=3"], None),
            (&[], None),
        ] {
            assert_eq!(find(&headers(lines), "b"), value, "{lines:?}");
        }
    }

    #[test]
    fn a_session_is_kept_from_scripts_and_from_plain_http_where_there_is_tls() {
        let mut headers = HeaderMap::new();
        clear_session(&mut headers, "https://cobros.example.com");
        clear_session(&mut headers, "http://127.0.0.1:8080");
        let lines: Vec<&str> =
            headers.get_all(SET_COOKIE).iter().map(|line| line.to_str().unwrap()).collect();
        assert_eq!(
            lines,
            [
                "__Host-cotejo=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly; Secure",
                "cotejo=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly",
            ]
        );
    }

    #[test]
    fn test_mode_is_of_the_one_session_that_switched_it_on() {
        let [one, other] = [1, 2].map(|byte| SessionId::from_bytes([byte; 16]));
        let mut answered = HeaderMap::new();
        set_test_mode(&mut answered, Some(one), "https://cobros.example.com");
        let line = answered[SET_COOKIE].to_str().unwrap();
        let shown = headers(&[line.split(';').next().unwrap()]);
        assert!(is_test_mode(&shown, one) && !is_test_mode(&shown, other));
        let mut answered = HeaderMap::new();
        set_test_mode(&mut answered, None, "https://cobros.example.com");
        let line = answered[SET_COOKIE].to_str().unwrap();
        assert!(line.starts_with("cotejo-test-mode=; Path=/; Max-Age=0"), "{line}");
        assert!(!is_test_mode(&HeaderMap::new(), one));
    }

    #[test]
    fn another_name_than_the_addresses_is_no_session() {
        let shown = headers(&["cotejo=x; __Host-cotejo-2=y"]);
        assert!(session(&shown, "https://cobros.example.com").is_none());
        assert!(session(&shown, "http://127.0.0.1:8080").is_some_and(|cookie| cookie.is_none()));
    }
}
