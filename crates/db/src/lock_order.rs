//! In which order transactions lock rows: the owner's row before any other row of that owner, and owners in the
//! order of their ids. So of all that write an owner's rows one goes on and the others wait, and hold nothing of
//! that owner which it could want.
//!
//! On PostgreSQL the engine locks that row ([`Schema::hold_owner`](crate::schema::Schema)) before the owner's jobs of
//! a batch run. Claiming deliveries and recording their results do not lock it, since a receiver's answer is not to
//! wait for a charge. They lock rows of [`Schema::lock_order`](crate::schema::Schema) alone, in that order, and in a
//! table by id; jobs that hold the owner skip what is due and locked, so that they never wait for these.

use crate::fault::Fault;
use crate::row_locks::Locks;
use crate::sql::Sql;

/// Tables that a job has locked that does not hold its owner's row.
#[derive(Debug)]
pub(crate) struct LockedTables {
    order: &'static [&'static str],
    /// Their places in the order.
    locked: Vec<usize>,
}

impl LockedTables {
    /// Nothing yet, of the tables in this order.
    pub(crate) fn new(order: &'static [&'static str]) -> Self {
        Self { order, locked: Vec::new() }
    }

    /// Notes what the statement locks.
    ///
    /// # Errors
    /// Rows that are not to be locked without the owner's, or not after what was locked before. A table may be
    /// come back to, for rows that are locked already.
    pub(crate) fn lock(&mut self, sql: &Sql) -> Result<(), Fault> {
        let Locks::Table(table) = sql.locks() else { return Ok(()) };
        let Some(place) = self.order.iter().position(|listed| *listed == table) else {
            return Err(out_of_order("without the owner's row", sql));
        };
        if self.locked.contains(&place) {
            return Ok(());
        }
        if self.locked.iter().any(|locked| *locked > place) {
            return Err(out_of_order("out of order", sql));
        }
        self.locked.push(place);
        Ok(())
    }
}

fn out_of_order(how: &str, sql: &Sql) -> Fault {
    Fault::broken(format!("a statement that locks rows {how}: {}", sql.text()))
}
