//! When keys were last used, and from where. A request notes it in memory, and once a minute it is written: a node
//! that is killed forgets the uses of the last minute, and other nodes learn of them as late.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::ids::{KeyId, OwnerId};
use store::fault::WriteError;
use store::key_uses::{self, Use};
use store::tx::Tx;
use store::{Lane, Meter};

use crate::App;

/// The latest use of each key that was used here, until it is written and another minute has gone by: a reader that
/// read the row before it was written still finds it here.
#[derive(Debug, Default)]
pub struct KeyUses(Mutex<HashMap<(OwnerId, KeyId), Noted>>);

#[derive(Clone, Copy, Debug)]
struct Noted {
    last: Use,
    is_written: bool,
}

impl KeyUses {
    /// Notes that a key was admitted.
    pub(crate) fn note(&self, owner: OwnerId, key: KeyId, last: Use) {
        let mut uses = self.lock();
        let seen = Noted { last, is_written: false };
        let noted = uses.entry((owner, key)).or_insert(seen);
        if last.at > noted.last.at {
            *noted = seen;
        }
    }

    /// When this node last admitted a key, unless that was written a while ago.
    pub(crate) fn latest(&self, owner: OwnerId, key: KeyId) -> Option<Use> {
        self.lock().get(&(owner, key)).map(|noted| noted.last)
    }

    /// All that is not written yet, by owner. What was written the last time goes.
    fn begin(&self) -> Vec<((OwnerId, KeyId), Use)> {
        let mut uses = self.lock();
        uses.retain(|_, noted| !noted.is_written);
        let mut unwritten: Vec<_> = uses.iter().map(|(key, noted)| (*key, noted.last)).collect();
        drop(uses);
        unwritten.sort_unstable();
        unwritten
    }

    /// Notes that these were written.
    fn end(&self, written: &[((OwnerId, KeyId), Use)]) {
        let mut uses = self.lock();
        for (key, last) in written {
            // One that was used again meanwhile is not written.
            if let Some(noted) = uses.get_mut(key).filter(|noted| noted.last == *last) {
                noted.is_written = true;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(OwnerId, KeyId), Noted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the uses that are not written yet.
///
/// # Errors
/// A failure of the store; what was not written is written the next time.
pub async fn write(app: &App) -> Result<(), WriteError> {
    let meter = Meter::default();
    let mut result = Ok(());
    for uses in app.key_uses.begin().chunk_by(|((one, _), _), ((other, _), _)| one == other) {
        let (owner, copied) = (uses[0].0.0, uses.to_vec());
        let write = move |tx: &mut Tx<'_>| {
            copied.iter().try_for_each(|((_, key), last)| key_uses::keep(tx, owner, *key, *last))
        };
        match app.store.write(&meter, Lane::Maintenance, owner, write).await {
            Ok(()) => app.key_uses.end(uses),
            Err(error) => result = Err(error),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use domain::time::Timestamp;

    use super::*;

    const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
    const KEY: KeyId = KeyId::from_bytes([2; 16]);

    fn at(micros: i64) -> Use {
        Use { at: Timestamp::from_micros(micros), from: Some(IpAddr::from([127, 0, 0, 1])) }
    }

    #[test]
    fn the_latest_use_of_a_key_is_written_once() {
        let uses = KeyUses::default();
        for instant in [5, 9, 7] {
            uses.note(OWNER, KEY, at(instant));
        }
        let unwritten = uses.begin();
        assert_eq!(unwritten, [((OWNER, KEY), at(9))]);
        // It is there while it is written, and a minute longer.
        assert_eq!(uses.latest(OWNER, KEY), Some(at(9)));
        uses.end(&unwritten);
        assert_eq!(uses.latest(OWNER, KEY), Some(at(9)));
        assert_eq!((uses.begin(), uses.latest(OWNER, KEY)), (Vec::new(), None));
    }

    #[test]
    fn what_could_not_be_written_or_was_used_again_is_written_the_next_time() {
        let uses = KeyUses::default();
        uses.note(OWNER, KEY, at(5));
        let unwritten = uses.begin();
        assert_eq!(uses.begin(), unwritten);
        uses.note(OWNER, KEY, at(6));
        uses.end(&unwritten);
        assert_eq!(uses.begin(), [((OWNER, KEY), at(6))]);
    }
}
