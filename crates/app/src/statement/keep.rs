//! Writing what a bank has shown of a day and no question was about.

use bank::{Bank, Unkept};
use domain::ids::{BankId, IdentityId, MovementId, NoticeId, OwnerId};
use domain::matching::Sighting;
use domain::notices::Notice;
use domain::time::Timestamp;
use store::fault::{Fault, WriteError};
use store::movements::{self, ReferenceQuery};
use store::tx::Tx;
use store::{Lane, Meter, notices};

use crate::App;
use crate::ingestion::{self, Held};

/// How many rows one transaction writes: the owner's other work waits no longer than for these.
const KEPT_AT_ONCE: usize = 64;

/// Whose statement it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    pub(crate) owner: OwnerId,
    /// The account as it is linked.
    pub(crate) bank: BankId,
    pub(crate) identity: IdentityId,
}

/// Writes what the bank has shown of the account and nobody has kept, until all of it is. Where somebody does already,
/// that one goes on with it. What fails is tried again by the next who asks about the account.
pub(crate) async fn keep(app: &App, kept: Kept, connector: &dyn Bank) {
    let Some(statements) = connector.statements() else { return };
    let next = || statements.unkept(kept.identity, KEPT_AT_ONCE);
    // Looked at again once the turn is given back: who came meanwhile has left it to its holder.
    while !next().is_empty() {
        let Some(_turn) = app.statements.take_turn(kept.identity) else { return };
        loop {
            let unkept = next();
            if unkept.is_empty() {
                break;
            }
            if let Err(error) = write(app, kept, connector, &unkept).await {
                tracing::warn!(identity = %kept.identity, %error, "a statement could not be kept");
                return;
            }
            statements.note_kept(kept.identity, &unkept);
            let provider = connector.capabilities().provider;
            app.statements.count_unread(provider, unkept.unread.len());
        }
    }
}

/// One slice, in a transaction of its own.
async fn write(
    app: &App,
    kept: Kept,
    connector: &dyn Bank,
    unkept: &Unkept,
) -> Result<(), WriteError> {
    let Kept { owner, bank, identity } = kept;
    let (now, rule) = (app.clock.now(), connector.capabilities().rule);
    let held = Held { owner, identity, rule, now, is_named: false };
    let with_id = |row: &Sighting| (row.clone(), MovementId::new(app.ids.as_ref(), now));
    let rows: Vec<_> = unkept.rows.iter().map(with_id).collect();
    let notice = |row: &bank::UnreadRow| {
        let notice = Notice::statement_row_unread(bank, row.day, row.reference.as_ref());
        (NoticeId::new(app.ids.as_ref(), now), notice)
    };
    let unread: Vec<_> = unkept.unread.iter().map(notice).collect();
    let write = move |tx: &mut Tx<'_>| {
        keep_rows(tx, held, &rows)?;
        notify_unread(tx, owner, &unread, now)
    };
    app.store.write(&Meter::default(), Lane::Maintenance, owner, write).await
}

/// Takes the rows in as a question's are, named by nothing. One that may be several, or that is contested, adds nothing
/// that could be claimed: the question that is about it says so.
fn keep_rows(tx: &mut Tx<'_>, held: Held, rows: &[(Sighting, MovementId)]) -> Result<(), Fault> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut sought: Vec<_> =
        rows.iter().flat_map(|(seen, _)| ReferenceQuery::from_bank(held.rule, seen)).collect();
    sought.sort_unstable();
    sought.dedup();
    let mut known = movements::find_all_held(tx, held.owner, held.identity, sought.iter())?;
    for (seen, id) in rows {
        ingestion::ingest(tx, held, &mut known, seen, *id)?;
    }
    Ok(())
}

/// Names the rows that could not be read, each once.
fn notify_unread(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    unread: &[(NoticeId, Notice)],
    now: Timestamp,
) -> Result<(), Fault> {
    for (id, notice) in unread {
        if !notices::is_notified(tx, owner, notice)? {
            notices::notify(tx, owner, *id, notice, now)?;
        }
    }
    Ok(())
}
