//! The authenticator of a person: its second factor, as an app on a telephone.

use std::time::Duration;

use data_encoding::BASE32_NOPAD;
use domain::time::Timestamp;
use serde_json::{Value, json};
use totp_rs::Builder;

use crate::{Principal, TestApp};

/// How long a code lasts.
pub const STEP: Duration = Duration::from_secs(30);

/// Authenticator on a person's telephone, and the recovery codes that the person has written down.
#[derive(Clone, Debug)]
pub struct Authenticator {
    secret: [u8; 20],
    /// The codes for when the telephone is lost.
    pub recovery_codes: Vec<String>,
}

impl Authenticator {
    /// The one that is set up by the answer that begins a second factor.
    ///
    /// # Panics
    /// Where the answer has no secret.
    #[must_use]
    pub fn set_up(begun: &Value) -> Self {
        let text = begun["secret"].as_str().expect("a secret");
        let secret = BASE32_NOPAD.decode(text.as_bytes()).expect("base32");
        let secret = secret.try_into().expect("twenty bytes");
        Self { secret, recovery_codes: Vec::new() }
    }

    /// Gives this person a second factor.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn of(app: &TestApp, person: &Principal, password: &str) -> Self {
        let begun = person.post("/auth/totp", json!({ "password": password })).await.ok();
        let mut authenticator = Self::set_up(&begun);
        let code = json!({ "code": authenticator.code(app.now()) });
        authenticator.keep(&person.post("/auth/totp/confirm", code).await.ok());
        authenticator
    }

    /// Writes down the recovery codes of an answer.
    ///
    /// # Panics
    /// Where it has none.
    pub fn keep(&mut self, answer: &Value) {
        let codes = answer["recovery_codes"].as_array().expect("recovery codes");
        let text = |code: &Value| code.as_str().expect("a code").to_owned();
        self.recovery_codes = codes.iter().map(text).collect();
    }

    /// The code that it shows at that instant.
    ///
    /// # Panics
    /// Before 1970.
    #[must_use]
    pub fn code(&self, now: Timestamp) -> String {
        let totp =
            Builder::new().with_secret(self.secret).build().expect("a secret that is long enough");
        totp.generate(u64::try_from(now.as_seconds()).expect("a time of now")).to_string()
    }

    /// A code that was not shown yet: half a minute later.
    #[must_use]
    pub fn next_code(&self, app: &TestApp) -> String {
        app.clock().advance(STEP);
        self.code(app.now())
    }
}
