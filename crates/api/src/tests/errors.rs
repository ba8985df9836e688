//! The codes of refusals in Markdown, each with what to do and the operations that answer it.

use std::fmt::Write;

use domain::language::Language;
use domain::refusal::Code;

use crate::docs::remedies::remedy;
use crate::docs::words::pick;
use crate::endpoints;

/// How many operations are named at most; of more their number is given.
const NAMED_MAX: usize = 12;

/// Codes that no operation answers yet, and who answers or will answer them.
const BY_NO_OPERATION: [(Code, &str, &str); 5] = [
    (
        Code::InvalidPhone,
        "Lo dará el cobro C2P; un teléfono mal escrito es hoy `VALIDATION_ERROR`.",
        "Charging by C2P will; a phone that is written wrongly is `VALIDATION_ERROR` today.",
    ),
    (
        Code::UserBanckPasswordExpired,
        "Lo dará un banco cuyas claves vencen.",
        "A bank whose passwords expire will.",
    ),
    (
        Code::UserBanckBlocked,
        "Lo dará un banco que bloquea usuarios.",
        "A bank that blocks users will.",
    ),
    (
        Code::MethodNotSupport,
        "Cualquier ruta, con un método que no es suyo; `Allow` dice cuáles son.",
        "Any path, asked by a method that is not its own; `Allow` says which are.",
    ),
    (
        Code::BankTooManyRequests,
        "Lo dará un banco que limita las consultas.",
        "A bank that limits how often it is asked will.",
    ),
];

const HEADS: (&str, &str) = (
    "\
# Códigos de rechazo

[In English](errors.md). Generados del código; `cargo xtask openapi` los escribe. Decida por el código (`error`), nunca por el texto: un código
no cambia de nombre, de estado ni de significado. La forma de un rechazo está en la [referencia](api.es.md#error).
",
    "\
# Codes of refusals

[En español](errors.es.md). Generated from the code; `cargo xtask openapi` writes them. Decide by the code (`error`), never by the text: a code
changes neither its name nor its status nor its meaning. The shape of a refusal is in the [reference](api.md#error).
",
);

/// The page of a language.
pub(super) fn of(language: Language) -> String {
    let mut text = pick(language, HEADS).to_owned();
    let (what, by) =
        pick(language, (("Qué hacer", "Quién lo da"), ("What to do", "Who answers it")));
    let mut status = 0;
    for code in Code::ALL {
        if code.status() != status {
            status = code.status();
            let _ = write!(text, "\n## {status}\n");
        }
        let (meaning, remedy) = (code.meaning(language), remedy(*code, language));
        let _ = write!(text, "\n### {code}\n\n{meaning}\n\n- {what}: {remedy}\n");
        let _ = writeln!(text, "- {by}: {}", answering(*code, language));
    }
    text
}

fn answering(code: Code, language: Language) -> String {
    let all = endpoints();
    let these = all.iter().filter(|endpoint| endpoint.refusals().contains(&code));
    let these: Vec<_> =
        these.map(|endpoint| format!("`{} {}`", endpoint.method, endpoint.path)).collect();
    let (count, total) = (these.len(), all.len());
    match BY_NO_OPERATION.iter().find(|(one, ..)| *one == code) {
        Some((_, es, en)) => pick(language, (*es, *en)).to_owned(),
        None if count == total => {
            pick(language, ("toda operación.", "every operation.")).to_owned()
        }
        None if count > NAMED_MAX => match language {
            Language::Es => format!("{count} de las {total} operaciones."),
            Language::En => format!("{count} of the {total} operations."),
        },
        None => format!("{}.", these.join(", ")),
    }
}

#[test]
fn every_code_is_answered_by_an_operation_or_says_by_whom_it_will_be() {
    let answered: Vec<Code> = endpoints().iter().flat_map(crate::Endpoint::refusals).collect();
    for code in Code::ALL {
        let is_named = BY_NO_OPERATION.iter().any(|(one, ..)| one == code);
        assert_ne!(answered.contains(code), is_named, "{code}: answered, or told by whom");
    }
}
