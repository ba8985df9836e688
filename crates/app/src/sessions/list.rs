//! The operation: `GET /auth/sessions`.

use std::net::IpAddr;

use domain::access::ListSessions;
use domain::sign_in::network;
use store::{second_factors, sessions};

use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// A session that is open.
#[derive(Debug)]
pub struct Listed {
    /// The session.
    pub session: sessions::Listed,
    /// Whether it is the one that asks.
    pub is_current: bool,
}

impl Listed {
    /// Returns the network that signed in.
    #[must_use]
    pub fn network(&self) -> Option<String> {
        let address: IpAddr = self.session.address.as_deref()?.parse().ok()?;
        Some(network(address))
    }
}

/// Lists the sessions that are open, the newest first: to an employee its own, to the owner all. Besides, how many recovery
/// codes the caller has left, if it has a second factor.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListSessions>,
    page: PageNumber,
) -> Result<(Page<Listed>, Option<i64>), Error> {
    let (of, now, bounds) = ((act.owner(), act.caller().employee()), act.now, page.bounds());
    let whose = (act.owner(), act.actor());
    let read = app.store.read(act.meter(), move |tx| {
        let page = sessions::page_open(tx, of, now, bounds)?;
        Ok((page, second_factors::codes_left(tx, whose)?))
    });
    let (found, codes_left) = read.await?;
    let current = act.caller().session();
    let listed =
        |session: sessions::Listed| Listed { is_current: Some(session.id) == current, session };
    Ok((found.map(listed), codes_left))
}
