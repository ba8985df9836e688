//! An operation on the page: what it does, for whom, what it takes and answers, an example, and its refusals.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use domain::access::Rule;
use domain::language::Language;
use domain::logo::MEDIA_TYPES;
use http::Method;
use serde_json::Value;

use super::page::{Html, fields, kind_of};
use super::words::{Words, half, list, pick, resolved};
use crate::operation::Endpoint;

pub(super) fn write(html: &mut Html, endpoint: &Endpoint, document: &Value, language: Language) {
    let words = Words::of(language);
    let method = endpoint.method.as_str().to_ascii_lowercase();
    let operation = &document["paths"][endpoint.path][method];
    let name = endpoint.name;
    let _ = write!(
        html.0,
        "<article><h3 id=\"{name}\"><a href=\"#{name}\"><b>{}</b> ",
        endpoint.method
    );
    // So that long paths break between their parts.
    html.raw(&endpoint.path.replace('/', "/<wbr>")).raw("</a></h3><p>");
    html.prose(pick(language, endpoint.summary()));
    let _ = write!(html.0, "<p class=\"quiet\">{}: ", words.who);
    html.prose(&pick(language, endpoint.callers()));
    html.raw(".");
    if let Some(removal) = endpoint.removal() {
        let _ = write!(html.0, "<p><strong>{} {}.</strong>", words.removed_on, removal.gone_at);
    }
    parameters(html, operation, words, language);
    let request = &operation["requestBody"]["content"]["application/json"]["schema"];
    let request = resolved(document, request);
    if request["properties"].as_object().is_some_and(|fields| !fields.is_empty()) {
        let _ = write!(html.0, "<h4>{}</h4>", words.request);
        fields(html, request, words);
    }
    if operation["requestBody"]["content"][MEDIA_TYPES[0]].is_object() {
        let _ = write!(html.0, "<h4>{}</h4><p>{}", words.request, MEDIA_TYPES.join(" · "));
    }
    let answer = &operation["responses"]["200"]["content"]["application/json"];
    if answer.is_object() {
        let _ =
            write!(html.0, "<h4>{}</h4><p>200 {}", words.answer, kind_of(&answer["schema"], words));
    }
    let _ =
        write!(html.0, "<details><summary>{}</summary><pre tabindex=\"0\"><code>", words.example);
    html.text(&curl(endpoint, operation));
    if !answer["example"].is_null() {
        let _ = write!(html.0, "</code></pre><pre tabindex=\"0\"><code>");
        html.text(&format!("{:#}", answer["example"]));
    }
    html.raw("</code></pre></details>");
    refusals(html, endpoint, words);
    html.raw("</article>");
}

fn parameters(html: &mut Html, operation: &Value, words: &Words, language: Language) {
    let parameters = list(&operation["parameters"]);
    if parameters.is_empty() {
        return;
    }
    let _ = write!(html.0, "<h4>{}</h4><dl>", words.parameters);
    for one in parameters {
        html.raw("<dt><code>").text(one["name"].as_str().unwrap_or_default()).raw("</code><dd>");
        let place = one["in"].as_str().unwrap_or_default();
        let _ = write!(html.0, "{place} · {} · ", kind_of(&one["schema"], words));
        html.prose(half(language, one["description"].as_str().unwrap_or_default()));
    }
    html.raw("</dl>");
}

fn refusals(html: &mut Html, endpoint: &Endpoint, words: &Words) {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in endpoint.refusals() {
        by_status.entry(code.status()).or_default().push(code.as_str());
    }
    let _ = write!(html.0, "<details><summary>{}</summary><ul>", words.refusals);
    for (status, codes) in by_status {
        let links = codes.iter().map(|code| format!("<a href=\"#code-{code}\">{code}</a>"));
        let _ = write!(html.0, "<li>{status} {}", links.collect::<Vec<_>>().join(", "));
    }
    html.raw("</ul></details>");
}

/// How it is called from a shell.
fn curl(endpoint: &Endpoint, operation: &Value) -> String {
    let content = &operation["requestBody"]["content"];
    let example = &content["application/json"]["example"];
    let is_picture = content[MEDIA_TYPES[0]].is_object();
    let mut path = String::new();
    for part in endpoint.path.split('/').skip(1) {
        let variable = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        match variable {
            Some(name) => path.push_str(&format!("/${}", name.to_ascii_uppercase())),
            None => path.push_str(&format!("/{part}")),
        }
    }
    let has_body = is_picture || !example.is_null();
    let usual = if has_body { Method::POST } else { Method::GET };
    let method =
        if endpoint.method == usual { String::new() } else { format!(" -X {}", endpoint.method) };
    let credential = match endpoint.rule {
        Rule::Public | Rule::Hook => "",
        Rule::OwnerSession
        | Rule::Session
        | Rule::OwnerOrEmployee(_)
        | Rule::OwnerOrClient
        | Rule::OwnerEmployeeOrClient(_) => " -H \"Authorization: Bearer $TOKEN\"",
        _ => " -H \"Authorization: Bearer $KEY\"",
    };
    let body = match (is_picture, example) {
        (true, _) => " --data-binary @logo.png".to_owned(),
        (false, Value::Null) => String::new(),
        (false, example) => format!(" --json '{example}'"),
    };
    format!("curl -sS{method} \"$COTEJO{path}\"{credential}{body}")
}
