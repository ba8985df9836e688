//! Sessions: each request of a session checks its row, so that an end takes effect at once.

use domain::ids::{OwnerId, SessionId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    FIND = Sql::new(
        "select s.expires_at, s.ended_at, o.is_active from sessions s \
         join owners o on o.owner_id = $1 where s.owner_id = $1 and s.id = $2",
    );

    INSERT = Sql::new(
        "insert into sessions (owner_id, id, created_at, expires_at) values ($1, $2, $3, $4)",
    );
}

/// A session, and whether its owner may use the service.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// When it ends by itself.
    pub expires_at: Timestamp,
    /// When somebody ended it.
    pub ended_at: Option<Timestamp>,
    /// Whether its owner may use the service.
    pub owner_is_active: bool,
}

/// The session of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: SessionId) -> Result<Option<Session>, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into(), id.into()])?;
    row.map(|row| {
        Ok(Session { expires_at: row.get(0)?, ended_at: row.get(1)?, owner_is_active: row.get(2)? })
    })
    .transpose()
}

/// Opens a session.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SessionId,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&INSERT, [owner.into(), id.into(), now.into(), expires_at.into()], Expect::Rows(1))
}
