//! A thread that writes: one connection, one batch after another.

use std::sync::Arc;
use std::{iter, slice, thread};

use super::connection::{Link, pause};
use super::failure::Failure;
use super::queue::Queue;
use super::settings::Batch;
use super::transaction::{Purpose, Transaction, TransactionOutcome};
use crate::fault::FaultKind;
use crate::job::{End, Job};
use crate::sql::Sql;

/// Serves the queue until it is closed and empty.
pub(super) fn serve(queue: &Arc<Queue>, link: &mut Link, batch: Batch, hold_owner: &'static Sql) {
    while let Some(jobs) = queue.take(batch) {
        work(link, jobs, hold_owner);
    }
    link.forget();
}

fn work(link: &mut Link, mut jobs: Vec<Box<dyn Job>>, hold_owner: &'static Sql) {
    // Without a server there is no use in trying for each of them.
    if let Err(failure) = link.wire() {
        return finish(jobs, || End::Failed(failure.fault()));
    }
    if jobs.len() > 1 {
        match together(link, &mut jobs, hold_owner) {
            Ok(TransactionOutcome::Committed) => return finish(jobs, || End::Committed),
            Ok(TransactionOutcome::Unknown) => {
                link.forget();
                return finish(jobs, || End::Unknown);
            }
            // Which job failed is not known, and there are no savepoints to show it: they would
            // cost a round trip each.
            Ok(TransactionOutcome::Failed(failure)) => link.renew(failure.remedy(), 1),
            Err(failure) => return finish(jobs, || End::Failed(failure.fault())),
        }
    }
    let mut rest = jobs.into_iter();
    while let Some(mut job) = rest.next() {
        match alone(link, &mut job, hold_owner) {
            Ok(end) => job.finish(end),
            // Each of the others would try for as long.
            Err(failure) => {
                return finish(iter::once(job).chain(rest), || End::Failed(failure.fault()));
            }
        }
    }
}

fn finish(jobs: impl IntoIterator<Item = Box<dyn Job>>, end: impl Fn() -> End) {
    for job in jobs {
        job.finish(end());
    }
}

/// Runs the jobs in one transaction, which commits only if every one of them wants to.
///
/// # Errors
/// As [`run`].
fn together(
    link: &mut Link,
    jobs: &mut [Box<dyn Job>],
    hold_owner: &'static Sql,
) -> Result<TransactionOutcome, Failure> {
    run(link, |transaction| {
        jobs.chunk_by_mut(|one, other| one.owner() == other.owner()).all(|part| {
            hold(transaction, part, hold_owner);
            part.iter_mut().all(|job| job.run(transaction))
        })
    })
}

/// Locks the row of the owner whose jobs these are before any of them runs, unless none of them is to hold it: it
/// is the first in the order of locks. The statement travels with the first one that waits.
fn hold(transaction: &mut Transaction<'_>, part: &[Box<dyn Job>], hold_owner: &'static Sql) {
    let owner = part.iter().find(|job| job.holds_owner()).and_then(|job| job.owner());
    if let Some(owner) = owner {
        transaction.defer_any(hold_owner, vec![owner.into()]);
    }
}

/// Runs the job in a transaction of its own, as often as it takes and the limit allows.
///
/// # Errors
/// As [`run`].
fn alone(
    link: &mut Link,
    job: &mut Box<dyn Job>,
    hold_owner: &'static Sql,
) -> Result<End, Failure> {
    let mut tries = 1;
    loop {
        let outcome = run(link, |transaction| {
            hold(transaction, slice::from_ref(job), hold_owner);
            job.run(transaction)
        });
        match outcome? {
            TransactionOutcome::Committed => return Ok(End::Committed),
            TransactionOutcome::Unknown => {
                link.forget();
                return Ok(End::Unknown);
            }
            TransactionOutcome::Failed(failure) => {
                let remedy = failure.remedy();
                link.renew(remedy, tries);
                if tries >= remedy.tries_at_most() {
                    return Ok(End::Failed(failure.fault()));
                }
                if remedy.is_patient() {
                    thread::sleep(pause(tries));
                }
            }
        }
        tries += 1;
    }
}

/// Does the work in a transaction.
///
/// # Errors
/// The connection cannot be made, after several tries.
fn run(
    link: &mut Link,
    work: impl FnOnce(&mut Transaction<'_>) -> bool,
) -> Result<TransactionOutcome, Failure> {
    let mut transaction = Transaction::new(link.wire()?, Purpose::Write);
    if work(&mut transaction) {
        return Ok(transaction.commit());
    }
    transaction.roll_back();
    // A job that gave up by itself answers its own fault, whatever is said here.
    let own = || Failure::new(FaultKind::Broken, "a job asked for a rollback");
    Ok(TransactionOutcome::Failed(transaction.failure().cloned().unwrap_or_else(own)))
}
