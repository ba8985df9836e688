//! The observer that counts requests, and what it receives about each.

use std::time::Duration;

use domain::refusal::Code;

/// Line of the log about a request. It never has a path, a header or a body as they were sent: those may hold secrets.
#[derive(Clone, Debug)]
pub struct AccessLine<'a> {
    /// The method.
    pub method: &'a str,
    /// The path's template.
    pub route: &'a str,
    /// The status of the answer; 499 where the caller was gone before it.
    pub status: u16,
    /// The code of its refusal.
    pub code: Option<Code>,
    /// The id of the key or session that called.
    pub caller: Option<&'a str>,
    /// The id of the person whose session that is, where it is not the owner.
    pub employee: Option<&'a str>,
    /// Statements sent to the store.
    pub statements: u64,
    /// How often the request waited for the store.
    pub waits: u64,
    /// How long it did, in microseconds.
    pub store_us: u64,
    /// From the first byte of the request to the answer.
    pub total: Duration,
    /// The request's id.
    pub request_id: &'a str,
}

/// Counter of answers.
pub trait Observer: Send + Sync {
    /// Another request was answered.
    fn answered(&self, line: &AccessLine<'_>);
}
