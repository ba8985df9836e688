//! What comes to wait for its turn: what is handed over by the transaction that wrote it, and what is
//! found by looking.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::receiver;
use futures_util::future::{join, select};
use store::Meter;
use store::deliveries::{self, Found, NewDelivery};
use store::due::Due;
use store::fault::Fault;
use store::one_by_one::{self, Reach};
use store::tx::Tx;
use tokio::sync::mpsc;

use crate::clock_ahead::Watch;
use crate::deliveries::Deliveries;
use crate::limits::{BACKLOG_PAUSE, HANDED_MAX, PAGE_LEN, POLL_INTERVAL};
use crate::scheduler::Candidate;

/// How many pages of what has become due one look reads.
pub(crate) const PAGES_MAX: usize = 20;

/// How many pages it reads of what was passed over.
pub(crate) const PAGES_BEHIND: usize = 4;

/// How far a look goes back behind the one before: a row may be committed a while after the instant
/// from which it is due, by another node with another clock.
pub(crate) const OVERLAP: Duration = Duration::from_secs(5);

/// The longest body that waits in memory for its turn, in bytes; what is longer is read when it is taken.
const BODY_WAITING_MAX: usize = 4 * 1024;

/// How far those who look have come. What has no room to wait is passed over; it is reached again
/// from behind, page by page, while what becomes due from now on is looked at first.
#[derive(Debug, Default)]
pub(crate) struct Cursors {
    /// In what becomes due.
    front: Option<Due>,
    /// Whether there is more of it than was looked at.
    pub(crate) has_more_in_front: bool,
    /// In what was due before that.
    behind: Option<Due>,
    /// For a clock that is set back.
    watch: Watch,
}

impl Deliveries {
    /// Begins deliveries until `stop` comes. Attempts that have begun go on by themselves, to their ends. What was only
    /// claimed is given back.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let fresh = self.store.subscribe::<NewDelivery>(HANDED_MAX);
        let looking = join(self.poll(), self.run_backfill());
        let work = async {
            // Before anything is taken.
            self.compare_clocks().await;
            join(self.begin_in_turn(fresh), looking).await
        };
        select(pin!(stop), pin!(work)).await;
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Begins whatever has its turn, whenever anything comes or a slot is free.
    async fn begin_in_turn(self: &Arc<Self>, mut fresh: mpsc::Receiver<NewDelivery>) {
        let mut handed = Vec::new();
        loop {
            self.begin_all();
            let more = async {
                // Without anybody to hand anything over, none comes.
                if fresh.recv_many(&mut handed, HANDED_MAX).await == 0 {
                    std::future::pending::<()>().await;
                }
            };
            select(pin!(more), pin!(self.scheduler.moved())).await;
            let now = self.shared((self.runtime.now)());
            for fresh in handed.drain(..).filter(|fresh| fresh.delivery.created_at <= now) {
                let (owner, id) = (fresh.owner, fresh.delivery.event.id);
                let receiver = receiver(&fresh.delivery.event.url).into();
                let is_short = fresh.delivery.event.body.len() <= BODY_WAITING_MAX;
                let written = is_short.then_some(fresh);
                self.scheduler.add(Candidate { owner, id, receiver, written });
            }
        }
    }

    async fn poll(self: &Arc<Self>) {
        let mut cursors = Cursors::default();
        loop {
            let is_long = self.look(&mut cursors).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "due deliveries could not be read");
                false
            });
            if is_long {
                (self.runtime.wait)(BACKLOG_PAUSE).await;
            }
            if cursors.has_more_in_front {
                continue;
            }
            // A ring while nobody waits for it is kept for the next that does.
            let bell = pin!(self.bell.notified());
            select(bell, (self.runtime.wait)(POLL_INTERVAL)).await;
        }
    }

    /// Enqueues newly due deliveries, then a few pages of the backlog. Answers whether that was more than a page.
    pub(crate) async fn look(&self, cursors: &mut Cursors) -> Result<bool, Fault> {
        self.compare_clocks().await;
        let horizon = self.shared((self.runtime.now)());
        let all = self.look_over_all(cursors, horizon);
        let reached = one_by_one::reach(&self.store, "deliveries", horizon, all).await?;
        Ok(match reached {
            Reach::All(is_long) => is_long,
            Reach::OneByOne(owners) => {
                cursors.has_more_in_front = false;
                self.look_one_by_one(owners, horizon).await
            }
        })
    }

    /// Enqueues what is due of each of these owners, since not all can be reached. Answers whether that was more than a
    /// page.
    async fn look_one_by_one(&self, owners: Vec<OwnerId>, horizon: Timestamp) -> bool {
        let mut seen = 0;
        for owner in owners {
            let scan = move |tx: &mut Tx<'_>| one_by_one::deliveries(tx, owner, horizon);
            match self.store.read(&Meter::default(), scan).await {
                Ok(found) => {
                    seen += found.len();
                    found.into_iter().for_each(|found| self.enqueue(found));
                }
                Err(fault) => one_by_one::note_silence(&self.store, owner, &fault, horizon),
            }
        }
        seen > PAGE_LEN
    }

    async fn look_over_all(
        &self,
        cursors: &mut Cursors,
        horizon: Timestamp,
    ) -> Result<bool, Fault> {
        self.reschedule_far_ahead(&mut cursors.watch, horizon).await;
        // A clock that was set back has come too far.
        cursors.front = cursors.front.filter(|front| front.due_at <= horizon);
        // Where the look fails, it is followed by the usual wait.
        cursors.has_more_in_front = false;
        let (front, is_at_its_end) = self.pages(horizon, &mut cursors.front, PAGES_MAX).await?;
        let before = horizon.minus(OVERLAP);
        cursors.has_more_in_front = !is_at_its_end;
        if is_at_its_end {
            let (owner, subject) = (OwnerId::from_bytes([0; 16]), [0; 16]);
            cursors.front = Some(Due { owner, subject, due_at: before });
        }
        let (behind, is_at_its_end) = self.pages(before, &mut cursors.behind, PAGES_BEHIND).await?;
        if is_at_its_end {
            cursors.behind = None;
        }
        Ok(front + behind > PAGE_LEN)
    }

    /// Reads so many pages behind `at` of what is due by then. Answers how much there was, and whether
    /// that was all.
    async fn pages(
        &self,
        horizon: Timestamp,
        at: &mut Option<Due>,
        max: usize,
    ) -> Result<(usize, bool), Fault> {
        let mut seen = 0;
        for _ in 0..max {
            let after = *at;
            let scan = move |tx: &mut Tx<'_>| deliveries::scan(tx, horizon, after);
            let found = self.store.read(&Meter::default(), scan).await?;
            seen += found.len();
            let is_last = found.len() < PAGE_LEN;
            for found in found {
                *at = Some(found.due);
                self.enqueue(found);
            }
            if is_last {
                return Ok((seen, true));
            }
        }
        Ok((seen, false))
    }

    /// Enqueues a delivery that was found, unless it waits already.
    fn enqueue(&self, Found { due, receiver }: Found) {
        let (id, receiver) = (EventId::from_bytes(due.subject), receiver.into());
        self.scheduler.add(Candidate { owner: due.owner, id, receiver, written: None });
    }
}
