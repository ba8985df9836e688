//! What HTTP asks of the head of a request and the parser does not look at: RFC 9112, sections 3.2 and 6.1.

use axum::http::header::{HOST, TRANSFER_ENCODING};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, Version};
use domain::refusal::{Detail, Refusal};
use hyper::Request;
use web::request_layer::TurnedAway;

/// The longest head of a request that is served, in bytes.
const LEN_MAX: usize = 32 * 1024;

/// How much of a head is read before the parser gives up, without a word. Beyond [`LEN_MAX`], so that
/// a client that is a little over learns what is wrong.
pub(super) const READ_MAX: usize = 64 * 1024;

/// A text in Spanish and in English.
type Text = (&'static str, &'static str);

/// Why a request with this head is not served.
pub(super) fn problem<B>(request: &Request<B>) -> Option<TurnedAway> {
    if len(request) > LEN_MAX {
        let refusal = wrong("head", ("tiene más de 32 KiB", "is over 32 KiB"));
        return Some(TurnedAway { status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, refusal });
    }
    let headers = request.headers();
    let host = (request.version() >= Version::HTTP_11).then(|| host_problem(headers)).flatten();
    match host {
        Some(problem) => Some(TurnedAway::by(wrong("host", problem))),
        None => coding_problem(headers),
    }
}

/// Counts the bytes of the head, without spaces that may be left out.
fn len<B>(request: &Request<B>) -> usize {
    let line = request.method().as_str().len() + target_len(request.uri()) + " HTTP/1.1 \r\n".len();
    let headers = request.headers().iter();
    let lines = headers.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    line + lines.sum::<usize>() + "\r\n".len()
}

fn target_len(target: &Uri) -> usize {
    let path = target.path_and_query().map_or(0, |path| path.as_str().len());
    let scheme = target.scheme_str().map_or(0, |scheme| scheme.len() + "://".len());
    scheme + target.authority().map_or(0, |authority| authority.as_str().len()) + path
}

fn host_problem(headers: &HeaderMap) -> Option<Text> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => Some(("falta", "is missing")),
        (Some(_), Some(_)) => Some(("viene más de una vez", "is there more than once")),
        (Some(host), None) => (!is_host(host)).then_some(("no es un servidor", "is not a host")),
    }
}

/// Tells whether the value is a host with or without a port, or empty, which says that there is none.
fn is_host(value: &HeaderValue) -> bool {
    if value.is_empty() {
        return true;
    }
    let Ok(authority) = Authority::try_from(value.as_bytes()) else { return false };
    // What is before the host is a name of somebody, and belongs to no request.
    let Some(port) = authority.as_str().strip_prefix(authority.host()) else { return false };
    let port = if port.is_empty() { Some(port) } else { port.strip_prefix(':') };
    port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A body comes in chunks or with its length, and in no other coding.
fn coding_problem(headers: &HeaderMap) -> Option<TurnedAway> {
    let mut chunked = 0;
    for line in headers.get_all(TRANSFER_ENCODING) {
        for coding in line.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            match coding {
                b"" => {}
                _ if coding.eq_ignore_ascii_case(b"chunked") => chunked += 1,
                _ => {
                    let problem = (
                        "no es `chunked`, la única que hay",
                        "is not `chunked`, the only one there is",
                    );
                    let refusal = wrong("transfer-encoding", problem);
                    return Some(TurnedAway { status: StatusCode::NOT_IMPLEMENTED, refusal });
                }
            }
        }
    }
    let problem = ("dice `chunked` más de una vez", "is `chunked` more than once");
    let twice = || TurnedAway::by(wrong("transfer-encoding", problem));
    (chunked > 1).then(twice)
}

fn wrong(field: &str, problem: Text) -> Refusal {
    Refusal::BadRequest(vec![Detail::new(field, problem)])
}
