//! The operation: `GET /auth/sessions`.

use domain::access::ListSessions;
use store::sessions;

use crate::paging::{Page, PageNumber, TOTAL_MAX};
use crate::{Act, App, Error};

/// A session that is open.
#[derive(Debug)]
pub struct Listed {
    /// The session.
    pub session: sessions::Listed,
    /// Whether it is the one that asks.
    pub is_current: bool,
}

/// Lists the sessions that are open, the newest first: to an employee its own, to the owner all.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListSessions>,
    page: PageNumber,
) -> Result<Page<Listed>, Error> {
    let (of, now, place) =
        ((act.owner(), act.caller().employee()), act.now, page.limit_and_offset());
    let read =
        app.store.read(act.meter(), move |tx| sessions::page_open(tx, of, now, place, TOTAL_MAX));
    let (found, total) = read.await?;
    let current = act.caller().session();
    let listed =
        |session: sessions::Listed| Listed { is_current: Some(session.id) == current, session };
    Ok(Page { entries: found.into_iter().map(listed).collect(), total })
}
