//! Commits whose answer is lost on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testkit::proxy::{Proxy, is_committed};

/// More commits than any command or start has.
pub(crate) const COMMITS_AT_MOST: u32 = 40;

/// Loses the answer of the commit with that number, or of all from there on, until the proxy is
/// disarmed.
pub(crate) fn lose_commits(proxy: &Proxy, number: u32, all_after: bool) -> Arc<AtomicBool> {
    let lost = Arc::new(AtomicBool::new(false));
    let (noted, mut count) = (Arc::clone(&lost), 0);
    proxy.cut_whenever(move |message| {
        count += u32::from(is_committed(message));
        let is_due = if all_after { count >= number } else { count == number };
        let cuts = is_committed(message) && is_due;
        noted.fetch_or(cuts, Ordering::SeqCst);
        cuts
    });
    lost
}

/// Tells whether a commit was lost: whether there were that many.
pub(crate) fn was_one_lost(lost: &AtomicBool) -> bool {
    lost.load(Ordering::SeqCst)
}
