//! What every engine must do alike: cases written once, run on each.
//!
//! `conformance!(open)` makes a test of every case, on the store that `open` makes for it;
//! `conformance_with_threads!` those in which one job waits for another.

mod basics;
mod order;
pub(crate) mod schema;
mod threads;

use std::any::Any;
use std::hash::{BuildHasher, RandomState};

use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::backend::Lane;
use crate::fault::{Fault, FaultKind, WriteError};
use crate::meter::Meter;
use crate::opening::OnFatal;
use crate::store::Store;
use crate::tx::Tx;

pub(crate) use basics::*;
pub(crate) use order::*;
pub(crate) use threads::*;

/// A test for every case that needs no threads.
macro_rules! conformance {
    ($open:path) => {
        $crate::conformance::cases!(
            $open;
            a_commit_is_seen_by_the_next_reader,
            a_fault_rolls_back_the_whole_job,
            a_refusal_is_a_value_and_commits,
            what_is_put_off_happens_in_order,
            an_unmet_expectation_rolls_back,
            a_panic_hurts_only_its_own_job,
            violated_constraints_are_distinguished,
            nothing_follows_a_failed_statement,
            a_swallowed_failure_is_not_committed,
            a_job_that_writes_rows_of_another_owner_fails,
            values_come_back_as_they_went_in,
            text_with_a_nul_is_refused,
            reads_cannot_write,
            the_meter_counts,
            a_closed_store_refuses_everything,
            a_write_answers_how_many_rows_it_wrote,
            who_does_without_its_owners_row_locks_in_the_order_of_all,
        );
    };
}

/// A test for every case in which jobs wait for one another.
macro_rules! conformance_with_threads {
    ($open:path) => {
        $crate::conformance::cases!(
            $open;
            concurrent_writes_add_up,
            a_snapshot_does_not_move,
            look_ups_go_on_beside_a_write,
            a_look_up_is_never_older_than_an_answered_commit,
            an_auth_look_up_is_never_older_than_an_answered_commit,
        );
    };
}

macro_rules! cases {
    ($open:path; $($case:ident),* $(,)?) => {
        $(
            #[test]
            fn $case() {
                let fixture = $open();
                $crate::conformance::$case(&fixture.store);
            }
        )*
    };
}

pub(crate) use {cases, conformance, conformance_with_threads};

/// A store to test, and what must outlive it.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) _keep: Box<dyn Any>,
}

/// A fatal error in a test is a failed test.
pub(crate) fn never_fatal() -> OnFatal {
    OnFatal::new(|reason| panic!("the store must not end here: {reason}"))
}

/// A folder for a database, gone with the test.
pub(crate) struct Folder(pub(crate) std::path::PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(format!("store-{:016x}", random()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clean.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A number that no other test has, in this process or another on the same database.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(0)
}

pub(crate) fn owner() -> OwnerId {
    let mut bytes = [0; 16];
    bytes[8..].copy_from_slice(&random().to_be_bytes());
    OwnerId::from_bytes(bytes)
}

pub(crate) fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// Waits for a future, as a caller on a thread of its own.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Writes in the completion lane and waits.
pub(crate) fn write<T: Send + 'static>(
    store: &Store,
    owner: OwnerId,
    job: impl Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
) -> Result<T, WriteError> {
    wait(store.write(&Meter::default(), Lane::Completion, owner, job))
}

/// Returns what the row of `owner` says, if there is one.
pub(crate) fn seen(store: &Store, owner: OwnerId) -> Option<i64> {
    wait(store.read(&Meter::default(), move |tx| schema::total(tx, owner))).unwrap()
}

/// The kind of the fault that a write must have ended with.
pub(crate) fn kind<T>(result: Result<T, WriteError>) -> FaultKind {
    match result {
        Err(WriteError::Fault(fault)) => fault.kind(),
        Err(other) => panic!("not a fault: {other:?}"),
        Ok(_) => panic!("not a fault but a commit"),
    }
}
