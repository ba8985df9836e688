//! Waiting, with an end to it.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// How far apart two looks are.
const LOOK_EVERY: Duration = Duration::from_millis(20);

#[expect(clippy::disallowed_methods, reason = "what is waited for is another process")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Looks until it is so; answers how long that took.
#[track_caller]
pub(crate) fn until(limit: Duration, what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let begun = now();
    while !is_so() {
        assert!(begun.elapsed() < limit, "{what}: not within {limit:?}");
        sleep(LOOK_EVERY);
    }
    begun.elapsed()
}
