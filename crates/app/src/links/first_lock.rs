//! The first rate that is held for a price of a link, from the instant at which the link asks for it: whoever asks can say
//! at once how many bolívares that is. Each later one begins by a payer's own act (`hold_rate`).

use domain::ids::{LinkId, NoticeId, OwnerId, RateLockId};
use domain::notices::Notice;
use domain::rates::RateLock;
use domain::time::Timestamp;
use store::fault::Fault;
use store::links::{HeldRate, Link};
use store::tx::Tx;
use store::{notices, rate_locks};

use super::rate::doubt_of;
use crate::App;
use crate::rates::serving;

/// A rate lock that begins with a price, and the notice that its rate is in doubt, if it is.
#[derive(Debug)]
pub(crate) struct FirstLock {
    lock: RateLock,
    notice: Option<(NoticeId, Notice)>,
}

impl FirstLock {
    /// Begins the lock of a link whose price is new, and has the link name it; both are yet to be written. `None` where
    /// no rate serves the owner at `now`, what would be owed is no amount that can be paid, or the link is over: that is
    /// no error. A link in bolívares has none, and asks nothing of the store.
    ///
    /// # Errors
    /// A fault of the store.
    pub(crate) fn begin(
        tx: &mut Tx<'_>,
        app: &App,
        owner: OwnerId,
        link: &mut Link,
        now: Timestamp,
    ) -> Result<Option<Self>, Fault> {
        let Some(rate) = serving(tx, owner, link.price.currency, now)? else { return Ok(None) };
        let id = RateLockId::new(&*app.ids, now);
        let until = (link.rate_minutes, link.standing.expires_at);
        let Some(lock) = RateLock::begin(id, link.price, &rate, until, now) else {
            return Ok(None);
        };
        let doubt = doubt_of(tx, owner, link.id, &rate, now)?;
        link.held_rate = Some(HeldRate::of(&lock));
        let notice = doubt.map(|doubt| (NoticeId::new(&*app.ids, now), doubt));
        Ok(Some(Self { lock, notice }))
    }

    /// Writes the lock of a link that is written, and notifies the owner. A notice is the last that a transaction writes.
    ///
    /// # Errors
    /// A fault of the store.
    pub(crate) fn write(&self, tx: &mut Tx<'_>, owner: OwnerId, link: LinkId) -> Result<(), Fault> {
        rate_locks::insert(tx, owner, link, &self.lock)?;
        match &self.notice {
            Some((id, notice)) => notices::notify(tx, owner, *id, notice, self.lock.locked_at),
            None => Ok(()),
        }
    }
}
