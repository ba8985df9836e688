//! Connections that are kept for the next exchange, of banks and of receivers alike.
//!
//! Nobody looks at a connection that is kept, so that it is looked at when it is taken: one on which
//! the other side has hung up, or said anything that nobody asked for, is dropped there.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;

use crate::{Wait, WaitFuture};

/// For how long one is kept at the most: shorter than servers and the boxes in between usually do.
pub(crate) const KEPT_FOR: Duration = Duration::from_secs(15);

/// How many connections are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// To one destination.
    pub(crate) of_each: usize,
    /// To all of them.
    pub(crate) in_all: usize,
}

/// A connection that may be kept.
pub(crate) trait Keepable {
    /// Tells whether the connection can be used again, as far as this side can know. Looking is also what lets it
    /// notice.
    fn is_open(&mut self) -> bool;
}

/// The connections that nobody uses at the moment, each by what it leads to.
pub(crate) struct Idle<K, L> {
    limits: Limits,
    /// The latest last.
    kept: Mutex<VecDeque<Kept<K, L>>>,
    wait: Wait,
}

struct Kept<K, L> {
    to: K,
    link: L,
    too_old: WaitFuture,
}

impl<K: PartialEq, L: Keepable> Idle<K, L> {
    pub(crate) fn new(limits: Limits, wait: Wait) -> Self {
        Self { limits, kept: Mutex::default(), wait }
    }

    /// A connection to there that still seems open, the latest first. The others that are found on
    /// the way are dropped.
    pub(crate) fn take<Q: ?Sized>(&self, to: &Q) -> Option<L>
    where
        K: PartialEq<Q>,
    {
        loop {
            // Not looked at while others wait for the list: it may have been sent a lot.
            let Kept { mut link, too_old, .. } = self.remove_latest(to)?;
            if too_old.now_or_never().is_none() && link.is_open() {
                return Some(link);
            }
        }
    }

    /// Keeps a connection for so long, in the place of the oldest where there are enough.
    pub(crate) fn keep(&self, to: K, link: L, kept_for: Duration) {
        let too_old = (self.wait)(kept_for.min(KEPT_FOR));
        let mut kept = self.lock();
        // In the order in which they came: what comes after one that is young enough is younger.
        while kept.front_mut().is_some_and(|kept| (&mut kept.too_old).now_or_never().is_some()) {
            kept.pop_front();
        }
        if kept.iter().filter(|kept| kept.to == to).count() >= self.limits.of_each {
            let oldest = kept.iter().position(|kept| kept.to == to);
            oldest.and_then(|place| kept.remove(place));
        }
        if kept.len() >= self.limits.in_all {
            kept.pop_front();
        }
        kept.push_back(Kept { to, link, too_old });
    }

    /// Drops whatever leads to there.
    pub(crate) fn forget<Q: ?Sized>(&self, to: &Q)
    where
        K: PartialEq<Q>,
    {
        self.lock().retain(|kept| kept.to != *to);
    }

    fn remove_latest<Q: ?Sized>(&self, to: &Q) -> Option<Kept<K, L>>
    where
        K: PartialEq<Q>,
    {
        let mut kept = self.lock();
        let place = kept.iter().rposition(|kept| kept.to == *to)?;
        kept.remove(place)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Kept<K, L>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const LIMITS: Limits = Limits { of_each: 2, in_all: 3 };

    /// A connection with a number, and whether it is open.
    #[derive(Debug, PartialEq)]
    struct Link(u8, bool);

    impl Keepable for Link {
        fn is_open(&mut self) -> bool {
            self.1
        }
    }

    /// Only what is kept for no time at all is ever too old.
    fn idle() -> Idle<&'static str, Link> {
        let wait: Wait = Arc::new(|duration| {
            if duration.is_zero() {
                Box::pin(std::future::ready(()))
            } else {
                Box::pin(std::future::pending())
            }
        });
        Idle::new(LIMITS, wait)
    }

    fn taken(idle: &Idle<&'static str, Link>, to: &'static str) -> Vec<u8> {
        std::iter::from_fn(|| idle.take(&to)).map(|Link(number, _)| number).collect()
    }

    #[test]
    fn the_latest_to_the_same_place_is_taken_first() {
        let idle = idle();
        for (to, number) in [("a", 1), ("b", 2), ("a", 3)] {
            idle.keep(to, Link(number, true), KEPT_FOR);
        }
        assert!(taken(&idle, "c").is_empty());
        assert_eq!((taken(&idle, "a"), taken(&idle, "b")), (vec![3, 1], vec![2]));
    }

    #[test]
    fn what_has_been_hung_up_or_is_too_old_is_dropped() {
        let idle = idle();
        idle.keep("a", Link(1, true), KEPT_FOR);
        idle.keep("a", Link(2, false), KEPT_FOR);
        assert_eq!(taken(&idle, "a"), [1]);
        idle.keep("a", Link(3, true), Duration::ZERO);
        assert!(taken(&idle, "a").is_empty());
    }

    #[test]
    fn there_are_few_to_one_place_and_few_in_all_and_the_oldest_go() {
        let idle = idle();
        for number in 1..=3 {
            idle.keep("a", Link(number, true), KEPT_FOR);
        }
        idle.keep("b", Link(4, true), KEPT_FOR);
        idle.keep("c", Link(5, true), KEPT_FOR);
        assert_eq!(idle.lock().len(), LIMITS.in_all);
        assert_eq!(
            (taken(&idle, "a"), taken(&idle, "b"), taken(&idle, "c")),
            (vec![3], vec![4], vec![5])
        );
    }

    #[test]
    fn what_is_too_old_makes_room_first() {
        let idle = idle();
        idle.keep("a", Link(1, true), Duration::ZERO);
        for (to, number) in [("b", 2), ("c", 3), ("d", 4)] {
            idle.keep(to, Link(number, true), KEPT_FOR);
        }
        assert_eq!(
            (taken(&idle, "b"), taken(&idle, "c"), taken(&idle, "d")),
            (vec![2], vec![3], vec![4])
        );
    }

    #[test]
    fn a_place_is_forgotten() {
        let idle = idle();
        for (to, number) in [("a", 1), ("b", 2), ("a", 3)] {
            idle.keep(to, Link(number, true), KEPT_FOR);
        }
        idle.forget(&"a");
        assert_eq!((taken(&idle, "a"), taken(&idle, "b")), (vec![], vec![2]));
    }
}
