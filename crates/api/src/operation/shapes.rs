//! The shapes of the document: what its operations answer, take and refuse with, and its events, each under a name, so that
//! a generator of clients makes a type of it.

use domain::refusal::Code;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{Answer, events, glossary, refusals, reminder_event};

const SCHEMAS: &str = "/components/schemas";

/// How the shape of a request's body is called after its operation.
const OF_REQUEST: &str = "Request";

/// Tells whether a shape of that name is shown with the operations whose request or refusal it is.
pub(crate) fn is_of_an_operation(name: &str) -> bool {
    name.ends_with(OF_REQUEST) || refusals::is_one(name)
}

/// The shapes that operations refer to, as far as they are known.
pub(super) struct Shapes {
    /// Makes those of answers and events, which are types.
    generator: SchemaGenerator,
    /// Requests and refusals.
    others: Map<String, Value>,
}

impl Shapes {
    pub(super) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = SCHEMAS.into();
            settings.meta_schema = None;
        });
        // Answers are written, never read: every field that is always there is required.
        Self { generator: settings.for_serialize().into_generator(), others: Map::new() }
    }

    /// A reference to the shape of an answer.
    pub(super) fn answer(&mut self, answer: &Answer) -> Value {
        (answer.schema)(&mut self.generator).into()
    }

    /// A reference to the shape of an event.
    pub(super) fn event<T: JsonSchema>(&mut self) -> Value {
        self.generator.subschema_for::<T>().into()
    }

    /// A reference to the shape of the body that an operation takes.
    pub(super) fn request(&mut self, operation: &str, shape: Value) -> Value {
        self.keep(format!("{operation}{OF_REQUEST}"), shape)
    }

    /// A reference to the shape with which an operation refuses with that status.
    pub(super) fn refusal(&mut self, operation: &str, status: u16, codes: &[Code]) -> Value {
        self.keep(refusals::name(operation, status, codes), refusals::shape(status, codes))
    }

    fn keep(&mut self, name: String, shape: Value) -> Value {
        let reference = events::reference(&name);
        self.others.insert(name, shape);
        reference
    }

    /// All of them, by their names.
    pub(super) fn finish(mut self) -> Map<String, Value> {
        let mut shapes = self.generator.take_definitions(true);
        let (name, shape) = reminder_event::schema();
        shapes.insert(name.to_owned(), shape);
        shapes.values_mut().for_each(glossary::describe);
        shapes.extend(self.others);
        shapes.extend(refusals::common().map(|(name, shape)| (name.to_owned(), shape)));
        shapes
    }
}
