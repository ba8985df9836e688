//! How many streams of events somebody has open: each holds a connection and asks the store again and again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::ActorId;

/// How many a person may have: as many pages as somebody looks at.
const STREAMS_MAX: u32 = 4;

/// The open streams of this process, by person.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<HashMap<ActorId, u32>>>);

/// A stream that is open. It is counted until it is dropped.
#[derive(Debug)]
pub struct OpenStream {
    streams: Streams,
    person: ActorId,
}

impl Streams {
    /// One more stream of that person; nothing where it has too many.
    pub(crate) fn open(&self, person: ActorId) -> Option<OpenStream> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(person).or_default();
        if *count >= STREAMS_MAX {
            return None;
        }
        *count += 1;
        Some(OpenStream { streams: self.clone(), person })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.streams.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.person) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_so_many_and_gets_them_back() {
        let streams = Streams::default();
        let (one, other) = (ActorId::from_bytes([1; 16]), ActorId::from_bytes([2; 16]));
        let mut open: Vec<_> = (0..STREAMS_MAX).map(|_| streams.open(one).unwrap()).collect();
        assert!(streams.open(one).is_none());
        assert!(streams.open(other).is_some());
        open.pop();
        assert!(streams.open(one).is_some());
        open.clear();
        assert!(streams.0.lock().unwrap().is_empty());
    }
}
