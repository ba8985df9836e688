//! Names of the fields of a form that say who sends it and by which way.

/// The field in which a form carries what nobody without its session knows.
pub const FORM_TOKEN: &str = "form_token";

/// The field of a code that is shown together with what asks for it.
pub(crate) const STEP_UP_CODE: &str = "step_up_code";

/// The field of the password that a person without a second factor shows together with what asks for it.
pub(crate) const STEP_UP_PASSWORD: &str = "step_up_password";

/// The field of the secrets, sealed, of a form that waits for a code or a password.
pub const STEP_UP_HELD: &str = "step_up_held";

/// The fields by which a form shows that its person is there, and waits for that.
pub const OF_PROOF: [&str; 3] = [STEP_UP_CODE, STEP_UP_PASSWORD, STEP_UP_HELD];

/// Parts of the names of fields whose content is never shown again.
const SECRET: [&str; 3] = ["password", "secret", "code"];

/// The field by which a form is known that is sent twice.
pub const ONCE: &str = "once";

/// The field that a form carries which was sent again after a sign-in.
pub const SIGNED_IN_ANEW: &str = "again";

/// The beginning of the name of a field that carries what another one showed.
pub const SHOWN: &str = "was-";

/// Tells whether what was typed into a field of that name is never sent back. What else a bank wants may be a secret,
/// too.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|secret| name.contains(secret)) || name.starts_with("metadata-")
}
