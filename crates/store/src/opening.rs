//! What a job asks before anything else, told beforehand: so that it may be asked for several jobs at
//! once.

use std::sync::Arc;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::value::{Row, Value};

/// A kind of jobs, none of which ever writes or holds what another of them begins with, unless they are
/// about the same subject: so it does not matter which of them asks first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Jobs that end a link, stop it or let it go on. Each holds its link, and writes that, an event that is
    /// due and an entry of the audit; it begins with the link, its checks and its owner's balance.
    LinkEnd,
}

/// What a job begins with, and what the answers mean.
#[derive(Debug)]
pub struct Opening<T> {
    asked: Arc<Asked>,
    read: fn(&[Vec<Row>]) -> Result<T, Fault>,
}

/// The statements that a job begins with.
#[derive(Debug)]
pub(crate) struct Asked {
    kind: Kind,
    subject: [u8; 16],
    statements: Vec<(&'static Sql, Vec<Value>)>,
}

impl<T> Opening<T> {
    pub(crate) fn new(
        (kind, subject): (Kind, [u8; 16]),
        statements: Vec<(&'static Sql, Vec<Value>)>,
        read: fn(&[Vec<Row>]) -> Result<T, Fault>,
    ) -> Self {
        Self { asked: Arc::new(Asked { kind, subject, statements }), read }
    }

    /// What is asked.
    pub(crate) fn asked(&self) -> &Arc<Asked> {
        &self.asked
    }

    /// What the statements have answered.
    ///
    /// # Errors
    /// Rows that do not mean anything.
    pub(crate) fn read(&self, answers: &[Vec<Row>]) -> Result<T, Fault> {
        (self.read)(answers)
    }
}

impl Asked {
    /// The statements, in order.
    pub(crate) fn statements(&self) -> Vec<(&'static Sql, &[Value])> {
        self.statements.iter().map(|(sql, params)| (*sql, params.as_slice())).collect()
    }

    /// Whether it may be asked before the jobs that begin with these have done the rest of what they do.
    pub(crate) fn may_follow(&self, others: &[&Self]) -> bool {
        others.iter().all(|other| other.kind == self.kind && other.subject != self.subject)
    }
}
