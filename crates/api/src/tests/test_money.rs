//! Test money never looks like money: an answer that names something of which there is test money, too, says which it is.

use serde_json::Value;

use super::world::document;

/// How the ids begin of what may be of the test bank.
const OF_MONEY: [&str; 4] = ["^link_", "^pay_", "^ver_", "^mov_"];

/// Fields beside which no `livemode` stands, and the reason.
const OTHERS: [(&str, &str, &str); 5] = [
    ("ShowCredits", "entries.payment_link_id", "test payments cost credits like others"),
    ("ShowCredits", "entries.user_bank_payment_id", "test payments cost credits like others"),
    ("ShowCredits", "entries.verification_id", "test payments cost credits like others"),
    ("ListVerifications", "next", "a place in a list is that of whatever is there"),
    ("ListRefused", "next", "a place in a list is that of whatever is there"),
];

/// A shape of an answer, and where it is.
struct Place<'a> {
    document: &'a Value,
    path: Vec<&'a str>,
    /// Says whether the shape, or one around it, has a `livemode`.
    is_said: bool,
}

impl<'a> Place<'a> {
    fn resolved(&self, shape: &'a Value) -> &'a Value {
        let named = shape.get("$ref").and_then(Value::as_str);
        let target = named.map(|name| self.document.pointer(name.trim_start_matches('#')));
        target.map_or(shape, |target| self.resolved(target.expect("a shape of that name")))
    }

    /// The shapes that this one is made of, or may be.
    fn parts(&self, shape: &'a Value) -> Vec<&'a Value> {
        let lists =
            ["allOf", "anyOf", "oneOf"].map(|word| shape.get(word).and_then(Value::as_array));
        lists.into_iter().flatten().flatten().map(|part| self.resolved(part)).collect()
    }

    fn is_of_money(&self, shape: &'a Value) -> bool {
        let of_one = |shape: &Value| {
            let pattern = shape.get("pattern").and_then(Value::as_str).unwrap_or_default();
            OF_MONEY.iter().any(|one| pattern.starts_with(one))
        };
        of_one(shape) || self.parts(shape).into_iter().any(of_one)
    }

    /// Adds the ids below a shape that stand where nothing says which money they are of.
    fn look(&self, shape: &'a Value, found: &mut Vec<String>) {
        let (shape, parts) = (self.resolved(shape), self.parts(self.resolved(shape)));
        let has = |shape: &Value| shape.pointer("/properties/livemode").is_some();
        let whole = shape.get("allOf").is_some() && parts.iter().any(|part| has(part));
        let is_said = self.is_said || has(shape) || whole;
        let below = |name: Option<&'a str>| Place {
            document: self.document,
            path: self.path.iter().copied().chain(name).collect(),
            is_said,
        };
        let fields = shape.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, field) in fields {
            let place = below(Some(name));
            if !is_said && self.is_of_money(self.resolved(field)) {
                found.push(place.path.join("."));
            }
            place.look(field, found);
        }
        for part in parts.into_iter().chain(shape.get("items")) {
            below(None).look(part, found);
        }
    }
}

#[test]
fn every_answer_that_names_what_may_be_test_money_has_a_livemode_for_it() {
    let document = document();
    let mut found = Vec::new();
    let paths = document["paths"].as_object().expect("paths").values();
    for operation in paths.flat_map(|methods| methods.as_object().into_iter().flatten()) {
        let operation = operation.1;
        let Some(name) = operation["operationId"].as_str() else { continue };
        let answers = operation["responses"].as_object().expect("answers");
        for (_, answer) in answers.iter().filter(|(status, _)| status.starts_with('2')) {
            let place = Place { document: &document, path: Vec::new(), is_said: false };
            let answer = place.resolved(answer);
            let Some(shape) = answer.pointer("/content/application~1json/schema") else { continue };
            let mut fields = Vec::new();
            place.look(shape, &mut fields);
            found.extend(fields.into_iter().map(|field| (name.to_owned(), field)));
        }
    }
    found.sort();
    found.dedup();
    let mut others: Vec<_> =
        OTHERS.iter().map(|(name, field, _)| ((*name).to_owned(), (*field).to_owned())).collect();
    others.sort();
    assert_eq!(found, others);
}
