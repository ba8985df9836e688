//! Refusals as the document describes them: a shape of any, and one for each set of codes that operations answer with a
//! status. Each is whole in itself: of parts that say a field twice, generators of clients take the first or none.

use domain::language::Language::{En, Es};
use domain::refusal::Code;
use serde_json::{Map, Value, json};

use super::events::{object, reference};

/// Codes that whoever shows a credential may hear: in the name of a shape, all of them are one word.
const NOT_ACTIVE: [Code; 3] =
    [Code::UserIsNotActive, Code::ClientIsNotActive, Code::ApiKeyIsNotActive];

/// How many other codes the name of a shape says.
const NAMED_MAX: usize = 3;

/// The name of the shape with which an operation refuses with a status. Few codes are said by it, so that operations with
/// the same ones have one shape; the shape of many is the operation's own, and keeps its name when another one comes.
pub(super) fn name(operation: &str, status: u16, codes: &[Code]) -> String {
    let has_not_active = NOT_ACTIVE.iter().all(|code| codes.contains(code));
    let is_said = |code: &Code| !(has_not_active && NOT_ACTIVE.contains(code));
    let said: Vec<String> = codes.iter().copied().filter(is_said).map(camel).collect();
    if said.len() > NAMED_MAX {
        return format!("Refusal{status}Of{operation}");
    }
    let not_active = if has_not_active { "NotActive" } else { "" };
    format!("Refusal{status}{}{not_active}", said.concat())
}

/// Tells whether that is a name of such a shape.
pub(super) fn is_one(name: &str) -> bool {
    let status = name.strip_prefix("Refusal").unwrap_or_default();
    status.starts_with(|first: char| first.is_ascii_digit())
}

/// The shape of refusals with that status and one of these codes.
pub(super) fn shape(status: u16, codes: &[Code]) -> Value {
    let codes: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let error = json!({
        "type": "string",
        "enum": codes,
        "description":
            "El código, para programas; `ErrorCode` dice qué significa. / The code, for programs; `ErrorCode` says what it \
             means.",
    });
    refusal(&format!("Un rechazo con estado {status}. / A refusal with status {status}."), &error)
}

/// The shapes that do not depend on an operation.
pub(super) fn common() -> [(&'static str, Value); 4] {
    let error = json!({
        "type": "string",
        "description":
            "El código, para programas: uno de `ErrorCode`. / The code, for programs: one of `ErrorCode`.",
    });
    let any = refusal("Lo que todo rechazo tiene. / What every refusal has.", &error);
    [("Error", any), ("ErrorCode", codes()), ("ErrorDetail", detail()), ("ErrorFacts", facts())]
}

fn refusal(description: &str, error: &Value) -> Value {
    let properties = json!({
        "message": {
            "type": "string",
            "description": "Qué hacer, para personas. / What to do, for people.",
        },
        "error": error,
        "request_id": {
            "type": "string",
            "description":
                "El de `X-Request-Id`: dígalo cuando pregunte por este rechazo. / That of `X-Request-Id`: say it when you ask \
                 about this refusal.",
        },
        "details": {
            "type": "array",
            "items": reference("ErrorDetail"),
            "description":
                "Cada campo que hay que corregir; no está donde no es por un campo. / Every field to correct; absent where it is \
                 not for a field.",
        },
        "facts": reference("ErrorFacts"),
    });
    object(description, &properties, &["details", "facts"])
}

/// Every code, and what it means.
fn codes() -> Value {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let meaning = |code: &Code| {
        let text = format!("{}: {} / {}", code.status(), code.meaning(Es), code.meaning(En));
        (code.as_str().to_owned(), Value::from(text))
    };
    let meanings: Map<String, Value> = Code::ALL.iter().map(meaning).collect();
    json!({
        "type": "string",
        "enum": names,
        "description":
            "Todos los códigos de rechazo, con su estado. Ninguno cambia de nombre, estado ni significado; puede haber más. / \
             Every code of refusals, with its status. None changes its name, status or meaning; there may be more.",
        "x-enumDescriptions": meanings,
    })
}

fn detail() -> Value {
    let properties = json!({
        "field": {
            "type": "string",
            "description":
                "Su nombre, o su camino dentro del cuerpo. / Its name, or its path inside of the body.",
        },
        "problem": {
            "type": "string",
            "description":
                "Qué tiene de malo, en el idioma de quien llama. / What is wrong with it, in the caller's language.",
        },
    });
    object("Un campo que hay que corregir. / A field to correct.", &properties, &[])
}

fn facts() -> Value {
    json!({
        "type": "object",
        "additionalProperties": true,
        "description":
            "Lo que un programa puede usar, según el código; no está donde no hay nada. / What a program can use, by the code; \
             absent where there is nothing.",
    })
}

/// The name of a code without underscores: `NotFound`.
fn camel(code: Code) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next();
        first
            .into_iter()
            .chain(letters.map(|letter| letter.to_ascii_lowercase()))
            .collect::<String>()
    };
    code.as_str().split('_').map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_codes_are_said_by_a_name_and_many_by_their_operation() {
        use Code::{
            BadRequest, Conflict, Forbidden, InvalidMovementType, NotFound, ValidationError,
        };
        let of = |status, codes: &[Code]| name("Verify", status, codes);
        assert_eq!(of(404, &[NotFound]), "Refusal404NotFound");
        assert_eq!(of(400, &[BadRequest, ValidationError]), "Refusal400BadRequestValidationError");
        let many = [BadRequest, ValidationError, InvalidMovementType, Conflict];
        assert_eq!(of(400, &many), "Refusal400OfVerify");
        let [user, client, key] = NOT_ACTIVE;
        assert_eq!(of(403, &[Forbidden, user, client, key]), "Refusal403ForbiddenNotActive");
        assert_eq!(of(403, &[user, client]), "Refusal403UserIsNotActiveClientIsNotActive");
    }

    #[test]
    fn the_name_of_a_shape_says_which_codes_it_has() {
        assert!(is_one("Refusal404NotFound") && is_one("Refusal400OfVerify"));
        assert!(!is_one("RefusedListed") && !is_one("Error") && !is_one("Refusal"));
    }
}
