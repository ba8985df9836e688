//! Ending every session that there is, of all owners: nobody who has one goes on with it, whatever key signed its
//! tokens.

use domain::ids::OwnerId;
use store::fault::WriteError;
use store::tx::Tx;
use store::{Lane, Meter, audit, email_changes, employees, sessions};

use super::{Operator, audit_entry};

/// How many owners are looked up at once.
const OWNERS_AT_ONCE: i64 = 500;

/// How many sessions one write ends.
const SESSIONS_AT_ONCE: i64 = 500;

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndedSessions {
    /// How many owners had something to end.
    pub owners: u64,
    /// How many sessions were open.
    pub sessions: u64,
}

/// Ends what is open, owner by owner in small writes, with the invitations that the holder of a session may have
/// sent, and takes away the addresses that anybody wished for. Reports to `progress` after each page of owners. Done
/// again it finds what is left, so one that was cut short is done again.
///
/// # Errors
/// What the store fails with.
pub(super) async fn end_sessions(
    operator: &Operator<'_>,
    progress: &mut dyn FnMut(EndedSessions),
) -> Result<EndedSessions, WriteError> {
    let (meter, mut done) = (Meter::default(), EndedSessions::default());
    let (mut after, now) = (OwnerId::from_bytes([0; 16]), operator.now);
    loop {
        let look =
            move |tx: &mut Tx<'_>| sessions::owners_with_open(tx, (after, OWNERS_AT_ONCE), now);
        let page = operator.store.look_up(&meter, look).await.map_err(WriteError::Fault)?;
        let Some(last) = page.last() else { return Ok(done) };
        after = *last;
        for owner in page {
            done.sessions += end_of_owner(operator, &meter, owner).await?;
            done.owners += 1;
        }
        progress(done);
    }
}

/// Answers how many were open.
async fn end_of_owner(
    operator: &Operator<'_>,
    meter: &Meter,
    owner: OwnerId,
) -> Result<u64, WriteError> {
    let (now, mut sessions) = (operator.now, 0);
    let mut entry = Some(audit_entry(operator, "EndAllSessions", &owner));
    loop {
        let first = entry.take();
        let end = move |tx: &mut Tx<'_>| {
            if let Some(entry) = &first {
                email_changes::remove_all(tx, owner)?;
                employees::end_invitations(tx, owner, now)?;
                audit::insert(tx, owner, entry, now)?;
            }
            sessions::end_some(tx, owner, now, SESSIONS_AT_ONCE)
        };
        let ended = operator.store.write(meter, Lane::Maintenance, owner, end).await?;
        sessions += ended;
        if ended < SESSIONS_AT_ONCE as u64 {
            return Ok(sessions);
        }
    }
}
