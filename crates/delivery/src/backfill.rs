//! What comes of a line that was cut short, once its slots are free: what else there is of it, read
//! for itself, since a look comes past it only when it has been past the rows of all others.

use domain::ids::OwnerId;
use store::fault::Fault;
use store::tx::Tx;
use store::{Meter, delivery_lines};

use crate::deliveries::Deliveries;
use crate::limits::{BACKLOG_PAUSE, PAGE_LEN, POLL_INTERVAL, WAITING_IN_A_LINE_MAX};
use crate::scheduler::{Candidate, Receiver};

/// How many lines are backfilled before a pause.
const LINES_MAX: usize = 16;

/// How much of a line is read: as much as it has room for.
const READ_MAX: usize = WAITING_IN_A_LINE_MAX;

impl Deliveries {
    /// Refills lines that were cut short, whenever one is nearly done.
    pub(crate) async fn run_backfill(&self) {
        loop {
            self.scheduler.backfill_requested().await;
            match self.backfill().await {
                // What is being kept may be found due once more, and is then read again once it has
                // been kept: of a long line not at once, or each attempt would bring about a reading.
                Ok(is_long) if is_long => (self.runtime.wait)(BACKLOG_PAUSE).await,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "the queue of a receiver could not be refilled");
                    (self.runtime.wait)(POLL_INTERVAL).await;
                }
            }
        }
    }

    /// Enqueues what is due of the lines to backfill. Answers whether that was more than a page.
    pub(crate) async fn backfill(&self) -> Result<bool, Fault> {
        let mut seen = 0;
        for _ in 0..LINES_MAX {
            let Some((owner, receiver)) = self.scheduler.next_backfill() else { break };
            match self.backfill_line(owner, &receiver).await {
                Ok(found) => seen += found,
                Err(fault) => {
                    self.scheduler.request_backfill(owner, &receiver);
                    return Err(fault);
                }
            }
        }
        Ok(seen > PAGE_LEN)
    }

    /// Answers how much of the line was due.
    async fn backfill_line(&self, owner: OwnerId, receiver: &Receiver) -> Result<usize, Fault> {
        let now = self.shared((self.runtime.now)());
        let to = Receiver::clone(receiver);
        let max = i64::try_from(READ_MAX).unwrap_or(i64::MAX);
        let scan = move |tx: &mut Tx<'_>| delivery_lines::scan(tx, owner, &to, now, max);
        let found = self.store.read(&Meter::default(), scan).await?;
        let seen = found.len();
        for id in found {
            let receiver = Receiver::clone(receiver);
            self.scheduler.add(Candidate { owner, id, receiver, written: None });
        }
        if seen == READ_MAX {
            self.scheduler.has_more(owner, receiver);
        }
        Ok(seen)
    }
}
