//! What a refusal says to people: its message, without what only programs can use.

use domain::language::Language;
use domain::refusal::Code;

/// Phrases that the programs of callers look for at the beginning of a message.
const PHRASES: [&str; 4] = [
    "payment not found",
    "payment amount not valid",
    "movement_type is not available for this bank",
    "too many requests",
];

/// Texts of messages about calls that programs should make, each with what people do instead. The longer of two comes
/// first.
const INSTEAD: [(&str, &str); 30] = [
    ("con claimed: false en GET /movements/{bank_id}", "sin usar en «Movimientos»"),
    ("with claimed: false in GET /movements/{bank_id}", "that is unused under “Movements”"),
    ("en GET /movements/{bank_id}", "en «Movimientos»"),
    ("in GET /movements/{bank_id}", "under “Movements”"),
    ("repita la solicitud con \"other_receipt\": true", "marque la casilla que lo dice"),
    ("repeat the request with \"other_receipt\": true", "tick the box that says so"),
    ("repita la solicitud con su id en \"other_payment\"", "marque la casilla que lo dice"),
    ("repeat the request with its id in \"other_payment\"", "tick the box that says so"),
    ("consulte GET /v1/verifications/{verification_id}", "mírela en «Verificaciones»"),
    ("see GET /v1/verifications/{verification_id}", "look at it under “Verifications”"),
    (
        "Consulte su estado en GET /paymentlink/{payment_link_id}/info",
        "Su estado está en su página",
    ),
    ("See its status at GET /paymentlink/{payment_link_id}/info", "Its status is on its page"),
    ("con POST /v1/paymentlink/{payment_link_id}/resume", "con «Reanudar» en su página"),
    ("by POST /v1/paymentlink/{payment_link_id}/resume", "by “Resume” on its page"),
    ("cree otra en POST /v1/subscription/make", "cree otra en «Suscripciones»"),
    ("make another by POST /v1/subscription/make", "make another under “Subscriptions”"),
    (
        "anúlela en POST /v1/subscriptions/{id}/cancelbyowner",
        "anúlela con «Anular ahora» en su página",
    ),
    ("use POST /v1/subscriptions/{id}/cancelbyowner", "use “Cancel now” on its page"),
    ("véalo en GET /v1/receipts/{receipt_id}", "véalo en su página"),
    ("see GET /v1/receipts/{receipt_id}", "see its page"),
    (
        "Diga qué pasa con ello: with_issued=true lo termina también, with_issued=false lo deja",
        "Elija si se termina también o se deja",
    ),
    (
        "Say what becomes of it: with_issued=true ends it as well, with_issued=false leaves it",
        "Choose whether it ends as well or stays",
    ),
    ("o deje lo emitido con with_issued=false", "o elija dejar lo emitido"),
    ("or leave what was issued by with_issued=false", "or choose to leave what was issued"),
    ("en POST /auth/totp/recovery-codes", "en «Mi cuenta»"),
    ("ask POST /auth/totp/recovery-codes for others", "ask for others under “My account”"),
    ("en DELETE /auth/totp", "ahí"),
    ("at DELETE /auth/totp", "there"),
    ("en POST /auth/totp", "en «Mi cuenta»"),
    ("at POST /auth/totp", "under “My account”"),
];

/// Words of a sentence that says what a program should call, and means nothing to people.
const CALLS: [&str; 7] =
    ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /", "Retry-After", "Idempotency-Key"];

/// That message for somebody who looks at a page.
pub(super) fn to_people(code: Code, message: &str, language: Language) -> String {
    if let Some((es, en)) = own_text(code) {
        return Language::pick(language, es, en).to_owned();
    }
    let after = PHRASES.iter().find_map(|phrase| message.strip_prefix(phrase)?.strip_prefix(": "));
    let message = after.unwrap_or(message);
    let said = INSTEAD.iter().fold(message.to_owned(), |said, (call, act)| said.replace(call, act));
    let is_for_people = |sentence: &&str| CALLS.iter().all(|call| !sentence.contains(call));
    let sentences: Vec<&str> = said.split_inclusive(". ").filter(is_for_people).collect();
    let text = sentences.concat();
    match text.trim_end().split_at_checked(1) {
        Some((first, rest)) => format!("{}{rest}", first.to_uppercase()),
        // A letter that is more than one byte is none of those that follow a phrase.
        None if text.is_empty() => message.to_owned(),
        None => text.trim_end().to_owned(),
    }
}

