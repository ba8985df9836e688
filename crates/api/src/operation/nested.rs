//! An object inside of a body.

use std::marker::PhantomData;

use domain::refusal::Refusal;
use serde_json::Value;
use serde_json::value::RawValue;
use web::{Fields, JsonBody};

use super::kinds::Kind;
use super::reading::Request;

/// An object that is read as `R`; what is wrong with its fields is reported by their paths.
pub(crate) struct Nested<R>(PhantomData<R>);

impl<R: Request> Kind for Nested<R> {
    type Value = R;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<R> {
        let not_an_object = ("debe ser un objeto", "must be an object");
        if !raw.get().starts_with('{') {
            return fields.problem(name, not_an_object);
        }
        if fields.has_unknown(name, raw, R::NAMES) {
            return None;
        }
        match R::read(&JsonBody::from(raw.get().to_owned())) {
            Ok(value) => Some(value),
            Err(Refusal::Validation(details)) => {
                for detail in details {
                    fields.problem::<()>(&format!("{name}.{}", detail.field), detail.problem);
                }
                None
            }
            Err(_) => fields.problem(name, not_an_object),
        }
    }

    fn schema() -> Value {
        R::schema()
    }
}
