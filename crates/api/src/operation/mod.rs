//! An operation, declared once: what the router, the OpenAPI document, the reference and the tests know of it.
//!
//! Each operation's file has one function that makes its [`Endpoint`], and [`crate::endpoints`] is the only list of
//! them. Who may call it is the rule of its type in `domain::access`, because permits are checked there.

pub(crate) mod document;
mod events;
mod glossary;
mod in_force;
mod kinds;
mod nested;
mod reading;
mod refusals;
mod reminder_event;
mod removal;
pub(crate) mod shapes;
mod texts;

use std::sync::Arc;

pub(crate) use app::wire::{Shown, WireForm};
use axum::Extension;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use domain::access::{Operation, ProofDemand, Rule};
use domain::refusal::{Code, Refusal};
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use web::{AppState, JsonBody, SetElsewhere, Taken};

pub(crate) use in_force::{beside, record_of, shown};
pub(crate) use kinds::{
    Amount, AnyText, Int, Kind, List, SecretKind, TextKind, TextOf, one_of, text_schema,
};
pub(crate) use nested::Nested;
pub(crate) use reading::{
    Change, Empty, EmptyBody, FieldKind, Loose, LooseChange, NullOr, Optional, Request, Required,
    request,
};
pub use removal::Removal;
pub(crate) use texts::Group;

/// An operation as its callers see it.
#[derive(Debug)]
pub struct Endpoint {
    /// Its name, which never changes.
    pub name: &'static str,
    /// Its method.
    pub method: Method,
    /// Its path, with placeholders in braces.
    pub path: &'static str,
    /// Who may call it.
    pub rule: Rule,
    /// Which proof of the session's person it asks for.
    pub demand: ProofDemand,
    /// Says whether it refuses every field and parameter that it does not take.
    pub is_strict: bool,
    /// Fields that it does not take and other calls set; a tolerant operation refuses these alone.
    pub elsewhere: &'static [SetElsewhere],
    moving: &'static [&'static str],
    group: Group,
    /// What it does, in Spanish and in English.
    summary: (&'static str, &'static str),
    query: Vec<Parameter>,
    request: Option<RequestBody>,
    is_idempotent: bool,
    removal: Option<Removal>,
    answer: Option<Answer>,
    refusals: Vec<Code>,
    route: MethodRouter<AppState>,
}

/// A parameter behind the question mark.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// What it does, in Spanish and in English.
    pub(crate) text: (&'static str, &'static str),
    pub(crate) schema: Value,
}

impl Parameter {
    /// The same, where an empty value is as good as none.
    pub(crate) fn or_empty(mut self) -> Self {
        self.schema =
            serde_json::json!({ "anyOf": [self.schema, { "type": "string", "maxLength": 0 }] });
        self
    }
}

/// Parameters that are read together.
pub(crate) trait Query: Sized {
    /// Lists the parameters that it reads.
    fn parameters() -> Vec<Parameter>;

    /// Reads them.
    ///
    /// # Errors
    /// A refusal that says what is wrong.
    fn read(uri: &http::Uri) -> Result<Self, Refusal>;
}

/// Form of a request's body.
#[derive(Debug)]
enum RequestBody {
    Json {
        schema: fn() -> Value,
        read: fn(&JsonBody) -> Result<(), Refusal>,
        example: Value,
    },
    Picture,
    /// None is described; one that is there all the same has no fields.
    Nothing,
}

/// Answer with status 200.
#[derive(Debug)]
struct Answer {
    schema: fn(&mut SchemaGenerator) -> Schema,
    example: Value,
}

