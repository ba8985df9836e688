//! An object of JSON that is read as one.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;

/// A struct that is an object on the wire. By itself it would be read from a list of its fields as well.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        if !raw.get().starts_with('{') {
            return Err(D::Error::custom("an object is expected"));
        }
        serde_json::from_str(raw.get()).map(Self).map_err(D::Error::custom)
    }
}
