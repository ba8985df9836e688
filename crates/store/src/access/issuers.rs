//! Issuers: who got the present text of a key, and who invited a person last.

use domain::ids::{ActorId, EmployeeId, SessionId};

use crate::fault::Fault;
use crate::value::Row;

/// Issuer of a key's present text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issuer {
    /// The owner, an employee or a key; nothing where it was the operator.
    pub by: Option<ActorId>,
    /// The session, where it was a person.
    pub session: Option<SessionId>,
    /// The address that it called from.
    pub address: Option<String>,
}

/// Person who invites another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inviter {
    /// The employee; nothing where it was the owner.
    pub employee: Option<EmployeeId>,
    /// The session.
    pub session: Option<SessionId>,
    /// The address that it called from.
    pub address: Option<String>,
}

impl Issuer {
    /// Reads a row of `api_keys`.
    pub(crate) fn read(row: &Row) -> Result<Self, Fault> {
        Ok(Self {
            by: row.get("issued_by")?,
            session: row.get("issued_session")?,
            address: row.get("issued_from")?,
        })
    }
}

impl Inviter {
    /// Reads a row of `employees`.
    pub(crate) fn read(row: &Row) -> Result<Self, Fault> {
        Ok(Self {
            employee: row.get("invited_by")?,
            session: row.get("invited_session")?,
            address: row.get("invited_from")?,
        })
    }
}
