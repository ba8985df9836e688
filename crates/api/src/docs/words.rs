//! What the reference says in each language, and types in a few words.

use domain::language::Language;
use serde_json::{Map, Value};

use crate::operation::shapes::is_of_an_operation;

/// Words of the reference in one language.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) language: Language,
    pub(crate) title: &'static str,
    pub(crate) operations: &'static str,
    pub(crate) who: &'static str,
    pub(crate) parameters: &'static str,
    pub(crate) request: &'static str,
    pub(crate) answer: &'static str,
    pub(crate) example: &'static str,
    pub(crate) refusals: &'static str,
    pub(crate) shapes: &'static str,
    pub(crate) codes: &'static str,
    pub(crate) list_of: &'static str,
    pub(crate) optional: &'static str,
    pub(crate) made_up: &'static str,
    pub(crate) removed_on: &'static str,
}

static SPANISH: Words = Words {
    language: Language::Es,
    title: "Referencia de la API",
    operations: "Operaciones",
    who: "Quién",
    parameters: "Parámetros",
    request: "Solicitud",
    answer: "Respuesta",
    example: "Ejemplo",
    refusals: "Rechazos",
    shapes: "Formas",
    codes: "Códigos de rechazo",
    list_of: "lista de",
    optional: "opcional",
    made_up: "Todo dato de los ejemplos es inventado.",
    removed_on: "Se retira el",
};

static ENGLISH: Words = Words {
    language: Language::En,
    title: "API reference",
    operations: "Operations",
    who: "Who",
    parameters: "Parameters",
    request: "Request",
    answer: "Answer",
    example: "Example",
    refusals: "Refusals",
    shapes: "Shapes",
    codes: "Codes of refusals",
    list_of: "list of",
    optional: "optional",
    made_up: "All data of the examples is made up.",
    removed_on: "It is removed on",
};

impl Words {
    /// Returns the words in a language.
    pub(crate) fn of(language: Language) -> &'static Self {
        pick(language, (&SPANISH, &ENGLISH))
    }
}

/// The one of two, in Spanish and in English, that is of the language.
pub(crate) fn pick<T>(language: Language, (es, en): (T, T)) -> T {
    match language {
        Language::Es => es,
        Language::En => en,
    }
}

/// The half of a text of the document, which says all in both languages.
pub(crate) fn half(language: Language, text: &str) -> &str {
    text.split_once(" / ").map_or(text, |halves| pick(language, halves))
}

/// How the name of a type is written where it leads somewhere.
pub(crate) type Link = fn(&str) -> String;

/// A type in a few words.
pub(crate) fn kind(schema: &Value, words: &Words, code: Link, shape: Link) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return shape(name.rsplit('/').next().unwrap_or_default());
    }
    for any in ["anyOf", "oneOf"] {
        // A text that is empty stands for none, which is described already.
        let kinds = list(&schema[any]).iter().filter(|one| one["maxLength"] != 0);
        let kinds: Vec<_> = kinds.map(|one| kind(one, words, code, shape)).collect();
        if !kinds.is_empty() {
            return kinds.join(" · ");
        }
    }
    if let Some(word) = schema.get("const") {
        return code(&word.to_string());
    }
    let choice = list(&schema["enum"]);
    if !choice.is_empty() {
        return choice.iter().map(|word| code(&word.to_string())).collect::<Vec<_>>().join(" · ");
    }
    let items = &schema["items"];
    let item = || format!("{} {}", words.list_of, kind(items, words, code, shape));
    let names = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        other => list(other).iter().filter_map(Value::as_str).collect(),
    };
    let named = names.iter().map(|name| match (*name, schema["format"].as_str()) {
        ("array", _) if items.is_object() => item(),
        ("null", _) | (_, None) => (*name).to_owned(),
        (name, Some(format)) => format!("{name} ({format})"),
    });
    if names.is_empty() { "JSON".to_owned() } else { named.collect::<Vec<_>>().join(" · ") }
}

/// The shapes that are shown by themselves.
pub(crate) fn shapes(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let all = fields_of(&document["components"]["schemas"]);
    all.filter(|(name, _)| !is_of_an_operation(name))
}

/// The schema, or the shape that it refers to.
pub(crate) fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema["$ref"].as_str().map(|target| target.trim_start_matches('#'));
    target.and_then(|target| document.pointer(target)).unwrap_or(schema)
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn fields_of(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}
