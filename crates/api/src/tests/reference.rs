//! The reference in Markdown, in Spanish and in English, made from the declarations and the OpenAPI document.

use std::fmt::Write;

use domain::language::Language;
use domain::logo::MEDIA_TYPES;
use serde_json::Value;

use crate::docs::words::{self, Words, fields_of, half, list, pick, resolved, shapes};
use crate::operation::{Endpoint, Group};

const HEADS: (&str, &str) = (
    "\
# API

[In English](api.md). Generada de las declaraciones de cada operación; `cargo xtask openapi` la escribe. El servicio la muestra en `/docs`, y
para programas en `GET /openapi.json` ([openapi.json](../openapi.json)). Cómo empezar está en la guía:
[integrar](../guide/integrar.md), [verificar](../guide/verificar.md). Los rechazos: [códigos](errors.es.md).
",
    "\
# API

[En español](api.es.md). Generated from the declarations of each operation; `cargo xtask openapi` writes it. The service shows it at `/docs`, and
for programs at `GET /openapi.json` ([openapi.json](../openapi.json)). How to begin is in the guide:
[integrate](../guide/integrate.md), [verify](../guide/verify.md). Refusals: [codes](errors.md).
",
);

/// The reference of this document.
pub(super) fn of(document: &Value, endpoints: &[Endpoint], language: Language) -> String {
    let words = Words::of(language);
    let mut text = format!("{}\n{}\n", pick(language, HEADS), words.made_up);
    for group in Group::ALL {
        let mut of_group = endpoints.iter().filter(|one| one.group() == group).peekable();
        if of_group.peek().is_some() {
            let _ = write!(text, "\n## {}\n", pick(language, group.title()));
        }
        for endpoint in of_group {
            describe(&mut text, endpoint, document, language);
        }
    }
    let _ = write!(text, "\n## {}\n", words.shapes);
    for (name, schema) in shapes(document) {
        let _ = write!(text, "\n### {name}\n");
        let what = schema["description"].as_str().map(|what| half(language, what));
        line(&mut text, what.map(|what| what.replace('\n', " ")).as_deref());
        table(&mut text, schema, words);
    }
    text
}

fn describe(text: &mut String, endpoint: &Endpoint, document: &Value, language: Language) {
    let words = Words::of(language);
    let method = endpoint.method.as_str().to_ascii_lowercase();
    let operation = &document["paths"][endpoint.path][method];
    let _ = write!(text, "\n### {} {}\n", endpoint.method, endpoint.path);
    line(text, Some(pick(language, endpoint.summary())));
    let _ = write!(text, "\n{}: {}.\n", words.who, pick(language, endpoint.callers()));
    if let Some(removal) = endpoint.removal() {
        let _ = write!(text, "\n{} {}.\n", words.removed_on, removal.gone_at);
    }
    let parameters = list(&operation["parameters"]);
    if !parameters.is_empty() {
        let _ = write!(text, "\n| {} | | |\n| --- | --- | --- |\n", words.parameters);
        for one in parameters {
            let name = one["name"].as_str().unwrap_or_default();
            let place = one["in"].as_str().unwrap_or_default();
            let what = half(language, one["description"].as_str().unwrap_or_default());
            let kind = kind(&one["schema"], words);
            let _ = writeln!(text, "| `{name}` ({place}) | {kind} | {} |", cell(what));
        }
    }
    let request = &operation["requestBody"]["content"]["application/json"];
    if request.is_object() {
        line(text, Some(&format!("{}:", words.request)));
        table(text, resolved(document, &request["schema"]), words);
        example(text, &request["example"]);
    }
    if operation["requestBody"]["content"][MEDIA_TYPES[0]].is_object() {
        line(text, Some(&format!("{}: {}", words.request, MEDIA_TYPES.join(" · "))));
    }
    let answer = &operation["responses"]["200"]["content"]["application/json"];
    if answer.is_object() {
        line(text, Some(&format!("{}: {}", words.answer, kind(&answer["schema"], words))));
        example(text, &answer["example"]);
    }
    let _ = write!(text, "\n{}:", words.refusals);
    for (status, response) in fields_of(&operation["responses"]) {
        if status != "200" {
            let codes = response["description"].as_str().unwrap_or_default();
            let _ = write!(text, " {status} `{}`;", codes.replace(", ", "`, `"));
        }
    }
    text.pop();
    text.push_str(".\n");
}

fn table(text: &mut String, schema: &Value, words: &Words) {
    let required = list(&schema["required"]);
    let mut rows = fields_of(&schema["properties"]).peekable();
    if rows.peek().is_none() {
        return;
    }
    text.push_str("\n| | | |\n| --- | --- | --- |\n");
    for (name, field) in rows {
        let must = required.iter().any(|one| *one == name.as_str());
        let mark = if must { "" } else { "?" };
        let what = half(words.language, field["description"].as_str().unwrap_or_default());
        let _ = writeln!(text, "| `{name}`{mark} | {} | {} |", kind(field, words), cell(what));
    }
}

fn example(text: &mut String, example: &Value) {
    if !example.is_null() {
        let _ = write!(text, "\n```json\n{example:#}\n```\n");
    }
}

/// A type in a few words.
fn kind(schema: &Value, words: &Words) -> String {
    words::kind(
        schema,
        words,
        |word| format!("`{word}`"),
        |name| format!("[{name}](#{})", name.to_ascii_lowercase()),
    )
}

/// A paragraph.
fn line(text: &mut String, paragraph: Option<&str>) {
    if let Some(paragraph) = paragraph {
        let _ = write!(text, "\n{paragraph}\n");
    }
}

/// Text in one cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}
