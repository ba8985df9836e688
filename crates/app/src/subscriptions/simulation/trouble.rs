//! Troubles of the store's writes: one fails, a commit is lost, the process ends, somebody else comes first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use store::{Mishap, Store};

use crate::Error;

/// Something that somebody does at once, whole, before a write of somebody else begins.
pub(super) type Interruption = Box<dyn FnOnce() + Send>;

/// Trouble of a write.
pub(super) enum Trouble {
    /// It fails, or its answer is lost.
    Mishap(Mishap),
    /// Somebody else comes first, whose own writes meet the next troubles.
    Interruption(Interruption),
    /// The process ends before it: neither it is done nor anything after it.
    End,
}

/// Troubles that the next writes meet.
#[derive(Clone, Default)]
pub(super) struct Troubles(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Those ahead, each after so many writes that meet none.
    ahead: VecDeque<(u64, Trouble)>,
    has_ended: bool,
    befallen: Befallen,
}

/// How much has befallen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Befallen {
    pub(super) mishaps: usize,
    pub(super) interruptions: usize,
}

impl Troubles {
    /// A store that meets them.
    pub(super) fn store(&self) -> Store {
        let troubles = self.clone();
        store::inline_with(move || troubles.meet()).unwrap()
    }

    /// Adds one, behind those that are ahead and so many writes that meet none.
    pub(super) fn add(&self, after: u64, trouble: Trouble) {
        self.0.lock().unwrap().ahead.push_back((after, trouble));
    }

    /// From here on all is well. Answers whether the process has ended.
    pub(super) fn disarm(&self) -> bool {
        let mut state = self.0.lock().unwrap();
        state.ahead.clear();
        std::mem::take(&mut state.has_ended)
    }

    /// No answer came, which only a trouble may be the reason of.
    pub(super) fn explain(&self, error: &Error) {
        let is_unavailable = matches!(error, Error::Unavailable(_));
        let befallen = self.0.lock().unwrap().befallen.mishaps;
        assert!(is_unavailable && befallen > 0, "the store failed: {error:?}");
    }

    /// Answers how much has befallen, and begins to count anew.
    pub(super) fn begin_anew(&self) -> Befallen {
        std::mem::take(&mut self.0.lock().unwrap().befallen)
    }

    /// Finds what befalls the write that is about to begin.
    fn meet(&self) -> Option<Mishap> {
        // Nothing is held while somebody else comes, who writes, too.
        let met = self.0.lock().unwrap().next_trouble();
        match met? {
            Trouble::Mishap(mishap) => Some(mishap),
            Trouble::End => Some(Mishap::Fails),
            Trouble::Interruption(first) => {
                first();
                self.meet()
            }
        }
    }
}

impl State {
    fn next_trouble(&mut self) -> Option<Trouble> {
        if self.has_ended {
            return Some(Trouble::End);
        }
        let (left, _) = self.ahead.front_mut()?;
        if *left > 0 {
            *left -= 1;
            return None;
        }
        let (_, trouble) = self.ahead.pop_front()?;
        self.has_ended = matches!(trouble, Trouble::End);
        match trouble {
            Trouble::Interruption(_) => self.befallen.interruptions += 1,
            Trouble::Mishap(_) | Trouble::End => self.befallen.mishaps += 1,
        }
        Some(trouble)
    }
}
