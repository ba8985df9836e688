//! The service, held to its document by programs that others wrote: schemathesis asks every operation what the document
//! says may be asked, and more, and looks whether each answer is one of those that it says; and openapi-typescript and
//! openapi-python-client make clients of it.
//!
//! Each kind of caller has a service of its own, in the test's own process and spoken to by HTTP alone. What schemathesis
//! asks follows from the document and a number.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod cast;
mod checks;
mod client;
mod python_client;
mod schemathesis;
mod shop;

use crate::cast::Who;
use crate::schemathesis::hold;

#[test]
fn an_owner_is_answered_as_the_document_says() {
    hold(Who::Owner);
}

#[test]
fn an_employee_is_answered_as_the_document_says() {
    hold(Who::Employee);
}

#[test]
fn a_person_of_a_client_is_answered_as_the_document_says() {
    hold(Who::ClientPerson);
}

#[test]
fn a_key_is_answered_as_the_document_says() {
    hold(Who::Key);
}

#[test]
fn nobody_is_answered_as_the_document_says() {
    hold(Who::Nobody);
}
