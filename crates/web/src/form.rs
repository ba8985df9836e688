//! The body of a form that a browser sends.

use axum::extract::{FromRequest, Request};
use domain::refusal::Refusal;
use domain::secret::SecretText;
use http::header::CONTENT_TYPE;

use crate::body::read;
use crate::query::find_in;
use crate::{AppState, Failure};

/// The largest form that is looked at; ours have a few short fields.
const FORM_LEN_MAX: usize = 16 * 1024;

/// A form that was read whole.
#[derive(Clone)]
pub struct FormBody(String);

/// Shows nothing of what was typed.
impl std::fmt::Debug for FormBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("FormBody").field(&self.0.len()).finish()
    }
}

impl FormBody {
    /// What was typed into the field of that name, trimmed; empty where it is not there.
    #[must_use]
    pub fn field(&self, name: &str) -> String {
        find_in(&self.0, name).unwrap_or_default().trim().to_owned()
    }

    /// What was typed into the field of that name, as it was typed: a password may begin or end with spaces.
    #[must_use]
    pub fn secret(&self, name: &str) -> SecretText {
        SecretText::new(find_in(&self.0, name).unwrap_or_default())
    }
}

impl FromRequest<AppState> for FormBody {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        let (parts, body) = read(request, state).await?;
        if body.len() > FORM_LEN_MAX {
            return Err(Refusal::PayloadTooLarge.into());
        }
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|line| line.to_str().ok());
        let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(Refusal::UnsupportedMediaType.into());
        }
        Ok(Self(String::from_utf8_lossy(&body).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_trimmed() {
        let form = FormBody("reference=+12%2034+&phone=&seen=5".to_owned());
        assert_eq!(form.field("reference"), "12 34");
        assert_eq!((form.field("phone"), form.field("other")), (String::new(), String::new()));
        assert_eq!(format!("{form:?}"), "FormBody(33)");
        assert_eq!(form.secret("reference").expose(), " 12 34 ");
    }
}
