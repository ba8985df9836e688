//! The client against a real server, and against one that says what it should not.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod fake;
mod hosts;
mod nonsense;
mod real;
mod tls;
