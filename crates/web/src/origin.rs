//! From whose page a form was sent.

use http::header::ORIGIN;
use http::{HeaderMap, Uri};

/// Tells whether a browser says that the form was sent by another site's page. Those that do not know `Sec-Fetch-Site`
/// say the page's origin, which is where payers reach the service; `null` is none of ours, since our pages send
/// referrers to themselves. A client that says neither is no page.
#[must_use]
pub fn is_from_elsewhere(headers: &HeaderMap, base_url: &str) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return matches!(site.as_bytes(), b"cross-site" | b"same-site");
    }
    let mut origins = headers.get_all(ORIGIN).iter();
    origins.any(|origin| {
        let said = origin.to_str().ok().and_then(|origin| origin.parse().ok());
        match (said, base_url.parse().ok()) {
            (Some(said), Some(ours)) => !is_same_origin(&said, &ours),
            _ => true,
        }
    })
}

/// Tells whether scheme, host and port are the same, whatever follows them.
fn is_same_origin(one: &Uri, other: &Uri) -> bool {
    let origin = |uri: &Uri| {
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let port = uri.port_u16().or(match &*scheme {
            "https" => Some(443),
            "http" => Some(80),
            _ => None,
        })?;
        Some((scheme, uri.host()?.to_ascii_lowercase(), port))
    };
    origin(one).is_some_and(|one| origin(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn is_elsewhere(origins: &[&str], base_url: &str) -> bool {
        let mut headers = HeaderMap::new();
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        is_from_elsewhere(&headers, base_url)
    }

    #[test]
    fn a_page_is_ours_by_scheme_host_and_port() {
        let ours = "https://cobros.example.com/cotejo";
        assert!(!is_elsewhere(&[], ours));
        for same in ["https://cobros.example.com", "https://COBROS.example.com:443"] {
            assert!(!is_elsewhere(&[same], ours), "{same}");
        }
        for other in [
            "http://cobros.example.com",
            "https://cobros.example.com:8443",
            "https://example.com",
            "https://cobros.example.com.evil.example",
            "https://evil.example/cobros.example.com",
            "https://cobros.example.com@evil.example",
            "null",
            "",
        ] {
            assert!(is_elsewhere(&[other], ours), "{other}");
        }
        assert!(is_elsewhere(&["https://cobros.example.com", "https://evil.example"], ours));
        assert!(!is_elsewhere(&["http://[::1]:8080"], "http://[::1]:8080"));
    }
}
