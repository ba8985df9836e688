use std::sync::Arc;

use super::*;
use crate::job::Closure;
use crate::writes::Writes;

/// A job of this owner that does nothing; its owner is all that identifies it.
fn job(number: u8) -> Box<dyn Job> {
    job_of(Lane::Admission, number)
}

fn job_of(lane: Lane, number: u8) -> Box<dyn Job> {
    let without_owner = (!lane.holds_owner()).then_some(&[][..]);
    let writes = Writes { owner: OwnerId::from_bytes([number; 16]), without_owner };
    Box::new(Closure::<(), _>::new(Some(writes), &Arc::default(), |_| Ok(())).0)
}

fn filled(jobs: &[(Lane, u8)]) -> Queue {
    let queue = Queue::default();
    for (lane, number) in jobs {
        queue.push(*lane, job_of(*lane, *number)).unwrap();
    }
    queue
}

fn take(queue: &Queue, batch: Batch) -> Option<Vec<u8>> {
    let first_byte = |job: Box<dyn Job>| job.owner().map_or(0, |owner| owner.to_bytes()[0]);
    queue.take(batch).map(|jobs| jobs.into_iter().map(first_byte).collect())
}

#[test]
fn completions_come_first_and_owners_in_order() {
    let mut jobs = vec![(Lane::Admission, 1); BATCH_AT_MOST];
    jobs.extend([(Lane::Completion, 9), (Lane::Completion, 0)]);
    let batch = take(&filled(&jobs), Batch::AcrossOwners).unwrap();
    assert_eq!(batch.len(), BATCH_AT_MOST);
    assert!(batch.is_sorted() && batch[0] == 0 && batch[BATCH_AT_MOST - 1] == 9);
}

#[test]
fn a_batch_per_owner_leaves_the_others_in_their_places() {
    let lanes = [1, 2, 1, 3, 2].map(|number| (Lane::Admission, number));
    let queue = filled(&lanes);
    queue.close();
    let mut batches = Vec::new();
    while let Some(batch) = take(&queue, Batch::PerOwner) {
        batches.push(batch);
    }
    assert_eq!(batches, [vec![1, 1], vec![2, 2], vec![3]]);
}

/// Each locks its rows in one order, and two of them together would not.
#[test]
fn of_jobs_that_do_without_the_owners_row_a_batch_has_one_for_each_owner() {
    for batch in [Batch::AcrossOwners, Batch::PerOwner] {
        let queue = filled(&[1, 1, 1].map(|number| (Lane::Recording, number)));
        for _ in 0..3 {
            assert_eq!(take(&queue, batch), Some(vec![1]));
        }
    }
    let jobs =
        [(Lane::Recording, 2), (Lane::Recording, 2), (Lane::Recording, 1), (Lane::Admission, 2)];
    let queue = filled(&jobs);
    assert_eq!(take(&queue, Batch::AcrossOwners), Some(vec![1, 2, 2]));
    assert_eq!(take(&queue, Batch::AcrossOwners), Some(vec![2]));
}

#[test]
fn maintenance_has_every_other_turn_and_goes_alone() {
    let queue = filled(&[(Lane::Maintenance, 7), (Lane::Maintenance, 8), (Lane::Admission, 1)]);
    assert_eq!(take(&queue, Batch::AcrossOwners), Some(vec![1]));
    queue.push(Lane::Admission, job(2)).unwrap();
    assert_eq!(take(&queue, Batch::AcrossOwners), Some(vec![7]));
    assert_eq!(take(&queue, Batch::AcrossOwners), Some(vec![2]));
    assert_eq!(take(&queue, Batch::AcrossOwners), Some(vec![8]));
}

#[test]
fn new_work_is_refused_where_too_much_waits_and_completions_never() {
    let queue = filled(&[(Lane::Admission, 1); ADMISSIONS_AT_MOST]);
    assert!(matches!(queue.push(Lane::Admission, job(1)), Err(WriteError::Busy)));
    queue.push(Lane::Completion, job(1)).unwrap();
    let mut metrics = Metrics::default();
    queue.count(&mut metrics);
    assert_eq!((metrics.admission, metrics.completion), (ADMISSIONS_AT_MOST as u64, 1));
}

#[test]
fn a_closed_queue_is_emptied_and_takes_nothing_in() {
    let queue = filled(&[(Lane::Admission, 1)]);
    queue.close();
    assert!(matches!(queue.push(Lane::Completion, job(2)), Err(WriteError::Fault(_))));
    assert_eq!(take(&queue, Batch::Off), Some(vec![1]));
    assert_eq!(take(&queue, Batch::Off), None);
}
