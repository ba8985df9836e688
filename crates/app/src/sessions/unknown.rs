//! Sign-ins by neither a browser nor a network that is known, of which the owner is notified.
//!
//! A browser is known by the cookie of a session of the same person that nobody has ended: it needs no cookie of its own.
//! A network is known for as long as [`NETWORK_KEPT`] says. Who has not signed in yet knows neither, and that is no news.

use domain::ids::OwnerId;
use domain::notices::Notice;
use domain::session_cookie::SessionCookie;
use domain::sign_in::NETWORK_KEPT;
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{audit, sessions, sign_in_networks};

use crate::notices::notify_of;
use crate::people::Account;

/// Place that somebody signs in from.
pub(super) struct Place {
    /// The network, where an address is known.
    pub(super) network: Option<String>,
    /// The cookie that the browser still has of an earlier session.
    pub(super) browser: Option<SessionCookie>,
}

impl Place {
    /// Notifies the owner if the person is not known to sign in from here, and notes the network. The last that the sign-in
    /// writes.
    ///
    /// # Errors
    /// A fault of the store.
    pub(super) fn note(
        &self,
        tx: &mut Tx<'_>,
        account: &Account,
        line: &audit::Entry,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let Some(network) = &self.network else { return Ok(()) };
        let (owner, person) = (account.owner_id, account.actor());
        let is_known = match sign_in_networks::knows(tx, (owner, person), network)? {
            Some(is_known) => is_known,
            None => account.began_at().plus(NETWORK_KEPT) > now,
        };
        let is_known = is_known || self.is_browser_of(tx, owner, account)?;
        sign_in_networks::note(tx, (owner, person), network, now)?;
        if is_known {
            return Ok(());
        }
        let (id, name) = (account.name(), account.record().name);
        notify_of(tx, owner, line, &Notice::unknown_sign_in((&id, &name), network, line.id), now)
    }

    fn is_browser_of(
        &self,
        tx: &mut Tx<'_>,
        owner: OwnerId,
        account: &Account,
    ) -> Result<bool, Fault> {
        let Some(cookie) = self.browser.as_ref().filter(|it| it.owner == owner) else {
            return Ok(false);
        };
        let standing = sessions::find(owner, cookie.session).run(tx)?;
        Ok(standing.is_some_and(|it| {
            it.cookie == Some(cookie.hash())
                && it.session.ended_at.is_none()
                && it.employee.map(|employee| employee.id) == account.employee()
        }))
    }
}
