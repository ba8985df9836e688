//! A thread that writes: one connection, one batch after another.

use std::collections::VecDeque;
use std::sync::Arc;
use std::{slice, thread};

use super::connection::{Link, pause};
use super::failure::{Failure, Remedy};
use super::queue::Queue;
use super::settings::Batch;
use super::transaction::{Outcome, Purpose, Transaction};
use crate::fault::FaultKind;
use crate::job::{End, Job};
use crate::opening::Asked;
use crate::owners;
use crate::value::Row;

/// How often a job is run before its failure is its answer.
pub(super) const TRIES_AT_MOST: u32 = 5;

/// Serves the queue until it is closed and empty.
pub(super) fn serve(queue: &Arc<Queue>, link: &mut Link, batch: Batch) {
    while let Some(jobs) = queue.take(batch) {
        work(link, jobs);
    }
    link.forget();
}

fn work(link: &mut Link, mut jobs: Vec<Box<dyn Job>>) {
    // Without a server there is no use in trying for each of them.
    if let Err(failure) = link.wire() {
        return finish(jobs, || End::Failed(failure.fault()));
    }
    if jobs.len() > 1 {
        match together(link, &mut jobs) {
            Outcome::Committed => return finish(jobs, || End::Committed),
            Outcome::Unknown => {
                link.forget();
                return finish(jobs, || End::Unknown);
            }
            // Whose fault it was is not known, and there are no savepoints to tell: they would
            // cost a round trip each.
            Outcome::Failed(failure) => renew(link, &failure),
        }
    }
    for mut job in jobs {
        let end = alone(link, &mut job);
        job.finish(end);
    }
}

fn finish(jobs: Vec<Box<dyn Job>>, end: impl Fn() -> End) {
    for job in jobs {
        job.finish(end());
    }
}

/// Runs the jobs in one transaction, which commits only if every one of them wants to.
fn together(link: &mut Link, jobs: &mut [Box<dyn Job>]) -> Outcome {
    run(link, |transaction| {
        let mut opened = VecDeque::new();
        jobs.chunk_by_mut(|one, other| one.owner() == other.owner()).all(|part| {
            hold_owner(transaction, part);
            (0..part.len()).all(|at| {
                if opened.is_empty() {
                    opened = open(transaction, &part[at..]);
                }
                part[at].run(transaction, opened.pop_front())
            })
        })
    })
}

/// Has the row of the owner whose jobs these are held before any of them runs, unless all of them do without: it
/// is the first of the order of locks. It travels with what is waited for next.
fn hold_owner(transaction: &mut Transaction<'_>, part: &[Box<dyn Job>]) {
    let owner = part.iter().find(|job| job.holds_owner()).and_then(|job| job.owner());
    if let Some(owner) = owner {
        let (sql, params) = owners::hold(owner);
        transaction.put_off_behind_all(sql, params.into());
    }
}

/// Asks at once what the first of these jobs of one owner begin with, as many of them as may be asked before any
/// of them has done more; answers for each. Nothing where that is one, which asks by itself, and nothing where it failed: then the
/// transaction has failed, as the job will hear.
fn open(transaction: &mut Transaction<'_>, jobs: &[Box<dyn Job>]) -> VecDeque<Vec<Vec<Row>>> {
    let mut asked: Vec<&Asked> = Vec::new();
    for opening in jobs.iter().map_while(|job| job.opening()) {
        if !opening.may_follow(&asked) {
            break;
        }
        asked.push(opening);
    }
    if asked.len() < 2 {
        return VecDeque::new();
    }
    let each: Vec<_> = asked.iter().map(|opening| opening.statements()).collect();
    let Ok(answers) = transaction.send(&each.concat()) else {
        return VecDeque::new();
    };
    let mut answers = answers.into_iter();
    each.iter().map(|own| answers.by_ref().take(own.len()).collect()).collect()
}

/// Runs the job in a transaction of its own, as often as it takes and the limit allows.
fn alone(link: &mut Link, job: &mut Box<dyn Job>) -> End {
    let mut tries = 1;
    loop {
        let outcome = run(link, |transaction| {
            hold_owner(transaction, slice::from_ref(job));
            job.run(transaction, None)
        });
        match outcome {
            Outcome::Committed => return End::Committed,
            Outcome::Unknown => {
                link.forget();
                return End::Unknown;
            }
            Outcome::Failed(failure) => {
                renew(link, &failure);
                if failure.remedy() == Remedy::Nothing || tries == TRIES_AT_MOST {
                    return End::Failed(failure.fault());
                }
            }
        }
        thread::sleep(pause(tries));
        tries += 1;
    }
}

fn run(link: &mut Link, work: impl FnOnce(&mut Transaction<'_>) -> bool) -> Outcome {
    let mut transaction = match link.wire() {
        Ok(wire) => Transaction::new(wire, Purpose::Write),
        Err(failure) => return Outcome::Failed(failure),
    };
    if work(&mut transaction) {
        return transaction.commit();
    }
    transaction.roll_back();
    // A job that gave up by itself answers its own fault, whatever is said here.
    let own = || Failure::new(FaultKind::Broken, "a job did not want to commit");
    Outcome::Failed(transaction.failure().cloned().unwrap_or_else(own))
}

fn renew(link: &mut Link, failure: &Failure) {
    if failure.remedy() == Remedy::Reconnect {
        link.forget();
    }
}
