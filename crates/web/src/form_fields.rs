//! Names of the fields of a form that say who sends it and by which way.

/// The field in which a form carries what nobody without its session knows.
pub const FORM_TOKEN: &str = "form_token";

/// The field of a code that is shown together with what asks for it.
pub const STEP_UP_CODE: &str = "step_up_code";

/// The field by which a form is known that is sent twice.
pub const ONCE: &str = "once";

/// The field that a form carries which was sent again after a sign-in.
pub const SIGNED_IN_ANEW: &str = "again";

/// The beginning of the name of a field that carries what another one showed.
pub const SHOWN: &str = "was-";
