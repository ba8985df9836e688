//! The operation: `POST /v1/webhooks/deliveries/{delivery_id}/redeliver`.

use std::sync::Arc;

use domain::access::Redeliver;
use domain::ids::{EventId, OwnerId};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::audit;
use store::fault::Fault;
use store::idempotency::Slot;
use store::redeliveries::{self, RedeliveryStart};
use store::tx::Tx;

use super::show::{self, NOT_FOUND, Record};
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::{Act, App, Error, kept_answers};

/// Writes a delivery that is sent again as the body of an answer.
type Render = fn(&Record, Language) -> Vec<u8>;

/// Everything that one transaction needs to have a delivery begin again.
struct Wish {
    owner: OwnerId,
    id: EventId,
    slot: Option<Slot>,
    entry: audit::Entry,
    render: Render,
    language: Language,
    now: Timestamp,
}

/// Sends the same bytes again, at once and by a fresh schedule, whether a receiver has received them
/// or not. Twice at once is once, and with an `Idempotency-Key` that was used before nothing is sent:
/// the answer is that of before.
///
/// # Errors
/// Not found; in progress while an attempt is under way, whose end is to be waited for; a conflict
/// where nothing is left to send; or a failure of the store.
pub async fn redeliver(
    app: &Arc<App>,
    act: &Act<Redeliver>,
    id: EventId,
    slot: Option<Slot>,
    render: Render,
) -> Result<Vec<u8>, Error> {
    let owner = act.owner();
    let wish = Wish {
        owner,
        id,
        slot,
        entry: audited(app, act, id.to_string()),
        render,
        language: act.request.language,
        now: act.now,
    };
    let inner = Arc::clone(app);
    let written = act.write(app, move |tx| {
        let (subject, slot) = (wish.id.to_bytes(), wish.slot.as_ref());
        kept_answers::once(tx, &inner, owner, slot, subject, wish.now, |tx| write(tx, &wish))
    });
    let answer = written.await?;
    app.webhooks.ring();
    Ok(answer)
}

fn write(tx: &mut Tx<'_>, wish: &Wish) -> Outcome<Vec<u8>> {
    let Wish { owner, id, entry, render, language, now, .. } = wish;
    let (owner, id, now) = (*owner, *id, *now);
    match redeliveries::begin(tx, owner, id, now)? {
        RedeliveryStart::Due => {}
        RedeliveryStart::UnderWay => return Err(Refusal::RequestInProgress.into()),
        RedeliveryStart::Never => return Err(Refusal::Conflict { id: id.to_string() }.into()),
        RedeliveryStart::Unknown => return Err(NOT_FOUND.into()),
    }
    audit::insert(tx, owner, entry, now)?;
    let found = show::find(tx, owner, id, now)?;
    let record = found.ok_or_else(|| Fault::broken("a restarted delivery is missing"))?;
    Ok(render(&record, *language))
}
