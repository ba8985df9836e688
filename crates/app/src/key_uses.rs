//! When keys were last used. A request notes it in memory, and once a minute it is written: a node that is killed forgets
//! the uses of the last minute, and other nodes hear of them as late.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use domain::ids::{KeyId, OwnerId};
use domain::time::Timestamp;
use store::fault::WriteError;
use store::tx::Tx;
use store::{Lane, Meter, key_uses};

use crate::App;

/// The uses that are not written yet: one for each key that was used since the last time.
#[derive(Debug, Default)]
pub struct KeyUses(Mutex<HashMap<(OwnerId, KeyId), Timestamp>>);

impl KeyUses {
    /// Notes that a key was let in.
    pub(crate) fn note(&self, owner: OwnerId, key: KeyId, at: Timestamp) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = uses.entry((owner, key)).or_insert(at);
        *last = at.max(*last);
    }

    /// When this node let a key in, if that is not written yet.
    pub(crate) fn unwritten(&self, owner: OwnerId, key: KeyId) -> Option<Timestamp> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(owner, key)).copied()
    }

    /// All that is not written yet, by owner, which whoever takes it writes.
    fn take(&self) -> Vec<((OwnerId, KeyId), Timestamp)> {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken: Vec<_> = uses.drain().collect();
        drop(uses);
        taken.sort_unstable();
        taken
    }
}

/// Writes the uses that are not written yet.
///
/// # Errors
/// A failure of the store; what was not written is noted again.
pub async fn write(app: &App) -> Result<(), WriteError> {
    let meter = Meter::default();
    let mut result = Ok(());
    for uses in app.key_uses.take().chunk_by(|((one, _), _), ((other, _), _)| one == other) {
        let owner = uses[0].0.0;
        let (again, uses) = (uses, uses.to_vec());
        let write = move |tx: &mut Tx<'_>| {
            uses.iter().try_for_each(|((_, key), at)| key_uses::keep(tx, owner, *key, *at))
        };
        let written = app.store.write(&meter, Lane::Maintenance, owner, write).await;
        if let Err(error) = written {
            for ((owner, key), at) in again {
                app.key_uses.note(*owner, *key, *at);
            }
            result = Err(error);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_use_of_a_key_is_noted_until_it_is_taken() {
        let uses = KeyUses::default();
        let (owner, key) = (OwnerId::from_bytes([1; 16]), KeyId::from_bytes([2; 16]));
        let at = Timestamp::from_micros;
        for instant in [5, 9, 7] {
            uses.note(owner, key, at(instant));
        }
        assert_eq!(uses.unwritten(owner, key), Some(at(9)));
        assert_eq!(uses.take(), [((owner, key), at(9))]);
        assert_eq!(uses.unwritten(owner, key), None);
    }
}
