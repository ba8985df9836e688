//! Whether an exchange with the API is as its document says: what was asked, what was answered, and each refusal.

use serde_json::Value;

use crate::schema::{Fields, mismatches};

/// A request and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// The method of the request.
    pub method: &'a str,
    /// Its path, with the query if there is one.
    pub path: &'a str,
    /// Its body.
    pub request: &'a [u8],
    /// The status of the answer.
    pub status: u16,
    /// The body of the answer.
    pub answer: &'a [u8],
}

impl Exchange<'_> {
    /// Looks at the exchange, unless its route is none of the document's.
    ///
    /// # Panics
    /// Where the document says otherwise.
    pub fn check(&self, document: &Value) {
        let Some(operation) = self.operation(document) else { return };
        let answer: Value = serde_json::from_slice(self.answer).unwrap_or(Value::Null);
        let said = &operation["responses"][self.status.to_string()];
        let schema = &said["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{} is not in the document: {answer}", self.what());
        let wrong = mismatches(document, schema, &answer, Fields::AsNamed);
        assert!(wrong.is_empty(), "{} is not as the document says: {wrong:#?}", self.what());
        if self.status == 200 {
            self.check_request(document, operation);
        }
    }

    /// Checks that an accepted request is one that the document says is accepted.
    fn check_request(&self, document: &Value, operation: &Value) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let Ok(request) = serde_json::from_slice::<Value>(self.request) else { return };
        if schema.is_object() {
            let wrong = mismatches(document, schema, &request, Fields::AndOthers);
            assert!(
                wrong.is_empty(),
                "{} was taken, against the document: {wrong:#?}",
                self.what()
            );
        }
    }

    fn operation<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        let path = self.path.split('?').next().unwrap_or_default();
        let paths = document["paths"].as_object()?.iter();
        let fitting = paths.filter(|(template, _)| fits(path, template));
        // A path in so many words comes before one with a placeholder.
        let (_, methods) = fitting.min_by_key(|(template, _)| template.matches('{').count())?;
        methods.get(self.method.to_ascii_lowercase())
    }

    fn what(&self) -> String {
        format!("{} {} with {}", self.method, self.path, self.status)
    }
}

/// Tells whether a path matches that template.
fn fits(path: &str, template: &str) -> bool {
    let (path, template) = (path.split('/'), template.split('/'));
    path.clone().count() == template.clone().count()
        && path.zip(template).all(|(part, wanted)| wanted.starts_with('{') || part == wanted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Value {
        let refusal = json!({ "properties": { "error": { "enum": ["NOT_FOUND"] } } });
        let content =
            |schema: Value| json!({ "content": { "application/json": { "schema": schema } } });
        json!({ "paths": {
            "/keys/{id}": { "put": {
                "requestBody": content(json!({ "required": ["name"] })),
                "responses": {
                    "200": content(json!({ "properties": { "message": { "type": "string" } } })),
                    "404": content(refusal),
                },
            } },
            "/keys/default": { "put": { "responses": {} } },
        } })
    }

    fn check(path: &str, request: &str, status: u16, answer: &str) {
        let (request, answer) = (request.as_bytes(), answer.as_bytes());
        Exchange { method: "PUT", path, request, status, answer }.check(&document());
    }

    #[test]
    fn what_is_in_the_document_is_right() {
        check("/keys/1?a=b", r#"{"name": 1}"#, 200, r#"{"message": "x"}"#);
        check("/keys/1", "", 404, r#"{"error": "NOT_FOUND"}"#);
        check("/other", "", 500, "");
        let get =
            Exchange { method: "GET", path: "/keys/1", request: b"", status: 405, answer: b"" };
        get.check(&document());
    }

    #[test]
    fn everything_else_is_reported() {
        for (path, request, status, answer) in [
            ("/keys/1", "{}", 200, r#"{"message": "x"}"#),
            ("/keys/1", r#"{"name": 1}"#, 200, r#"{"message": 1}"#),
            ("/keys/1", "", 200, r#"{"other": 1}"#),
            ("/keys/1", "", 404, r#"{"error": "CONFLICT"}"#),
            ("/keys/1", "", 409, r#"{"error": "CONFLICT"}"#),
            ("/keys/default", "", 200, "{}"),
        ] {
            let checked = std::panic::catch_unwind(|| check(path, request, status, answer));
            assert!(checked.is_err(), "{path} {request} {status} {answer}");
        }
    }
}
