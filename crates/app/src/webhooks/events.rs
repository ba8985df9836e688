//! The operation: `GET /v1/webhooks/events`.

use domain::access::ListEvents;
use domain::refusal::Refusal;
use store::Lane;
use store::event_feed::{self, Asked, Page};

use crate::{Act, App, Error};

/// Shows what happened behind a place of the feed. What was committed since somebody last asked is
/// brought into it where the page has room.
///
/// # Errors
/// A place that no answer to this owner has named; or a failure of the store.
pub async fn events(app: &App, act: &Act<ListEvents>, asked: Asked) -> Result<Page, Error> {
    let page = look(app, act, asked).await?;
    if page.goes_on || !page.is_behind {
        return Ok(page);
    }
    let owner = act.owner();
    // Once more where nobody knows whether it is done: then there is less left to do.
    let enter = move |tx: &mut store::tx::Tx<'_>| event_feed::enter(tx, owner);
    app.store.write_again(act.meter(), Lane::Admission, owner, enter).await?;
    look(app, act, asked).await
}

async fn look(app: &App, act: &Act<ListEvents>, asked: Asked) -> Result<Page, Error> {
    let (owner, now) = (act.owner(), act.now);
    let read = app.store.read(act.meter(), move |tx| event_feed::page(tx, owner, &asked, now));
    let unknown = || {
        Refusal::invalid(
            "after",
            (
                "debe ser el `next` de una respuesta anterior",
                "must be the `next` of an earlier answer",
            ),
        )
    };
    Ok(read.await?.ok_or_else(unknown)?)
}
