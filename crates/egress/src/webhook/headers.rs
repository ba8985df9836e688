//! Headers, from the names and values that somebody says.

use domain::webhooks::Trouble;
use http::{HeaderName, HeaderValue};

/// Headers as they go over the line.
///
/// # Errors
/// [`Trouble::InvalidUrl`] where one cannot be written: no name of ours is such a one.
pub fn headers(said: &[(String, String)]) -> Result<Vec<(HeaderName, HeaderValue)>, Trouble> {
    said.iter().map(|(name, value)| header(name, value)).collect()
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Trouble> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Trouble::InvalidUrl)?;
    let value = HeaderValue::from_str(value).map_err(|_| Trouble::InvalidUrl)?;
    Ok((name, value))
}
