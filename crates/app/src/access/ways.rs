//! The ways from keys' texts to their rows, remembered.
//!
//! A locator decides nothing, so one that is remembered cannot let anybody in: the owner's own row
//! is read in every request, and says which text its key goes by now. A way is forgotten where the
//! row says otherwise, and the store is asked again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::keys::KeyHash;
use store::locators::Located;

/// How many ways a generation holds; there are two, of some hundred bytes for each way.
const GENERATION_MAX: usize = 16 * 1024;

/// The ways that were used lately. Only those that led to a row are kept, so that whoever tries
/// texts at random drives nobody's way out.
#[derive(Debug, Default)]
pub struct Ways(Mutex<Generations>);

/// What was used since the young generation was last full, and what was used in the time before.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<KeyHash, Located>,
    old: HashMap<KeyHash, Located>,
}

impl Ways {
    /// Where that text led when it was last used, if that is remembered.
    pub(super) fn find(&self, hash: KeyHash) -> Option<Located> {
        let mut generations = self.lock();
        if let Some(way) = generations.young.get(&hash) {
            return Some(*way);
        }
        let way = generations.old.remove(&hash)?;
        generations.keep(hash, way, GENERATION_MAX);
        Some(way)
    }

    /// Remembers where a text led.
    pub(super) fn keep(&self, hash: KeyHash, to: Located) {
        self.lock().keep(hash, to, GENERATION_MAX);
    }

    /// Forgets a way that leads to no such key any more.
    pub(super) fn forget(&self, hash: KeyHash) {
        let mut generations = self.lock();
        generations.young.remove(&hash);
        generations.old.remove(&hash);
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn keep(&mut self, hash: KeyHash, to: Located, max: usize) {
        if self.young.len() >= max {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, to);
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::OwnerId;

    use super::*;

    fn text(number: u8) -> (KeyHash, Located) {
        let owner = OwnerId::from_bytes([number; 16]);
        (KeyHash::from_bytes([number; 32]), Located { owner, subject: [number; 16] })
    }

    #[test]
    fn a_way_is_known_until_it_is_forgotten() {
        let (ways, (hash, way)) = (Ways::default(), text(1));
        assert_eq!(ways.find(hash), None);
        ways.keep(hash, way);
        assert_eq!(ways.find(hash), Some(way));
        ways.forget(hash);
        assert_eq!(ways.find(hash), None);
    }

    #[test]
    fn what_is_used_outlives_what_is_not() {
        let ways = Ways::default();
        let (used, way) = text(1);
        let (unused, _) = text(2);
        for number in 1..=2 {
            let (hash, way) = text(number);
            ways.lock().keep(hash, way, 2);
        }
        // Both are old now; one of them is used.
        ways.lock().keep(text(3).0, text(3).1, 2);
        assert_eq!(ways.find(used), Some(way));
        ways.lock().keep(text(4).0, text(4).1, 2);
        assert_eq!(ways.find(used), Some(way));
        assert_eq!(ways.find(unused), None);
    }
}
