//! A PostgreSQL client for threads: one connection, used by one thread, blocking.
//!
//! [`Connection::open`] connects and logs in, [`prepare`](Connection::prepare) prepares statements,
//! [`run`](Connection::run) runs any number of them in one round trip (a pipeline with one `Sync` at its end),
//! [`command`](Connection::command) runs plain text, [`copy_out`](Connection::copy_out) and
//! [`copy_in`](Connection::copy_in) move whole tables, and [`close`](Connection::close) says goodbye. Nothing runs in
//! the background: every call writes to the socket and reads from it until the server is ready for the next.
//!
//! Values have four types ([`Type`]) and are never converted: a statement with another type is refused when it is
//! prepared, a parameter of another type when it is run. Looking a host up, connecting to each of its addresses and
//! logging in are limited in time, an answer is by [`Config::answer_limit`], and a server cannot make us allocate
//! without bound. Where a statement is given up while the server may still run it, the server is asked to cancel it.

mod cancel;
mod channel_binding;
mod config;
mod connection;
mod copy;
mod error;
mod login;
mod messages;
mod pipeline;
mod resolve;
mod socket;
mod tls;
mod values;

pub use self::config::{AddressError, Config};
pub use self::connection::Connection;
pub use self::error::{Error, Stopped};
pub use self::pipeline::{Answer, Run, Statement, Tag};
pub use self::tls::TlsError;
pub use self::values::{Param, Row, Type, Value};
