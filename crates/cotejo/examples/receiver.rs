//! The receiver of the guide to webhooks, as it stands there, so that tests can run it.
#![expect(clippy::disallowed_methods, reason = "a program of its own, with nobody around it")]

include!("../../../docs/guide/receivers/receiver.rs");
