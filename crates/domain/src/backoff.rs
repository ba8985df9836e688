//! How long somebody who was wrong waits for the next try: nothing after slips, and then twice as long each time.

use std::time::Duration;

/// A wait that doubles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    /// How many wrong tries are slips.
    pub(crate) slips: i64,
    /// How long the try waits that follows the last slip. Each one more doubles it.
    pub(crate) first: Duration,
    /// How long one waits at most.
    pub(crate) most: Duration,
}

impl Backoff {
    /// How long the next try waits after so many wrong ones.
    pub(crate) fn wait(self, wrong: i64) -> Duration {
        let Ok(doublings) = u32::try_from(wrong.saturating_sub(self.slips)) else {
            return if wrong < self.slips { Duration::ZERO } else { self.most };
        };
        let wait = 2_u32.checked_pow(doublings).and_then(|times| self.first.checked_mul(times));
        wait.map_or(self.most, |wait| wait.min(self.most))
    }
}
