//! The operations `POST /v1/webhooks/redeliveries` and `GET /v1/webhooks/redeliveries/{redelivery_id}`,
//! and the work behind them.
//!
//! A job is a row with the place that it has come to, and a row in `due` as long as it runs. A node
//! that finds it due does a slice of it in one transaction, and the next after that: a process that
//! ends leaves what was committed, and another goes on from there.

use std::sync::Arc;
use std::time::Duration;

use domain::access::{RedeliverFailed, ShowRedelivery};
use domain::ids::{OwnerId, RedeliveryId};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::due::{Due, Kind};
use store::fault::Fault;
use store::idempotency::Slot;
use store::redelivery_jobs::{self, Job, Wanted};
use store::tx::Tx;
use store::{Lane, Meter, audit};

use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::queue::{Progress, Work};
use crate::{Act, App, Error, kept_answers};

/// Refusal of an id that is none of the owner's.
const NOT_FOUND: Refusal = Refusal::NotFound("webhook_redelivery");

/// How many slices of each job a pass does, so that those of several owners go on side by side.
const SLICES_MAX: u32 = 5;

/// Writes a job as the body of an answer.
type RenderJob = fn(&Job, Language) -> Vec<u8>;

/// Everything that one transaction needs to make a job.
struct Wish {
    owner: OwnerId,
    id: RedeliveryId,
    wanted: Wanted,
    slot: Option<Slot>,
    entry: audit::Entry,
    render: RenderJob,
    language: Language,
    now: Timestamp,
}

/// Begins a job that redelivers, little by little, every failed delivery whose event is of the time asked for. With an
/// `Idempotency-Key` that was used before no other job is made: the answer is that of before.
///
/// # Errors
/// A conflict that names the owner's job that runs already; or a failure of the store.
pub async fn begin(
    app: &Arc<App>,
    act: &Act<RedeliverFailed>,
    wanted: Wanted,
    slot: Option<Slot>,
    render: RenderJob,
) -> Result<Vec<u8>, Error> {
    let (owner, now) = (act.owner(), act.now);
    let id = RedeliveryId::new(&*app.ids, now);
    let entry = audited(app, act, id.to_string());
    let language = act.request.language;
    let wish = Wish { owner, id, wanted, slot, entry, render, language, now };
    let inner = Arc::clone(app);
    act.write(app, move |tx| {
        let (subject, slot) = (wish.id.to_bytes(), wish.slot.as_ref());
        kept_answers::once(tx, &inner, owner, slot, subject, wish.now, |tx| write(tx, &wish))
    })
    .await
}

fn write(tx: &mut Tx<'_>, wish: &Wish) -> Outcome<Vec<u8>> {
    let Wish { owner, id, wanted, entry, render, language, now, .. } = wish;
    let (owner, id, now) = (*owner, *id, *now);
    if let Err(running) = redelivery_jobs::begin(tx, owner, id, wanted, now)? {
        return Err(Refusal::Conflict { id: running.to_string() }.into());
    }
    audit::insert(tx, owner, entry, now)?;
    let found = redelivery_jobs::find(tx, owner, id)?;
    let job = found.ok_or_else(|| Fault::broken("a redelivery job is missing after its insert"))?;
    Ok(render(&job, *language))
}

/// Shows how far a job has come.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowRedelivery>, id: RedeliveryId) -> Result<Job, Error> {
    let owner = act.owner();
    let find = app.store.look_up(act.meter(), move |tx| redelivery_jobs::find(tx, owner, id));
    Ok(find.await?.ok_or(NOT_FOUND)?)
}

/// Having failed deliveries begin again, for owners who have asked for it.
#[derive(Debug)]
pub enum Redelivery {}

impl Work for Redelivery {
    const KIND: Kind = Kind::Redelivery;
    const POLL: Duration = Duration::from_millis(1_100);
    /// A job waits for nothing.
    const WAIT_MAX: Option<Duration> = Some(Duration::ZERO);

    fn shown(subject: [u8; 16]) -> String {
        RedeliveryId::from_bytes(subject).to_string()
    }

    async fn attend(app: &Arc<App>, due: Due, _: Timestamp) -> Result<Progress, Error> {
        let (owner, id) = (due.owner, RedeliveryId::from_bytes(due.subject));
        for _ in 0..SLICES_MAX {
            let now = app.clock.now();
            // A commit whose answer is lost was done or was not: the place says which.
            let slice = move |tx: &mut Tx<'_>| redelivery_jobs::advance(tx, owner, id, now);
            if !app.store.write(&Meter::default(), Lane::Maintenance, owner, slice).await? {
                return Ok(Progress::Rested);
            }
        }
        Ok(Progress::More)
    }
}
