//! Texts for people about subscriptions that do not take what is asked of them, in two languages.

use super::Code;
use super::text::choose;
use crate::language::Language;

/// A refusal about a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionRefusal {
    /// The cycle is paid already.
    CycleIsPaid,
    /// It has ended.
    Ended,
    /// It has not begun, since its first cycle is not paid.
    NotBegun,
    /// Nobody owes the cycle any more.
    CycleIsClosed,
    /// It is about money that exists, whose clock is the real one.
    NotATest,
    /// Its payer canceled it, which the owner does not take back.
    CanceledByPayer,
    /// It ends since a cycle was not paid in time.
    EndsUnpaid,
    /// Its calendar has begun anew as often as it may.
    TooManyCalendars,
}

impl SubscriptionRefusal {
    /// The code that callers decide by.
    pub(super) const fn code(self) -> Code {
        match self {
            Self::CycleIsPaid => Code::RenovationIsAlreadyPaid,
            Self::Ended
            | Self::NotBegun
            | Self::CycleIsClosed
            | Self::NotATest
            | Self::CanceledByPayer
            | Self::EndsUnpaid
            | Self::TooManyCalendars => Code::Conflict,
        }
    }

    /// Its text.
    pub(super) const fn message(self, language: Language) -> &'static str {
        match self {
            Self::CycleIsPaid => Code::RenovationIsAlreadyPaid.meaning(language),
            Self::Ended => choose(
                language,
                "La suscripción terminó y ya no cambia. Para cobrar de nuevo, cree otra en \
                 POST /v1/subscription/make.",
                "The subscription has ended and does not change any more. To charge again, make another by \
                 POST /v1/subscription/make.",
            ),
            Self::NotBegun => choose(
                language,
                "La suscripción no ha comenzado: falta el pago de su primer período. Si ya no hace falta, anúlela en \
                 POST /v1/subscriptions/{id}/cancelbyowner.",
                "The subscription has not begun: its first period is not paid. To call it off, use \
                 POST /v1/subscriptions/{id}/cancelbyowner.",
            ),
            Self::CycleIsClosed => choose(
                language,
                "Ese período ya no se debe: se perdonó, o la suscripción terminó o termina antes.",
                "That period is not owed any more: it was waived, or the subscription has ended or ends before it.",
            ),
            Self::NotATest => choose(
                language,
                "Solo se adelanta el reloj de una suscripción de prueba, y esta es de dinero real.",
                "Only the clock of a test subscription can be advanced, and this one is about real money.",
            ),
            Self::CanceledByPayer => choose(
                language,
                "La anuló quien la paga, y eso no se deshace. Si vuelve a quererla, cree otra en \
                 POST /v1/subscription/make.",
                "Its payer canceled it, and that is not taken back. Where the payer wants it again, make another by \
                 POST /v1/subscription/make.",
            ),
            Self::EndsUnpaid => choose(
                language,
                "Un período no se pagó a tiempo, y la suscripción termina con lo que ya se pagó. Eso no se deshace: para \
                 cobrar después, cree otra en POST /v1/subscription/make.",
                "A period was not paid in time, and the subscription ends with what is paid already. That is not taken \
                 back: to charge after that, make another by POST /v1/subscription/make.",
            ),
            Self::TooManyCalendars => choose(
                language,
                "El calendario de esta suscripción ya comenzó de nuevo 16 veces. Reanúdela en su mismo calendario.",
                "The calendar of this subscription has begun anew 16 times. Resume it on the same calendar.",
            ),
        }
    }
}
