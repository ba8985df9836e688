//! How a verification stands, in a word.

use domain::ids::VerificationId;
use domain::language::Language;
use domain::verification::{Failed, State};

use crate::dashboard::test_mode;

/// A word, and a class of the stylesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: &'static str,
    pub(crate) class: &'static str,
}

impl Word {
    /// The same of test money or not, which is never in the green of money.
    pub(crate) fn of(self, is_test: bool) -> Self {
        Self { class: test_mode::class(self.class, is_test), ..self }
    }
}

/// The page of that verification.
pub(crate) fn path_of(id: VerificationId) -> String {
    format!("/app/payments/verifications/{id}")
}

/// How it stands.
pub(crate) fn word(state: State, failed: Option<&Failed>, language: Language) -> Word {
    let (es, en, class) = match (state, failed) {
        (State::Confirmed, _) => ("Confirmado", "Confirmed", "good"),
        (State::Asking, _) => ("Buscando", "Searching", "warn"),
        (_, Some(Failed::OtherAmount(_))) => ("Otro monto", "Different amount", "bad"),
        (_, Some(Failed::Outgoing)) => ("Es una salida", "Outgoing", "bad"),
        (_, Some(Failed::TooShort)) => ("Muy corta", "Too short", "warn"),
        (_, Some(Failed::Ambiguous { .. })) => ("Varios posibles", "Several matches", "warn"),
        (_, Some(Failed::AlreadyReconciled)) => ("Ya usado", "Already used", "bad"),
        (_, Some(Failed::NeedsReview(_))) => ("Por revisar", "To be reviewed", "warn"),
        (_, Some(Failed::LinkClosed)) => ("Llegó tarde", "Arrived late", "warn"),
        (_, Some(Failed::RejectedCredentials)) => ("Clave del banco", "Bank key", "bad"),
        (_, Some(Failed::Unheard | Failed::Expired)) | (State::Unknown | State::Expired, _) => {
            ("El banco no respondió", "The bank did not respond", "warn")
        }
        (_, Some(Failed::NotFound { same_bank: Some(_) })) => {
            ("Del mismo banco", "Same bank", "warn")
        }
        (_, Some(Failed::NotFound { .. })) | (State::NotFound, _) => {
            ("No aparece", "Not found", "warn")
        }
        (State::Refused, None) => ("Rechazado", "Rejected", "bad"),
    };
    Word { text: language.pick(es, en), class }
}
