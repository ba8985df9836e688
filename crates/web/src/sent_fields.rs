//! The fields of an object as they were sent, and how much of their names is given back.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// How many fields or parameters of a request a refusal names at most.
pub(crate) const NAMED_MAX: usize = 20;

/// How many characters of a name that the caller made up are given back.
const NAME_LEN_MAX: usize = 64;

/// The beginning of a name, as much of it as is given back.
pub(crate) fn shortened(name: &str) -> String {
    name.chars().take(NAME_LEN_MAX).collect()
}

/// The fields of an object as they were sent.
pub(crate) struct SentFields<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

impl SentFields<'_> {
    /// The names of those that are not among `names`. `null` asks for nothing.
    pub(crate) fn beside(&self, names: &[&str]) -> impl Iterator<Item = &str> {
        let sent = self.0.iter().filter(|(_, raw)| raw.get() != "null");
        sent.map(|(name, _)| name.as_ref()).filter(|name| !names.contains(name))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for SentFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = SentFields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((Name(name), raw)) = map.next_entry()? {
                    fields.push((name, raw));
                }
                Ok(SentFields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A name that is borrowed from the body unless it has escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
