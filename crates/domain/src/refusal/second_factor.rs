//! What people read about second factors, in two languages.

use super::Code;
use crate::language::Language::{self, En, Es};

/// A refusal about a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorRefusal {
    /// The password is right, and the person has a second factor whose code is missing.
    Required,
    /// A code that is wrong, was used or is over; which, is not said.
    CodeWrong,
    /// The operation asks for a code that was shown lately.
    StepUpRequired,
    /// The person has a second factor already.
    Active,
    /// The person has no second factor.
    Absent,
    /// No second factor was begun, or too long ago.
    NotBegun,
}

impl SecondFactorRefusal {
    /// The code that callers decide by.
    pub(super) const fn code(self) -> Code {
        match self {
            Self::Required => Code::SecondFactorRequired,
            Self::CodeWrong => Code::Unauthorized,
            Self::StepUpRequired => Code::StepUpRequired,
            Self::Active | Self::Absent | Self::NotBegun => Code::Conflict,
        }
    }

    /// Its text.
    pub(super) const fn message(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Required | Self::StepUpRequired, _) => self.code().meaning(language),
            (Self::CodeWrong, Es) => {
                "El código no es correcto, ya se usó o venció. Espere el siguiente de su aplicación y revise la hora del \
             teléfono, o use un código de recuperación."
            }
            (Self::CodeWrong, En) => {
                "The code is wrong, was used or is over. Wait for the next one of your app and check the phone's clock, or \
             use a recovery code."
            }
            (Self::Active, Es) => {
                "Usted ya tiene un segundo factor. Si no vio los códigos de recuperación, pida otros en POST \
             /auth/totp/recovery-codes; para cambiarlo, termínelo primero en DELETE /auth/totp."
            }
            (Self::Active, En) => {
                "You have a second factor already. If you did not see the recovery codes, ask POST \
             /auth/totp/recovery-codes for others; to change it, end it first at DELETE /auth/totp."
            }
            (Self::Absent, Es) => {
                "Usted no tiene segundo factor, así que no hace falta ningún código. Puede empezar uno en POST /auth/totp."
            }
            (Self::Absent, En) => {
                "You have no second factor, so that no code is needed. You can begin one at POST /auth/totp."
            }
            (Self::NotBegun, Es) => {
                "No hay un segundo factor por confirmar, o se empezó hace más de un cuarto de hora. Empiece otra vez en POST \
             /auth/totp."
            }
            (Self::NotBegun, En) => {
                "There is no second factor to be confirmed, or it was begun more than a quarter of an hour ago. Begin again \
             at POST /auth/totp."
            }
        }
    }
}
