//! What every answer is held to, and of which operations the document says enough for one of the checks.

use serde_json::Value;

/// No failure of the service, and status, type, headers and shape as the document says; a method that the document does not
/// have is refused, with those that it has; and what breaks a schema is refused.
const CHECKS: [&str; 8] = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
    "negative_data_rejection",
];

/// Statuses allowed in an answer to a request that is as the document says. Its caller may lack credits, and its
/// `Idempotency-Key` may have been that of another request.
const ANSWERS: &str =
    r#"["2xx", "3xx", "401", "402", "403", "404", "409", "413", "422", "429", "5xx"]"#;

/// These take no more than the document says and refuse as wrong what the account or the person that is named cannot do.
const BY_STATE: [&str; 6] = [
    "NextInvoiceNumber",
    "PayOutChange",
    "PayOutChangeOfAccount",
    "RenewClientInvitation",
    "RenewInvitation",
    "RotatePushSecret",
];

/// The settings of a run. That what is as a schema says is not called wrong is left out where schemas say too little.
pub(crate) fn settings(document: &Value) -> String {
    let operations = document["paths"].as_object().unwrap().values();
    let operations = operations.flat_map(|methods| methods.as_object().unwrap().values());
    let says_too_little = |operation: &&Value| {
        let id = operation["operationId"].as_str().unwrap();
        BY_STATE.contains(&id) || !is_all_said(document, operation)
    };
    let ids: Vec<_> = operations
        .filter(says_too_little)
        .map(|operation| operation["operationId"].to_string())
        .collect();
    let checks: String = CHECKS.map(|check| format!("{check}.enabled = true\n")).concat();
    format!(
        "[checks]\nenabled = false\n{checks}\n[checks.positive_data_acceptance]\nenabled = true\n\
         expected-statuses = {ANSWERS}\n\n[[operations]]\ninclude-operation-id = [{}]\n\
         checks.positive_data_acceptance.enabled = false\n",
        ids.join(", ")
    )
}

/// Tells whether the operation's schemas have no value that it calls wrong. An id in a path at worst names nothing.
fn is_all_said(document: &Value, operation: &Value) -> bool {
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    let mut asked = parameters.iter().filter(|one| one["in"] == "query").map(|one| &one["schema"]);
    let body = &operation["requestBody"];
    let named = body["content"]["application/json"]["schema"]["$ref"].as_str();
    // Of a picture no schema says whether it is one.
    let shape = named.and_then(|name| document.pointer(name.trim_start_matches('#')));
    asked.all(says_all) && (body.is_null() || shape.is_some_and(says_all))
}

/// Words and whole numbers between bounds are all said. A date may be too early or after another, an instant be gone, a
/// text be no address, an id be of letters that ids do not have, a password be another.
fn says_all(schema: &Value) -> bool {
    if let Some(any) = schema["anyOf"].as_array() {
        return any.iter().all(says_all);
    }
    let is_bounded = schema["minimum"].is_number() && schema["maximum"].is_number();
    let is_of = |kind: &Value| match kind.as_str() {
        Some("boolean" | "null") => true,
        Some("integer") => is_bounded,
        Some("string") => schema["maxLength"] == 0,
        Some("object") => {
            schema["properties"].as_object().is_none_or(|fields| fields.values().all(says_all))
        }
        _ => false,
    };
    match &schema["type"] {
        _ if schema["enum"].is_array() => true,
        Value::Array(kinds) => kinds.iter().all(is_of),
        kind => is_of(kind),
    }
}
