//! In which order transactions lock rows: the owner's row before any other row of that owner, and owners in the
//! order of their ids. So of all that write an owner's rows one goes on and the others wait, and hold nothing of
//! that owner which it could want.
//!
//! On PostgreSQL the engine locks that row ([`crate::owners::hold`]) before the owner's jobs of a batch run. Taking
//! deliveries and keeping what came of them do without, since a receiver's answer is not to wait for a charge. They
//! lock rows of [`WITHOUT_OWNER`] alone, in that order, and within a table in the order of ids; those who hold the
//! owner skip what is due and locked, so that they never wait for these.

use crate::fault::Fault;
use crate::row_locks::{Locks, WITHOUT_OWNER};
use crate::sql::Sql;

/// What a job has locked that does not hold its owner's row.
#[derive(Debug, Default)]
pub(crate) struct LockOrder {
    has: [bool; WITHOUT_OWNER.len()],
}

impl LockOrder {
    /// Notes what the statement locks.
    ///
    /// # Errors
    /// Rows that are not to be locked without the owner's, or not after what was locked before. A table may be
    /// come back to, for rows that are locked already.
    pub(crate) fn lock(&mut self, sql: &Sql) -> Result<(), Fault> {
        let table = match sql.locks() {
            Locks::Nothing => return Ok(()),
            Locks::Listed(table) => table,
            Locks::Other => return Err(out_of_order("without the owner's row", sql)),
        };
        let (up_to, after) = self.has.split_at_mut(table + 1);
        if !up_to[table] && after.contains(&true) {
            return Err(out_of_order("out of order", sql));
        }
        up_to[table] = true;
        Ok(())
    }
}

fn out_of_order(how: &str, sql: &Sql) -> Fault {
    Fault::broken(format!("a statement that locks rows {how}: {}", sql.text()))
}
