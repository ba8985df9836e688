//! What to do about a refusal, by its code.

use domain::language::Language;
use domain::refusal::Code;

use super::words::pick;

/// Returns the advice for the reader of a refusal with this code.
pub(crate) fn remedy(code: Code, language: Language) -> &'static str {
    let texts = special(code).unwrap_or_else(|| usual(code.status()));
    pick(language, texts)
}

/// Returns the usual advice for a status, in Spanish and in English.
const fn usual(status: u16) -> (&'static str, &'static str) {
    match status {
        401 => (
            "Revise la credencial o inicie otra sesión; no repita la misma.",
            "Check the credential or sign in again; do not repeat the same one.",
        ),
        402 => ("Compre créditos y repita.", "Buy credits and ask again."),
        403 => (
            "Pídale acceso a quien administra la cuenta; repetida igual, oye lo mismo.",
            "Ask whoever manages the account for access; the same request hears the same.",
        ),
        404 => ("Revise el id o la ruta.", "Check the id or the path."),
        409 => {
            ("Lea el estado actual y decida de nuevo.", "Read how things stand and decide again.")
        }
        429 => ("Espere lo que dice `Retry-After`.", "Wait for what `Retry-After` says."),
        500 => ("Avise, con el `request_id`.", "Report it, with the `request_id`."),
        503 => ("Repita después de `Retry-After`.", "Ask again after `Retry-After`."),
        _ => (
            "Corrija la solicitud; repetida igual, oye lo mismo.",
            "Correct the request; the same one hears the same.",
        ),
    }
}

/// Returns the advice for one code alone, in Spanish and in English.
const fn special(code: Code) -> Option<(&'static str, &'static str)> {
    Some(match code {
        Code::ValidationError => {
            ("Corrija los campos de `details`.", "Correct the fields in `details`.")
        }
        Code::PaymentAmountNotValid | Code::IsNotPositivePayment => (
            "No entregue. `facts` dice lo que el banco muestra.",
            "Do not deliver. `facts` tells what the bank shows.",
        ),
        Code::UserBanckBadPassword | Code::UserBanckPasswordExpired | Code::UserBanckBlocked => (
            "El titular renueva las credenciales de la cuenta.",
            "The owner renews the account's credentials.",
        ),
        Code::SecondFactorRequired => {
            ("Inicie sesión otra vez con `code`.", "Sign in again with `code`.")
        }
        Code::StepUpRequired => (
            "Llame a `POST /auth/step-up` con un código y repita.",
            "Call `POST /auth/step-up` with a code and ask again.",
        ),
        Code::ApiKeyMonthlyCreditLimitExceeded | Code::ClientMonthlyCreditLimitExceeded => (
            "Espere hasta `facts.resets_at`, o pida más al titular.",
            "Wait until `facts.resets_at`, or ask the owner for more.",
        ),
        Code::PaymentNotFound => (
            "Puede aparecer todavía: pregunte otra vez en unos minutos.",
            "It may still appear: ask again in some minutes.",
        ),
        Code::PaymentReferenceTooShort => (
            "Pídale a quien pagó seis dígitos de la referencia, o su teléfono o documento.",
            "Ask whoever paid for six digits of the reference, or for a phone or document.",
        ),
        Code::PaymentReferenceAmbiguous => (
            "Pídale a quien pagó `facts.digits_needed` dígitos.",
            "Ask whoever paid for `facts.digits_needed` digits.",
        ),
        Code::PaymentAlreadyExists => {
            ("No entregue; que una persona lo revise.", "Do not deliver; let a person look.")
        }
        Code::PaymentNeedsReview => (
            "No entregue; que el comercio lo revise, y acepte el movimiento si nadie lo ha usado.",
            "Do not deliver; let the merchant look, and accept the movement if nobody has used it.",
        ),
        Code::RequestInProgress => {
            ("Repita después de `Retry-After`.", "Ask again after `Retry-After`.")
        }
        Code::BankNotAvailable => (
            "Nada se sabe del pago: repita la misma llamada.",
            "Nothing is known of the payment: send the same call again.",
        ),
        _ => return None,
    })
}
