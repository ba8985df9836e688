//! The reference in Markdown, made from the OpenAPI document alone.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::operation::Group;

const HEAD: &str = "\
# API

Generada de [openapi.json](../openapi.json), que el servicio da en `GET /openapi.json`; `cargo xtask openapi` la escribe. \
Cómo empezar está en la guía: [integrar](../guide/integrar.md), [verificar](../guide/verificar.md).

Generated from [openapi.json](../openapi.json), which the service hands out at `GET /openapi.json`; `cargo xtask openapi` \
writes it. How to begin is in the guide: [integrate](../guide/integrate.md), [verify](../guide/verify.md).

Todo dato de los ejemplos es inventado. / All data of the examples is made up.
";

/// The reference of this document.
pub(super) fn of(document: &Value) -> String {
    let mut text = HEAD.to_owned();
    for group in Group::ALL {
        let (es, en) = group.title();
        let operations = operations(document, group.name());
        if operations.is_empty() {
            continue;
        }
        let title = if es == en { es.to_owned() } else { format!("{es} / {en}") };
        let _ = write!(text, "\n## {title}\n");
        for (method, path, operation) in operations {
            describe(&mut text, &method, &path, operation);
        }
    }
    text.push_str("\n## Formas / Shapes\n");
    for (name, schema) in fields_of(&document["components"]["schemas"]) {
        if name != "Error" {
            let _ = write!(text, "\n### {name}\n");
            line(&mut text, schema["description"].as_str());
            table(&mut text, schema, "Campo / Field");
        }
    }
    text.push_str("\n## Códigos / Codes\n\n| Código / Code | Qué significa / What it means |\n| --- | --- |\n");
    for code in list(&document["components"]["schemas"]["Error"]["properties"]["error"]["oneOf"]) {
        let (name, meaning) = (&code["const"], &code["description"]);
        let (name, meaning) = (name.as_str().unwrap_or_default(), meaning.as_str());
        let _ = writeln!(text, "| `{name}` | {} |", cell(meaning.unwrap_or_default()));
    }
    text
}

fn operations<'a>(document: &'a Value, tag: &str) -> Vec<(String, String, &'a Value)> {
    let mut found = Vec::new();
    for (path, methods) in fields_of(&document["paths"]) {
        for (method, operation) in fields_of(methods) {
            if operation["tags"][0] == tag {
                found.push((method.to_ascii_uppercase(), path.clone(), operation));
            }
        }
    }
    found
}

fn describe(text: &mut String, method: &str, path: &str, operation: &Value) {
    let _ = write!(text, "\n### {method} {path}\n");
    line(text, operation["summary"].as_str());
    line(text, operation["description"].as_str());
    let parameters = list(&operation["parameters"]);
    if !parameters.is_empty() {
        text.push_str("\n| Parámetro / Parameter | Tipo / Type | |\n| --- | --- | --- |\n");
        for one in parameters {
            let name = one["name"].as_str().unwrap_or_default();
            let place = one["in"].as_str().unwrap_or_default();
            let what = one["description"].as_str().unwrap_or_default();
            let kind = kind(&one["schema"]);
            let _ = writeln!(text, "| `{name}` ({place}) | {kind} | {} |", cell(what));
        }
    }
    let request = &operation["requestBody"]["content"]["application/json"];
    if request.is_object() {
        table(text, &request["schema"], "Solicitud / Request");
        example(text, &request["example"]);
    }
    for (status, response) in fields_of(&operation["responses"]) {
        let answer = &response["content"]["application/json"];
        if status == "200" {
            let _ = write!(text, "\nRespuesta / Answer: {}\n", kind(&answer["schema"]));
            example(text, &answer["example"]);
        }
    }
    text.push_str("\nErrores / Errors:");
    for (status, response) in fields_of(&operation["responses"]) {
        if status != "200" {
            let codes = response["description"].as_str().unwrap_or_default();
            let _ = write!(text, " {status} `{}`;", codes.replace(", ", "`, `"));
        }
    }
    text.pop();
    text.push_str(".\n");
}

fn table(text: &mut String, schema: &Value, title: &str) {
    let required = list(&schema["required"]);
    let fields = fields_of(&schema["properties"]);
    let mut rows = fields.peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = write!(text, "\n| {title} | Tipo / Type | |\n| --- | --- | --- |\n");
    for (name, field) in rows {
        let must = required.iter().any(|one| *one == name.as_str());
        let mark = if must { "" } else { "?" };
        let what = field["description"].as_str().unwrap_or_default();
        let _ = writeln!(text, "| `{name}`{mark} | {} | {} |", kind(field), cell(what));
    }
}

fn example(text: &mut String, example: &Value) {
    if !example.is_null() {
        let _ = write!(text, "\n```json\n{example:#}\n```\n");
    }
}

/// A type in a few words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        return format!("[{name}](#{})", name.to_ascii_lowercase());
    }
    for any in ["anyOf", "oneOf"] {
        let kinds = list(&schema[any]);
        if !kinds.is_empty() {
            return kinds.iter().map(kind).collect::<Vec<_>>().join(" · ");
        }
    }
    if let Some(word) = schema.get("const") {
        return format!("`{word}`");
    }
    let words = list(&schema["enum"]);
    if !words.is_empty() {
        return words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" · ");
    }
    if schema["items"].is_object() {
        return format!("lista de / list of {}", kind(&schema["items"]));
    }
    let names = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        other => list(other).iter().filter_map(Value::as_str).collect(),
    };
    let format = schema["format"].as_str().map(|form| format!(" ({form})")).unwrap_or_default();
    if names.is_empty() { "JSON".to_owned() } else { format!("{}{format}", names.join(" · ")) }
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

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn fields_of(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}
