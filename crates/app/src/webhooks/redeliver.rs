//! The operation: `POST /v1/webhooks/deliveries/{delivery_id}/redeliver`.

use domain::access::Redeliver;
use domain::ids::EventId;
use domain::refusal::Refusal;
use store::redeliveries::{self, Begun};
use store::{Lane, audit};

use super::show::{NOT_FOUND, Record, look};
use crate::keys::audited;
use crate::{Act, App, Error};

/// Sends the same bytes again, at once and by a fresh schedule, whether a receiver has heard them or
/// not. Twice at once is once.
///
/// # Errors
/// Not found; in progress while an attempt is under way, whose end is to be waited for; a conflict
/// where it was called off or nothing is left to send; or a failure of the store.
pub async fn redeliver(app: &App, act: &Act<Redeliver>, id: EventId) -> Result<Record, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, id.to_string());
    let begun = app
        .store
        .write(act.meter(), Lane::Admission, owner, move |tx| {
            let begun = redeliveries::begin(tx, owner, id, now)?;
            if begun == Begun::Due {
                audit::insert(tx, owner, &entry, now)?;
            }
            Ok(begun)
        })
        .await?;
    match begun {
        Begun::Due => app.webhooks.ring(),
        Begun::UnderWay => return Err(Refusal::RequestInProgress.into()),
        Begun::Never => return Err(Refusal::Conflict { id: id.to_string() }.into()),
        Begun::Unknown => return Err(NOT_FOUND.into()),
    }
    look(app, act.meter(), owner, id, now).await
}
