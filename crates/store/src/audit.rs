//! The audit trail: who changed what, written with the change.

use domain::ids::{AuditId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    INSERT = Sql::new(
        "insert into audit (owner_id, id, actor, action, subject, address, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7)",
    );

    EXISTS = Sql::new("select id from audit where owner_id = $1 and id = $2");
}

/// One change, who made it, and from where.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its id.
    pub id: AuditId,
    /// A session's or a key's id, or `command line`.
    pub actor: String,
    /// What was done, by the operation's name.
    pub action: &'static str,
    /// The id of what it was done to.
    pub subject: String,
    /// The address that it came from.
    pub address: Option<String>,
}

/// Writes an entry.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, entry: &Entry, now: Timestamp) -> Result<(), Fault> {
    let params = [
        owner.into(),
        entry.id.into(),
        entry.actor.as_str().into(),
        entry.action.into(),
        entry.subject.as_str().into(),
        entry.address.clone().into(),
        now.into(),
    ];
    tx.defer(&INSERT, params, Expect::Any)
}

/// Whether that change has been made: a job whose commit was lost asks so.
///
/// # Errors
/// A fault of the store.
pub fn exists(tx: &mut Tx<'_>, owner: OwnerId, id: AuditId) -> Result<bool, Fault> {
    Ok(tx.query_opt(&EXISTS, &[owner.into(), id.into()])?.is_some())
}
