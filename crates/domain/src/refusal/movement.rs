//! Texts for people about movements that cannot be accepted as they are, in two languages.

use super::text::choose;
use super::{Code, Fact};
use crate::ids::PaymentId;
use crate::language::Language;
use crate::review::ReviewWindow;

/// A refusal about a movement that a person accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementRefusal {
    /// It was claimed by another payment.
    Claimed,
    /// It was claimed before, and the first report of its payment is not to be left to another caller.
    FirstReportTaken,
    /// It may be the money of this payment, of which the bank shows two rows.
    RivalAccepted(PaymentId),
    /// It may have been claimed after the copy from which the store was put back.
    NeedsReview(ReviewWindow),
}

impl MovementRefusal {
    /// Its code.
    pub(super) const fn code(self) -> Code {
        match self {
            Self::Claimed | Self::FirstReportTaken | Self::RivalAccepted(_) => {
                Code::PaymentAlreadyExists
            }
            Self::NeedsReview(_) => Code::PaymentNeedsReview,
        }
    }

    /// Its facts for machines.
    pub(super) fn facts(self) -> Vec<(&'static str, Fact)> {
        match self {
            Self::Claimed | Self::FirstReportTaken => Vec::new(),
            Self::RivalAccepted(payment) => {
                vec![("user_bank_payment_id", Fact::Id(payment.to_string()))]
            }
            Self::NeedsReview(window) => {
                vec![("since", Fact::Time(window.since)), ("until", Fact::Time(window.until))]
            }
        }
    }

    /// Its text.
    pub(super) fn message(self, language: Language) -> String {
        match self {
            Self::Claimed => claimed(language).to_owned(),
            Self::FirstReportTaken => first_report_taken(language).to_owned(),
            Self::RivalAccepted(payment) => rival_accepted(payment, language),
            Self::NeedsReview(_) => Code::PaymentNeedsReview.meaning(language).to_owned(),
        }
    }
}

const fn claimed(language: Language) -> &'static str {
    choose(
        language,
        "Ese movimiento ya se usó en otro pago. Elija uno con claimed: false en \
         GET /movements/{bank_id}.",
        "That movement was used by another payment. Choose one with claimed: false in \
         GET /movements/{bank_id}.",
    )
}

const fn first_report_taken(language: Language) -> &'static str {
    choose(
        language,
        "Ese movimiento ya es un pago, y no se dejó para la próxima verificación. Repita la solicitud sin for_caller \
         para verlo.",
        "That movement is a payment already, and it was not left for the next verification. Repeat the request without \
         for_caller to see it.",
    )
}

fn rival_accepted(payment: PaymentId, language: Language) -> String {
    match language {
        Language::Es => format!(
            "El banco mostró este dinero dos veces, y una ya es el pago {payment}: puede ser el mismo dinero. Si está \
             seguro de que son dos pagos, repita la solicitud con su id en \"other_payment\"."
        ),
        Language::En => format!(
            "The bank showed this money twice, and one of the two is the payment {payment} already: it may be the same \
             money. If you are sure that these are two payments, repeat the request with its id in \"other_payment\"."
        ),
    }
}
