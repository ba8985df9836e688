//! Writing what a bank has shown of a day and no question was about.

use bank::{Bank, Unkept};
use domain::ids::{BankId, IdentityId, MovementId, NoticeId, OwnerId};
use domain::matching::Sighting;
use domain::notices::Notice;
use store::fault::{Fault, WriteError};
use store::movements::{self, ReferenceQuery};
use store::tx::Tx;
use store::{Lane, Meter, notices};

use crate::App;
use crate::ingestion::{self, Held, Ingested};

/// How many rows one transaction writes: the owner's other work waits no longer than for these.
const KEPT_AT_ONCE: usize = 64;

/// The account whose statement it is.
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
    // Looked at again once the turn is given back: who came meanwhile has left it to its holder.
    while has_unkept(kept, connector) {
        let Some(_turn) = app.statements.take_turn(kept.identity) else { return };
        if write_all(app, kept, connector).await.is_err() {
            return;
        }
    }
}

/// The same for a caller that has to say whether all of it is kept: waits for the writer that has the turn.
///
/// # Errors
/// A failure of the store, which has not taken some of it.
pub(super) async fn keep_all(
    app: &App,
    kept: Kept,
    connector: &dyn Bank,
) -> Result<(), WriteError> {
    while has_unkept(kept, connector) {
        let _turn = app.statements.wait_for_turn(kept.identity).await;
        write_all(app, kept, connector).await?;
    }
    Ok(())
}

fn has_unkept(kept: Kept, connector: &dyn Bank) -> bool {
    let statements = connector.statements();
    statements.is_some_and(|statements| !statements.unkept(kept.identity, 1).is_empty())
}

/// Writes slice after slice, by who has the turn.
async fn write_all(app: &App, kept: Kept, connector: &dyn Bank) -> Result<(), WriteError> {
    let Some(statements) = connector.statements() else { return Ok(()) };
    loop {
        let unkept = statements.unkept(kept.identity, KEPT_AT_ONCE);
        if unkept.is_empty() {
            return Ok(());
        }
        let written = write(app, kept, connector, &unkept).await;
        written.inspect_err(|error| {
            tracing::warn!(identity = %kept.identity, %error, "a statement could not be kept");
        })?;
        statements.note_kept(kept.identity, &unkept);
        let unread = unkept.unread.iter().map(|rows| rows.new.len()).sum();
        app.statements.count_unread(connector.capabilities().provider, unread);
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
    let notice = |rows: &bank::UnreadRows| {
        let first = rows.new.first().and_then(Option::as_ref);
        let notice = Notice::statement_rows_unread(bank, rows.day, first);
        (
            NoticeId::new(app.ids.as_ref(), now),
            notice,
            i64::try_from(rows.count).unwrap_or(i64::MAX),
        )
    };
    let unread: Vec<_> = unkept.unread.iter().map(notice).collect();
    let write = move |tx: &mut Tx<'_>| {
        let contested = keep_rows(tx, held, &rows)?;
        for (id, with) in contested {
            let notice = Notice::payment_contested(with, None);
            notices::notify(tx, owner, NoticeId::from_bytes(id.to_bytes()), &notice, now)?;
        }
        for (id, notice, count) in &unread {
            notices::notify_count(tx, owner, *id, (notice, *count), now)?;
        }
        Ok(())
    };
    app.store.write(&Meter::default(), Lane::Maintenance, owner, write).await
}

/// Takes the rows in as a question's are, named by nothing. One that may be several adds nothing that could be claimed:
/// the question that is about it says so. Answers those that are contested and were not known, each with the movement that
/// it may be.
fn keep_rows(
    tx: &mut Tx<'_>,
    held: Held,
    rows: &[(Sighting, MovementId)],
) -> Result<Vec<(MovementId, MovementId)>, Fault> {
    let mut contested = Vec::new();
    if rows.is_empty() {
        return Ok(contested);
    }
    let mut sought: Vec<_> =
        rows.iter().flat_map(|(seen, _)| ReferenceQuery::from_bank(held.rule, seen)).collect();
    sought.sort_unstable();
    sought.dedup();
    let mut known = movements::find_all_held(tx, held.owner, held.identity, sought.iter())?;
    for (seen, id) in rows {
        let taken = ingestion::ingest(tx, held, &mut known, seen, *id)?;
        if let Ingested::Contested { with, is_new: true } = taken {
            contested.push((*id, with));
        }
    }
    Ok(contested)
}