impl Endpoint {
    /// The operation `O` at this route, which is ours: it refuses every field and parameter that it does not take. That
    /// is also so in the document.
    pub(crate) fn strict<O: Operation, H: Handler<T, AppState>, T: 'static>(
        method: Method,
        path: &'static str,
        handler: H,
    ) -> Self {
        Self { is_strict: true, ..Self::tolerant::<O, H, T>(method, path, handler) }
    }

    /// The operation `O` at this route, whose shape was described to others or is theirs: it ignores what it does not
    /// take, but for the fields that are [`Self::set_elsewhere`].
    pub(crate) fn tolerant<O: Operation, H: Handler<T, AppState>, T: 'static>(
        method: Method,
        path: &'static str,
        handler: H,
    ) -> Self {
        // A method that no router knows would not be served; none of ours is one.
        let filter = MethodFilter::try_from(method.clone()).expect("a method of HTTP");
        Self {
            name: O::NAME,
            method,
            path,
            rule: O::RULE,
            demand: O::DEMAND,
            is_strict: false,
            elsewhere: &[],
            moving: &[],
            group: Group::Service,
            summary: ("", ""),
            query: Vec::new(),
            request: None,
            is_idempotent: false,
            removal: None,
            answer: None,
            refusals: Vec::new(),
            route: on(filter, handler),
        }
    }

    /// Sets the group that lists the operation and its summary, in Spanish and in English.
    pub(crate) fn does(mut self, group: Group, es: &'static str, en: &'static str) -> Self {
        self.group = group;
        self.summary = (es, en);
        self
    }

    /// It reads these parameters behind the question mark.
    pub(crate) fn query<Q: Query>(mut self) -> Self {
        self.query = Q::parameters();
        self
    }

    /// Its body is read as `R`; `example` is one.
    pub(crate) fn takes<R: Request>(mut self, example: Value) -> Self {
        let read = |body: &JsonBody| R::read(body).map(drop);
        self.request = Some(RequestBody::Json { schema: R::schema, read, example });
        self
    }

    /// It does not take these fields, which other calls set: refusals name those. Without any call, none sets it.
    pub(crate) fn set_elsewhere(mut self, elsewhere: &'static [SetElsewhere]) -> Self {
        self.elsewhere = elsewhere;
        self
    }

    /// These fields of its record move by themselves: who sends the whole record back changes nothing by them, though they
    /// have another value by then.
    pub(crate) fn moving(mut self, fields: &'static [&'static str]) -> Self {
        self.moving = fields;
        self
    }

    /// Its body, if it has one, is [`Empty`].
    pub(crate) fn takes_nothing(mut self) -> Self {
        self.request = Some(RequestBody::Nothing);
        self
    }

    /// Its body is a picture.
    pub(crate) fn takes_picture(mut self) -> Self {
        self.request = Some(RequestBody::Picture);
        self
    }

    /// It takes an `Idempotency-Key`.
    pub(crate) fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// It is going to be removed: its answers and the document say so from now on.
    #[must_use]
    pub fn removed(mut self, removal: Removal) -> Self {
        self.removal = Some(removal);
        self
    }

    /// It answers an `A`; `example` is one.
    pub(crate) fn answers<A: JsonSchema>(mut self, example: Value) -> Self {
        let schema = |generator: &mut SchemaGenerator| generator.subschema_for::<A>();
        self.answer = Some(Answer { schema, example });
        self
    }

    /// It has these refusals, besides those that follow from its rule, its path and what it takes.
    pub(crate) fn refuses(mut self, codes: &[Code]) -> Self {
        self.refusals.extend_from_slice(codes);
        self
    }

    /// Its route.
    pub(crate) fn into_route(self) -> (&'static str, MethodRouter<AppState>) {
        let taken = self.taken();
        let route = match self.removal {
            Some(removal) => removal.with_headers(self.route),
            None => self.route,
        };
        let route = match taken {
            Some(taken) => route.route_layer(Extension(Arc::new(taken))),
            None => route,
        };
        (self.path, route)
    }

    /// Form that its requests are held to; nothing where they may have whatever they like.
    fn taken(&self) -> Option<Taken> {
        (self.is_strict || !self.elsewhere.is_empty()).then(|| Taken {
            is_strict: self.is_strict,
            needs_a_field: self.needs_a_field(),
            parameters: self.query.iter().map(|parameter| parameter.name).collect(),
            elsewhere: self.elsewhere,
            moving: self.moving,
        })
    }

    /// Answers whether a body that changes nothing is refused.
    fn needs_a_field(&self) -> bool {
        self.is_strict && self.method == Method::PATCH
    }

    /// Beside which others it is listed.
    pub(crate) fn group(&self) -> Group {
        self.group
    }

    /// Returns the operation's summary, in Spanish and in English.
    pub(crate) fn summary(&self) -> (&'static str, &'static str) {
        self.summary
    }

    /// Describes the operation's permitted callers, and which proof it asks them for, in Spanish and in English.
    pub(crate) fn callers(&self) -> (String, String) {
        let (callers, proof) = (texts::callers_of(self.rule), texts::proof_of(self.demand));
        (callers.0 + &proof.0, callers.1 + &proof.1)
    }

    /// When it is going to be removed, where it is.
    #[must_use]
    pub fn removal(&self) -> Option<Removal> {
        self.removal
    }

    /// Every code that it can be refused with, by status.
    #[must_use]
    pub fn refusals(&self) -> Vec<Code> {
        let mut codes =
            vec![Code::InternalServerError, Code::ServiceUnavailable, Code::RequestLimitReached];
        codes.extend_from_slice(texts::refusals_of(self.rule));
        codes.extend(self.demand.may_ask().then_some(Code::StepUpRequired));
        codes.extend(&self.refusals);
        if self.path.contains('{') {
            // A path that is no text, and ids of nothing.
            codes.extend([Code::BadRequest, Code::NotFound]);
        }
        if self.is_strict || !self.query.is_empty() {
            codes.push(Code::ValidationError);
        }
        match self.request {
            Some(RequestBody::Json { .. } | RequestBody::Nothing) => codes.extend([
                Code::BadRequest,
                Code::ValidationError,
                Code::PayloadTooLarge,
                Code::UnsupportedMediaType,
            ]),
            Some(RequestBody::Picture) => codes.extend([Code::BadRequest, Code::ValidationError]),
            None => {}
        }
        if self.is_idempotent {
            codes.extend([
                Code::ValidationError,
                Code::RequestInProgress,
                Code::IdempotencyKeyReused,
            ]);
        }
        Code::ALL.iter().copied().filter(|code| codes.contains(code)).collect()
    }

    /// Reads the example of its request as a caller's: nothing where it takes none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read_example(&self) -> Result<(), Refusal> {
        match &self.request {
            Some(RequestBody::Json { read, example, .. }) => {
                read(&JsonBody::from(example.to_string()))
            }
            Some(RequestBody::Picture | RequestBody::Nothing) | None => Ok(()),
        }
    }
}
