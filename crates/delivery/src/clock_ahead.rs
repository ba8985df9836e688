//! What was put off while the clock was ahead. Once the clock is set right, it would wait for as long as that was:
//! a retry of ten seconds for hours, what a process that ended then had taken for ever.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::ids::OwnerId;
use domain::time::{SKEW_MAX, Timestamp};
use domain::webhooks::is_put_off_too_far;
use store::deliveries_ahead::{self, Waiting};
use store::due::{self, Due, Kind};
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::deliveries::Deliveries;
use crate::limits::{LEASE, PAGE_LEN};

/// How often is looked for what lies too far ahead, though this node's clock was not set back: another's may have
/// been, whose process has ended.
const RESCAN_INTERVAL: Duration = Duration::from_secs(10 * 60);

/// How many pages one pass looks through at most, since the caller has other work that cannot wait long; the next
/// look goes on where this one has come to.
pub(crate) const PASS_PAGES_MAX: usize = 4;

/// When was last looked, and how far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The instant of the latest look at what is due.
    seen_at: Option<Timestamp>,
    /// That at which what lies ahead was last begun to be looked through.
    looked_at: Option<Timestamp>,
    /// Where that has come to, if it is not at its end.
    scan: Option<Scan>,
}

/// Scan of what lies ahead, page by page.
#[derive(Clone, Copy, Debug)]
struct Scan {
    after: Due,
    /// Whether this node's clock was set back before.
    was_set_back: bool,
}

impl Deliveries {
    /// Makes due everything that was put off while the clock was ahead: at the first look, whenever the clock was set
    /// back since the look before, and now and then. What cannot be read is logged and tried again at the next look: it
    /// keeps nothing else from being sent.
    pub(crate) async fn reschedule_far_ahead(&self, watch: &mut Watch, now: Timestamp) {
        let was_set_back = watch.seen_at.is_none_or(|seen_at| now.plus(SKEW_MAX) < seen_at);
        let is_time = watch.looked_at.is_none_or(|at| now < at || at.plus(RESCAN_INTERVAL) <= now);
        if was_set_back || (is_time && watch.scan.is_none()) {
            watch.scan = Some(Scan { after: due::behind(now), was_set_back });
            watch.looked_at = Some(now);
        }
        watch.seen_at = Some(now);
        let Some(scan) = &mut watch.scan else { return };
        match self.reschedule_pages(scan, now).await {
            Ok(true) => watch.scan = None,
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, "waiting deliveries could not be searched for due times too far ahead");
            }
        }
    }

    /// Goes on for a few pages; answers whether that was all.
    async fn reschedule_pages(&self, scan: &mut Scan, now: Timestamp) -> Result<bool, Fault> {
        let (mut is_all, mut rescheduled) = (false, 0);
        for _ in 0..PASS_PAGES_MAX {
            let after = scan.after;
            let read = move |tx: &mut Tx<'_>| deliveries_ahead::scan(tx, after);
            let found = self.store.read(&Meter::default(), read).await?;
            is_all = found.len() < PAGE_LEN;
            scan.after = found.last().map_or(after, |last| last.due);
            let mut owners = BTreeMap::<OwnerId, Vec<Waiting>>::new();
            for waiting in found {
                if lies_too_far(&waiting, now, scan.was_set_back) {
                    owners.entry(waiting.due.owner).or_default().push(waiting);
                }
            }
            for (owner, rows) in owners {
                rescheduled += rows.len();
                self.reschedule(owner, rows, now).await;
            }
            if is_all {
                break;
            }
        }
        if rescheduled > 0 {
            tracing::warn!(
                rescheduled,
                "deliveries rescheduled: their due time was written by a clock that was ahead"
            );
        }
        Ok(is_all)
    }

    /// Makes an owner's rows due: at once where nobody has claimed them, else when another lease would be over.
    async fn reschedule(&self, owner: OwnerId, mut rows: Vec<Waiting>, now: Timestamp) {
        // Rows are locked in one order on every node.
        rows.sort_by_key(|waiting| waiting.due.subject);
        let reschedule = move |tx: &mut Tx<'_>| {
            for waiting in &rows {
                let due_at = if waiting.is_free() { now } else { now.plus(LEASE) };
                let subject = waiting.due.subject;
                due::postpone(tx, owner, Kind::Delivery, subject, waiting.lease, due_at)?;
            }
            Ok(())
        };
        let written = self.store.write(&Meter::default(), Lane::Claiming, owner, reschedule).await;
        if let Err(error) = written {
            tracing::warn!(%owner, ?error, "deliveries with a due time too far ahead could not be rescheduled");
        }
    }
}

fn lies_too_far(waiting: &Waiting, now: Timestamp, was_set_back: bool) -> bool {
    let due_at = waiting.due.due_at;
    if !waiting.is_free() {
        return due_at.is_beyond(now, LEASE);
    }
    // Of another node, whose own clock it began by, the attempt says nothing.
    let attempted_at = waiting.attempted_at.filter(|_| was_set_back);
    is_put_off_too_far(due_at, waiting.step, attempted_at, now)
}
