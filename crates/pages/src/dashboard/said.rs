//! What a refusal says to people: its message, without what only programs can use.

use domain::language::Language;
use domain::refusal::Code;

/// What the programs of callers look for at the beginning of a message.
const PHRASES: [&str; 4] = [
    "payment not found",
    "payment amount not valid",
    "movement_type is not available for this bank",
    "too many requests",
];

/// What a sentence has in it that tells a program what to call.
const CALLS: [&str; 6] =
    ["GET /", "POST /", "PUT /", "Retry-After", "Idempotency-Key", "other_receipt"];

/// That message for somebody who looks at a page.
pub(super) fn to_people(code: Code, message: &str, language: Language) -> String {
    if let Some((es, en)) = own_text(code) {
        return Language::pick(language, es, en).to_owned();
    }
    let after = PHRASES.iter().find_map(|phrase| message.strip_prefix(phrase)?.strip_prefix(": "));
    let is_for_people = |sentence: &&str| CALLS.iter().all(|call| !sentence.contains(call));
    let sentences: Vec<&str> =
        after.unwrap_or(message).split_inclusive(". ").filter(is_for_people).collect();
    let text = sentences.concat();
    match text.trim_end().split_at_checked(1) {
        Some((first, rest)) => format!("{}{rest}", first.to_uppercase()),
        // A letter that is more than one byte is none of those that follow a phrase.
        None if text.is_empty() => after.unwrap_or(message).to_owned(),
        None => text.trim_end().to_owned(),
    }
}

/// What is said to people where the message speaks of calls alone.
const fn own_text(code: Code) -> Option<(&'static str, &'static str)> {
    match code {
        Code::OwnerSessionRequired => Some((
            "Su cuenta no puede ver ni hacer esto: pídalo al titular.",
            "Your account can neither see nor do this: ask the owner.",
        )),
        Code::IdempotencyKeyReused => Some((
            "Este formulario ya se envió con otros datos. Mire qué salió de eso antes de enviar estos.",
            "This form was sent before with something else. Look at what came of that before you send this.",
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
    use super::*;

    #[test]
    fn people_are_told_nothing_of_calls_and_no_phrase_for_programs() {
        for (message, said) in [
            (
                "payment amount not valid: el banco muestra otro monto.",
                "El banco muestra otro monto.",
            ),
            (
                "too many requests: demasiadas solicitudes. Espere lo que indica Retry-After.",
                "Demasiadas solicitudes.",
            ),
            (
                "Ese movimiento ya se usó. Elija uno en GET /movements/{bank_id}.",
                "Ese movimiento ya se usó.",
            ),
            ("¿Qué? El enlace venció. Haga otro.", "¿Qué? El enlace venció. Haga otro."),
            ("Consulte GET /v1/verifications.", "Consulte GET /v1/verifications."),
        ] {
            assert_eq!(to_people(Code::BadRequest, message, Language::Es), said);
        }
        let text = to_people(Code::OwnerSessionRequired, "POST /auth/login", Language::En);
        assert_eq!(text, "Your account can neither see nor do this: ask the owner.");
        let text = to_people(Code::IdempotencyKeyReused, "Use otra Idempotency-Key.", Language::Es);
        assert!(text.contains("ya se envió"), "{text}");
    }
}
