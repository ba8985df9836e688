//! The page: what there is, group by group, then the shapes and the codes.

use std::fmt::Write as _;

use domain::language::Language;
use domain::refusal::Code;
use serde_json::Value;

use super::operations;
use super::remedies::remedy;
use super::words::{Words, fields_of, half, kind, list, pick, shapes};
use crate::operation::{Endpoint, Group};
use crate::operations::{endpoints, openapi};

/// The whole page.
pub(super) fn of(language: Language) -> String {
    let document: Value = serde_json::from_str(openapi()).expect("it was made of JSON");
    let endpoints = endpoints();
    let words = Words::of(language);
    let mut html = Html::default();
    head(&mut html, language, words);
    html.raw("<nav><h2>").text(words.operations).raw("</h2>");
    for (group, of_group) in groups(&endpoints) {
        let _ = write!(html.0, "<details><summary>{}</summary><ul>", pick(language, group.title()));
        for endpoint in of_group {
            let (method, name) = (&endpoint.method, endpoint.name);
            let _ = write!(html.0, "<li><a href=\"#{name}\"><b>{method}</b> ");
            html.text(endpoint.path).raw("</a>");
        }
        html.raw("</ul></details>");
    }
    let _ = write!(
        html.0,
        "<p><a href=\"#shapes\">{}</a> · <a href=\"#codes\">{}</a></nav><main id=\"main\">",
        words.shapes, words.codes
    );
    for (group, of_group) in groups(&endpoints) {
        let title = pick(language, group.title());
        let _ = write!(html.0, "<section><h2 id=\"{}\">{title}</h2>", group.name());
        for endpoint in of_group {
            operations::write(&mut html, endpoint, &document, language);
        }
        html.raw("</section>");
    }
    of_shapes(&mut html, &document, words);
    codes(&mut html, language);
    html.raw("</main></body></html>");
    html.0
}

fn groups(endpoints: &[Endpoint]) -> impl Iterator<Item = (Group, Vec<&Endpoint>)> {
    let of = |group| endpoints.iter().filter(move |one| one.group() == group).collect::<Vec<_>>();
    Group::ALL.into_iter().map(move |group| (group, of(group))).filter(|(_, all)| !all.is_empty())
}

fn head(html: &mut Html, language: Language, words: &Words) {
    let (here, there, other) = pick(language, (("es", "en", "English"), ("en", "es", "Español")));
    let _ = write!(
        html.0,
        "<!doctype html><html lang=\"{here}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Cotejo · {title}</title><link rel=\"stylesheet\" href=\"/docs/docs.css\"></head><body>\
         <a class=\"skip\" href=\"#main\">{operations}</a><header><h1>{title}</h1>\
         <p><a href=\"/docs/{there}\" lang=\"{there}\" hreflang=\"{there}\">{other}</a> · \
         <a href=\"/openapi.json\">openapi.json</a><p>Cotejo {version}. {made_up}</header>",
        title = words.title,
        operations = words.operations,
        made_up = words.made_up,
        version = env!("CARGO_PKG_VERSION"),
    );
}

fn of_shapes(html: &mut Html, document: &Value, words: &Words) {
    let _ = write!(html.0, "<section><h2 id=\"shapes\">{}</h2>", words.shapes);
    for (name, schema) in shapes(document) {
        let _ = write!(html.0, "<article><h3 id=\"shape-{name}\">{name}</h3>");
        if let Some(text) = schema["description"].as_str() {
            html.raw("<p>").prose(half(words.language, text));
        }
        if schema["properties"].is_null() {
            let _ = write!(html.0, "<p>{}", kind_of(schema, words));
        }
        fields(html, schema, words);
        html.raw("</article>");
    }
    html.raw("</section>");
}

fn codes(html: &mut Html, language: Language) {
    let words = Words::of(language);
    let _ = write!(html.0, "<section><h2 id=\"codes\">{}</h2><dl>", words.codes);
    for code in Code::ALL {
        let (name, status) = (code.as_str(), code.status());
        let _ = write!(html.0, "<dt id=\"code-{name}\">{status} <code>{name}</code><dd>");
        html.prose(code.meaning(language)).raw(" ").prose(remedy(*code, language));
    }
    html.raw("</dl></section>");
}

/// The fields of an object, each with its type.
pub(super) fn fields(html: &mut Html, schema: &Value, words: &Words) {
    if schema["properties"].as_object().is_none_or(serde_json::Map::is_empty) {
        return;
    }
    let required = list(&schema["required"]);
    html.raw("<dl>");
    for (name, field) in fields_of(&schema["properties"]) {
        html.raw("<dt><code>").text(name).raw("</code><dd>");
        html.raw(&kind_of(field, words));
        if !required.iter().any(|one| one == name) {
            let _ = write!(html.0, " · <i>{}</i>", words.optional);
        }
        if let Some(text) = field["description"].as_str() {
            html.raw(" ").prose(half(words.language, text));
        }
        // One without a name of its own is shown where it is.
        fields(html, if field["items"].is_object() { &field["items"] } else { field }, words);
    }
    html.raw("</dl>");
}

/// A type, whose shape is a link.
pub(super) fn kind_of(schema: &Value, words: &Words) -> String {
    kind(
        schema,
        words,
        |word| format!("<code>{}</code>", escaped(word)),
        |name| format!("<a href=\"#shape-{name}\">{name}</a>"),
    )
}

/// HTML of the page, as far as it is written.
#[derive(Default)]
pub(super) struct Html(pub(super) String);

impl Html {
    /// With this markup.
    pub(super) fn raw(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// With this text.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.raw(&escaped(text))
    }

    /// With this text, in which what callers write stands between backticks.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        for (place, part) in text.split('`').enumerate() {
            match place % 2 {
                0 => self.text(part),
                _ => self.raw("<code>").text(part).raw("</code>"),
            };
        }
        self
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
