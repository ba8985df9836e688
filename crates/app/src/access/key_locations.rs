//! A cache of where keys' texts led: to which key of which owner.
//!
//! A location decides nothing, so a cached one cannot admit anybody: the key's own row is looked up in every
//! request, and says which text the key has now. Where the row says otherwise, the location is removed and the
//! locator is looked up again.

use domain::keys::KeyHash;
use quick_cache::sync::Cache;
use store::locators::Located;

/// How many locations are cached, of some hundred bytes each.
const LOCATIONS_MAX: usize = 32 * 1024;

/// The locations that were used lately. Only those that led to a key's row are cached, so texts tried at random
/// evict none.
#[derive(Debug)]
pub struct KeyLocationCache(Cache<KeyHash, Located>);

impl Default for KeyLocationCache {
    fn default() -> Self {
        Self(Cache::new(LOCATIONS_MAX))
    }
}

impl KeyLocationCache {
    /// Returns where that text led when it was last used.
    pub(super) fn get(&self, hash: KeyHash) -> Option<Located> {
        self.0.get(&hash)
    }

    /// Keeps where a text led.
    pub(super) fn insert(&self, hash: KeyHash, to: Located) {
        self.0.insert(hash, to);
    }

    /// Removes a location at which there is no such key any more.
    pub(super) fn remove(&self, hash: KeyHash) {
        self.0.remove(&hash);
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::OwnerId;

    use super::*;

    #[test]
    fn a_location_is_known_until_it_is_removed() {
        let (cache, hash) = (KeyLocationCache::default(), KeyHash::from_bytes([1; 32]));
        let to = Located { owner: OwnerId::from_bytes([2; 16]), subject: [3; 16] };
        assert_eq!(cache.get(hash), None);
        cache.insert(hash, to);
        assert_eq!(cache.get(hash), Some(to));
        cache.remove(hash);
        assert_eq!(cache.get(hash), None);
    }
}
