//! What goes wrong with the store: writes that fail, and commits whose answer is lost.

use std::sync::{Arc, Mutex};

use store::{Mishap, Store};

use super::surroundings::Chance;
use crate::Error;

/// Mishap that hits the next write, and the number of those that have hit.
#[derive(Clone, Default)]
pub(super) struct Troubles(Arc<Mutex<(Option<Mishap>, usize)>>);

impl Troubles {
    /// A store that meets them.
    pub(super) fn store(&self) -> Store {
        let troubles = self.clone();
        let next = move || {
            let mut state = troubles.0.lock().unwrap();
            let mishap = state.0.take();
            state.1 += usize::from(mishap.is_some());
            mishap
        };
        store::inline_with(next).unwrap()
    }

    /// Sets a mishap for the next write, now and then.
    pub(super) fn arm(&self, chance: &mut Chance) {
        let mishap = match chance.below(60) {
            0 => Mishap::Fails,
            1 => Mishap::IsLost,
            2 => Mishap::IsAppliedAndLost,
            _ => return,
        };
        self.0.lock().unwrap().0 = Some(mishap);
    }

    /// From here on all is well.
    pub(super) fn disarm(&self) {
        self.0.lock().unwrap().0 = None;
    }

    /// No answer came, which only a trouble may be the reason of.
    pub(super) fn explain<T>(&self, error: &Error) -> Option<T> {
        assert!(self.0.lock().unwrap().1 > 0, "the store failed: {error:?}");
        None
    }

    /// Answers how much has befallen, and begins to count anew.
    pub(super) fn begin_anew(&self) -> usize {
        std::mem::take(&mut self.0.lock().unwrap().1)
    }
}
