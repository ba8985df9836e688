//! The headers of Standard Webhooks (its specification, version 1), which are sent beside our own, so
//! that receivers can use its public libraries.
//!
//! Both are signed with the same key: the digits of the secret as they stand. Its libraries want a
//! key in base64 behind `whsec_`, so the secret is also shown in that form.

use data_encoding::BASE64;

use super::WebhookSecret;
use super::signature::authenticated;
use crate::ids::EventId;
use crate::secret::SecretText;

/// The header with the event's id.
pub const ID: &str = "webhook-id";

/// The header with the time in seconds.
pub const TIMESTAMP: &str = "webhook-timestamp";

/// The header with the signatures, one for each secret that a receiver may know.
pub const SIGNATURE: &str = "webhook-signature";

/// Returns the secret as libraries of Standard Webhooks take it: `whsec_` and the key in base64.
#[must_use]
pub fn secret(secret: &WebhookSecret) -> SecretText {
    SecretText::new(format!("whsec_{}", BASE64.encode(secret.expose().as_bytes())))
}

/// The value of [`SIGNATURE`]: `v1,` and base64, over the id, the seconds and the body with a period
/// between each two.
#[must_use]
pub fn sign(secret: &WebhookSecret, id: EventId, seconds: i64, body: &[u8]) -> String {
    let (id, seconds) = (id.to_string(), seconds.to_string());
    let signed = authenticated(secret, &[id.as_bytes(), b".", seconds.as_bytes(), b".", body]);
    format!("v1,{}", BASE64.encode(&signed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> WebhookSecret {
        WebhookSecret::kept("00".repeat(32).into())
    }

    /// Computed with Python: `b64encode(hmac.new(key, f"{id}.{t}.".encode() + body, "sha256").digest())`.
    #[test]
    fn signatures_are_those_of_another_tool() {
        let id = EventId::from_bytes([7; 16]);
        assert_eq!(
            sign(&key(), id, 1_795_176_000, b"{}"),
            "v1,CePsR8nPfDD9wV2fczizK5olDoZXVuew9we+qIaW1Aw="
        );
    }

    #[test]
    fn the_key_is_shown_in_base64() {
        let shown = secret(&key());
        let digits = shown.expose().strip_prefix("whsec_").unwrap();
        assert_eq!(BASE64.decode(digits.as_bytes()).unwrap(), key().expose().as_bytes());
    }
}
