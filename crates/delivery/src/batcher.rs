//! What is done for an owner batch by batch: while one is under way, the next gathers. So the more
//! there is to do, the more of it shares a write, and nothing waits for anything else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::OwnerId;

/// Things to be done, by owner.
pub(crate) struct Batcher<T>(Mutex<HashMap<OwnerId, Vec<T>>>);

/// The duty to do what has gathered for an owner, until nothing has.
pub(crate) struct Duty<T> {
    batcher: Arc<Batcher<T>>,
    pub(crate) owner: OwnerId,
    is_over: bool,
}

impl<T> Default for Batcher<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Batcher<T> {
    /// Adds these. Answers the duty where nobody has it.
    pub(crate) fn add(
        self: &Arc<Self>,
        owner: OwnerId,
        things: impl IntoIterator<Item = T>,
    ) -> Option<Duty<T>> {
        let mut gathered = self.lock();
        let has_nobody = !gathered.contains_key(&owner);
        gathered.entry(owner).or_default().extend(things);
        drop(gathered);
        has_nobody.then(|| Duty { batcher: Arc::clone(self), owner, is_over: false })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OwnerId, Vec<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Duty<T> {
    /// How much has gathered.
    pub(crate) fn gathered(&self) -> usize {
        self.batcher.lock().get(&self.owner).map_or(0, Vec::len)
    }

    /// The next batch, of so many at most; nothing where the duty is over.
    pub(crate) fn next(&mut self, max: usize) -> Option<Vec<T>> {
        let mut gathered = self.batcher.lock();
        match gathered.get_mut(&self.owner) {
            Some(things) if !things.is_empty() => {
                Some(things.drain(..things.len().min(max)).collect())
            }
            _ => {
                gathered.remove(&self.owner);
                self.is_over = true;
                None
            }
        }
    }

    /// Puts these back to be done once more, after what has gathered meanwhile.
    pub(crate) fn put_back(&self, things: Vec<T>) {
        self.batcher.lock().entry(self.owner).or_default().extend(things);
    }
}

/// A duty that is dropped in the middle is left to the next caller that adds. What had gathered is
/// dropped, too: its leases end by themselves.
impl<T> Drop for Duty<T> {
    fn drop(&mut self) {
        if !self.is_over {
            // Not dropped under the lock, since a thing may have more to do when it is.
            let left = self.batcher.lock().remove(&self.owner);
            drop(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: OwnerId = OwnerId::from_bytes([1; 16]);
    const OTHER: OwnerId = OwnerId::from_bytes([2; 16]);

    #[test]
    fn what_comes_while_a_batch_is_under_way_is_the_next() {
        let batcher = Arc::new(Batcher::default());
        let mut duty = batcher.add(ONE, [1, 2, 3]).unwrap();
        assert_eq!(duty.gathered(), 3);
        assert_eq!(duty.next(2), Some(vec![1, 2]));
        assert!(batcher.add(ONE, [4]).is_none(), "somebody has the duty");
        assert!(batcher.add(OTHER, [5]).is_some(), "nobody has that one");
        assert_eq!(duty.next(2), Some(vec![3, 4]));
        assert_eq!(duty.next(2), None);
        assert!(batcher.add(ONE, [6]).is_some());
    }

    #[test]
    fn what_is_put_back_comes_after_what_has_gathered_meanwhile() {
        let batcher = Arc::new(Batcher::default());
        let mut duty = batcher.add(ONE, [1, 2]).unwrap();
        duty.next(2);
        batcher.add(ONE, [3]);
        duty.put_back(vec![1]);
        assert_eq!(duty.next(9), Some(vec![3, 1]));
        assert_eq!(duty.next(9), None);
    }

    #[test]
    fn a_holder_that_goes_in_the_middle_leaves_the_duty_to_others() {
        let batcher = Arc::new(Batcher::default());
        let mut duty = batcher.add(ONE, [1, 2]).unwrap();
        duty.next(1);
        drop(duty);
        assert_eq!(batcher.add(ONE, [3]).unwrap().next(9), Some(vec![3]));
    }
}
