//! Connections that are kept for the next exchange.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;

use crate::exchange::Link;
use crate::{Wait, WaitFuture};

/// How many connections to one bank are kept.
pub(crate) const KEPT_MAX: usize = 32;

/// For how long one is kept: shorter than servers and the boxes in between usually do.
pub(crate) const KEPT_FOR: Duration = Duration::from_secs(15);

/// The connections to one bank that nobody uses at the moment, the latest last.
pub(crate) struct Idle {
    kept: Mutex<Vec<Kept>>,
    wait: Wait,
}

struct Kept {
    link: Link,
    too_old: WaitFuture,
}

impl Idle {
    pub(crate) fn new(wait: Wait) -> Self {
        Self { kept: Mutex::default(), wait }
    }

    /// A connection that still seems open. The others that are found on the way are dropped.
    pub(crate) fn take(&self) -> Option<Link> {
        let mut kept = self.lock();
        while let Some(Kept { mut link, too_old }) = kept.pop() {
            if too_old.now_or_never().is_none() && link.is_open() {
                return Some(link);
            }
        }
        None
    }

    /// Keeps a connection, unless enough are kept.
    pub(crate) fn keep(&self, link: Link) {
        let too_old = (self.wait)(KEPT_FOR);
        let mut kept = self.lock();
        if kept.len() < KEPT_MAX {
            kept.push(Kept { link, too_old });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
