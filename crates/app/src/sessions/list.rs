//! The operation: `GET /auth/sessions`.

use domain::access::{Caller, ListSessions};
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

/// Lists the owner's sessions that are open, the newest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListSessions>,
    page: PageNumber,
) -> Result<Page<Listed>, Error> {
    let (owner, now, place) = (act.owner(), act.now, page.limit_and_offset());
    let read = app
        .store
        .read(act.meter(), move |tx| sessions::page_open(tx, owner, now, place, TOTAL_MAX));
    let (found, total) = read.await?;
    let current = match act.caller() {
        Caller::Owner(caller) => Some(caller.session),
        _ => None,
    };
    let listed =
        |session: sessions::Listed| Listed { is_current: Some(session.id) == current, session };
    Ok(Page { entries: found.into_iter().map(listed).collect(), total })
}