/// Returns what is said to people where the message speaks of calls alone.
const fn own_text(code: Code) -> Option<(&'static str, &'static str)> {
    match code {
        Code::OwnerSessionRequired => Some((
            "Su cuenta no puede ver ni hacer esto: pídalo al titular.",
            "Your account cannot view or do this. Ask the owner.",
        )),
        Code::IdempotencyKeyReused => Some((
            "Este formulario ya se envió con otros datos. Mire qué salió de eso antes de enviar estos.",
            "This form was already sent with different details. Check the result of that before you send these.",
        )),
        Code::RequestLimitReached => Some((
            "Demasiadas solicitudes seguidas. Espere un momento.",
            "Too many requests in a row. Wait a moment.",
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::PaymentId;
    use domain::links::Status;
    use domain::refusal::{
        LineageRefusal, LinkRefusal, MovementRefusal, Refusal, SecondFactorRefusal,
        SubscriptionRefusal,
    };

    use super::*;

    #[test]
    fn people_read_nothing_of_calls_and_no_phrase_for_programs() {
        for (message, said) in [
            (
                "payment amount not valid: el banco muestra otro monto.",
                "El banco muestra otro monto.",
            ),
            (
                "too many requests: demasiadas solicitudes. Espere lo que indica Retry-After.",
                "Demasiadas solicitudes.",
            ),
            ("¿Qué? El enlace venció. Haga otro.", "¿Qué? El enlace venció. Haga otro."),
            ("Consulte GET /v1/verifications.", "Consulte GET /v1/verifications."),
        ] {
            assert_eq!(to_people(Code::BadRequest, message, Language::Es), said);
        }
        for refusal in [
            Refusal::Movement(MovementRefusal::Claimed),
            Refusal::Movement(MovementRefusal::RivalAccepted(PaymentId::from_bytes([1; 16]))),
            Refusal::Link(LinkRefusal::OtherReceipt),
            Refusal::Link(LinkRefusal::Closed),
            Refusal::Link(LinkRefusal::TakesNoPayment(Status::Stopped)),
            Refusal::Subscription(SubscriptionRefusal::Ended),
            Refusal::Subscription(SubscriptionRefusal::NotBegun),
            Refusal::Subscription(SubscriptionRefusal::CycleIsClosed),
            Refusal::Subscription(SubscriptionRefusal::CycleIsPaid),
            Refusal::ReceiptIsVoid,
            Refusal::Subscription(SubscriptionRefusal::NotATest),
            Refusal::Subscription(SubscriptionRefusal::CanceledByPayer),
            Refusal::Subscription(SubscriptionRefusal::EndsUnpaid),
            Refusal::SecondFactor(SecondFactorRefusal::Active),
            Refusal::SecondFactor(SecondFactorRefusal::Absent),
            Refusal::SecondFactor(SecondFactorRefusal::NotBegun),
            Refusal::Lineage(LineageRefusal::Lives { issued: Vec::new(), total: 1 }),
            Refusal::Lineage(LineageRefusal::TooMany { limit: 1_000 }),
        ] {
            for language in Language::ALL {
                let message = refusal.message(language);
                let said = to_people(refusal.code(), &message, language);
                let is_of_calls = [" /", "{", "claimed", "other_", "with_"]
                    .iter()
                    .any(|call| said.contains(call));
                let sentences = |text: &str| text.matches(['.', ';']).count();
                assert!(!is_of_calls && sentences(&said) == sentences(&message), "{said}");
            }
        }
        let text = to_people(Code::OwnerSessionRequired, "POST /auth/login", Language::En);
        assert_eq!(text, "Your account cannot view or do this. Ask the owner.");
        let text = to_people(Code::IdempotencyKeyReused, "Use otra Idempotency-Key.", Language::Es);
        assert!(text.contains("ya se envió"), "{text}");
    }
}
