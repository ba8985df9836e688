//! Texts for people about links that take no payment and no change, in two languages.

use super::text::choose;
use crate::language::Language;
use crate::links::Status;

/// A refusal about a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRefusal {
    /// It has ended, or is stopped, and takes neither payments nor changes.
    Closed,
    /// No payment can be accepted for it, for what it is.
    TakesNoPayment(Status),
    /// The reference that its payer typed on the page names another payment than the movement that is accepted for it.
    OtherReceipt,
    /// It is not any more as the payer saw it.
    Changed,
}

impl LinkRefusal {
    /// Its text.
    pub(super) const fn message(self, language: Language) -> &'static str {
        match self {
            Self::Closed => closed(language),
            Self::TakesNoPayment(status) => takes_no_payment(status, language),
            Self::OtherReceipt => other_receipt(language),
            Self::Changed => changed(language),
        }
    }
}

const fn closed(language: Language) -> &'static str {
    choose(
        language,
        "El enlace ya no está pendiente. Consulte su estado en \
         GET /paymentlink/{payment_link_id}/info.",
        "The link is no longer pending. See its status at \
         GET /paymentlink/{payment_link_id}/info.",
    )
}

const fn takes_no_payment(status: Status, language: Language) -> &'static str {
    match status {
        Status::Stopped => choose(
            language,
            "El enlace está en pausa. Reanúdelo primero, con \
             POST /v1/paymentlink/{payment_link_id}/resume, y acepte el pago después.",
            "The link is stopped. Resume it first, by \
             POST /v1/paymentlink/{payment_link_id}/resume, and accept the payment then.",
        ),
        Status::Failed => choose(
            language,
            "El enlace falló, y eso es final: un enlace fallido no se paga. Si el dinero llegó, cree \
             otro enlace por ese monto y acéptelo para ese.",
            "The link failed, which is final: a failed link is never paid. If the money is there, make \
             another link of that amount and accept it for that one.",
        ),
        Status::Paid => choose(
            language,
            "El enlace ya está pagado, con otro movimiento.",
            "The link is paid already, with another movement.",
        ),
        Status::Pending | Status::Expired | Status::Canceled => choose(
            language,
            "El enlace terminó hace más de 24 horas y ya no se le acepta un pago. Cree otro enlace \
             por ese monto y acéptelo para ese.",
            "The link ended more than 24 hours ago and takes no payment any more. Make another link of \
             that amount and accept it for that one.",
        ),
    }
}

const fn other_receipt(language: Language) -> &'static str {
    choose(
        language,
        "La referencia que escribió quien paga es de otro pago que ese movimiento. Vea los demás en \
         GET /movements/{bank_id}. Si ese movimiento paga el enlace de todos modos, repita la solicitud con \
         \"other_receipt\": true.",
        "The reference that the payer typed is of another payment than that movement. See the others in \
         GET /movements/{bank_id}. If that movement pays the link all the same, repeat the request with \
         \"other_receipt\": true.",
    )
}

const fn changed(language: Language) -> &'static str {
    choose(
        language,
        "El monto del enlace cambió. Revise el nuevo monto antes de continuar.",
        "The amount of the link has changed. Check the new amount before you go on.",
    )
}
