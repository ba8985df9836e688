//! Threads that read, all from one line of jobs.

use super::connection::Link;
use super::failure::{Failure, Remedy};
use super::line::Line;
use super::transaction::{Purpose, Transaction};
use crate::backend::Reading;
use crate::fault::{Fault, FaultKind};
use crate::job::{End, Job};

/// The reads that wait for a thread.
#[derive(Default)]
pub(super) struct Reads(pub(super) Line<(Reading, Box<dyn Job>)>);

impl Reads {
    /// Takes the read in, or answers that it cannot be.
    pub(super) fn push(&self, reading: Reading, job: Box<dyn Job>) {
        if let Err((_, job)) = self.0.push((reading, job)) {
            let fault = Fault::new(FaultKind::Unavailable, "the store takes no more reads");
            job.finish(End::Failed(fault));
        }
    }
}

/// Serves the line until it is closed and empty.
pub(super) fn serve(reads: &Reads, link: &mut Link) {
    while let Some((reading, job)) = reads.0.take() {
        read(link, reading, job);
    }
    link.forget();
}

/// Runs the read, again where its connection or another server was lost: nothing can be done twice by reading.
fn read(link: &mut Link, reading: Reading, mut job: Box<dyn Job>) {
    let purpose = match reading {
        Reading::Points => Purpose::Points,
        Reading::Snapshot => Purpose::Snapshot,
    };
    for tries in 1.. {
        let mut transaction = match link.wire() {
            Ok(wire) => Transaction::new(wire, purpose),
            Err(failure) => return job.finish(End::Failed(failure.fault())),
        };
        job.run(&mut transaction);
        let remedy = transaction.failure().map_or(Remedy::Nothing, Failure::remedy);
        if tries >= remedy.tries_at_most() {
            // The caller need not wait for the end of the snapshot.
            job.finish(End::Committed);
            transaction.roll_back();
            return link.renew(remedy, tries);
        }
        transaction.roll_back();
        link.renew(remedy, tries);
    }
}
