//! Deliveries that wait, for the search for those that a clock ahead scheduled too far off.

use domain::time::Timestamp;

use crate::due::{Due, Kind, Lease, SCAN_MAX};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    // What ends while it is read has no step. The limit is that of the whole: a distributed server would bring all that
    // the limited part is joined with to one place.
    SCAN = Sql::across_owners(
        "select d.owner_id, d.subject_id, d.due_at, d.fence, d.tries, w.step, a.began_at \
         from due d left join webhook_deliveries w on w.owner_id = d.owner_id and w.id = d.subject_id \
         left join webhook_attempts a on a.owner_id = d.owner_id and a.delivery_id = d.subject_id \
         and a.number = w.attempts \
         where d.kind = $1 and (d.due_at, d.owner_id, d.subject_id) > ($2, $3, $4) \
         order by d.due_at asc, d.owner_id asc, d.subject_id asc limit $5",
        "nodes look for whatever was put off too far, whosesoever it is",
    );
}

/// A delivery that is not due yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its place among what is due; the subject is the event's id.
    pub due: Due,
    /// The lease that it waits with, or that somebody has.
    pub lease: Lease,
    /// How far its schedule has come.
    pub step: u32,
    /// When its latest attempt began, if there was any.
    pub attempted_at: Option<Timestamp>,
}

impl Waiting {
    /// Tells whether nobody has claimed it.
    #[must_use]
    pub fn is_free(&self) -> bool {
        Lease::is_waiting(self.lease.fence)
    }
}

/// Deliveries that are due after `after`, the first due first; [`SCAN_MAX`] at most. It locks nothing.
///
/// # Errors
/// A fault of the store.
pub fn scan(tx: &mut Tx<'_>, after: Due) -> Result<Vec<Waiting>, Fault> {
    let Due { owner, subject, due_at } = after;
    let kind = Kind::Delivery.number().into();
    let params = [kind, due_at.into(), owner.into(), subject.into(), SCAN_MAX.into()];
    tx.query(&SCAN, &params)?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Waiting, Fault> {
    let step: Option<i64> = row.get("step")?;
    Ok(Waiting {
        due: Due {
            owner: row.get("owner_id")?,
            subject: row.get("subject_id")?,
            due_at: row.get("due_at")?,
        },
        lease: Lease { fence: row.get("fence")?, tries: row.get("tries")? },
        step: u32::try_from(step.unwrap_or_default()).unwrap_or(u32::MAX),
        attempted_at: row.get("began_at")?,
    })
}
