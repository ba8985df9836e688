//! What every engine must do alike: cases written once, run on each.
//!
//! `conformance!(open)` makes a test of every case, on the store that `open` makes for it. What has nothing to do with
//! the tables of this program is tested in `db`.

mod bank_tokens;
mod deliveries;
mod engines;
mod feed;
mod leases;
mod lines;
mod links;
mod listing;
mod locators;
mod notifications;
mod order;
mod passwords;
mod recent_calls;
mod redeliveries;
mod verification_leases;

use std::any::Any;
use std::hash::{BuildHasher, RandomState};

use domain::ids::{KeyId, OwnerId};
use domain::time::Timestamp;

use crate::fault::{Fault, FaultKind, WriteError};
use crate::sql::Sql;
use crate::tx::{Expect, Tx};
use crate::{Lane, Meter, OnFatal, Store};

pub(crate) use bank_tokens::*;
pub(crate) use deliveries::*;
pub(crate) use feed::*;
pub(crate) use leases::*;
pub(crate) use lines::*;
pub(crate) use links::*;
pub(crate) use listing::*;
pub(crate) use locators::*;
pub(crate) use notifications::*;
pub(crate) use passwords::*;
pub(crate) use recent_calls::*;
pub(crate) use redeliveries::*;
pub(crate) use verification_leases::*;

/// A test for every case.
macro_rules! conformance {
    ($open:path) => {
        $crate::conformance::cases!(
            $open;
            locators_belong_to_the_owner_that_came_first,
            a_hash_is_renewed_in_the_place_of_the_one_that_was_checked_alone,
            hashes_are_counted_by_their_cost,
            only_one_of_two_takes_a_lease,
            an_older_lease_changes_nothing,
            a_scan_goes_on_where_the_last_one_ended,
            an_unknown_subject_cannot_be_removed,
            movements_are_listed_by_day_the_newest_first,
            an_event_is_there_with_what_made_it_true_or_not_at_all,
            a_delivery_is_taken_by_one_and_ends_once,
            what_a_former_holder_of_a_delivery_reports_changes_nothing,
            a_delivery_that_is_given_back_is_as_if_nobody_had_taken_it,
            a_job_counts_in_slices_before_it_begins,
            a_job_goes_on_where_it_was_and_revives_each_once,
            a_job_has_what_failed_and_waits_begin_now,
            a_search_is_bounded_and_says_so,
            deliveries_are_taken_and_kept_together_as_if_one_by_one,
            attempts_that_are_kept_together_are_each_as_they_were,
            an_event_is_shown_at_one_place_whatever_comes_after_it,
            rounds_are_bounded_and_so_is_what_a_page_looks_at,
            what_begins_again_is_due_once_no_matter_who_wants_it,
            a_new_delivery_is_published_after_its_commit_and_nothing_else_is,
            what_was_reported_in_a_former_life_of_a_delivery_is_ignored,
            a_delivery_that_was_attempted_too_often_does_not_begin_again,
            a_report_is_ignored_of_a_lease_that_was_over_when_it_began_again,
            who_follows_an_attempt_up_keeps_the_delivery,
            each_range_of_lines_and_attempts_is_a_page,
            a_key_without_lines_has_an_empty_page,
            a_search_of_links_is_bounded_and_says_so,
            the_links_of_some_accounts_are_one_list,
            of_each_account_notices_are_listed_from_its_own_instant_on,
            no_statement_pays_a_failed_link,
            one_of_two_takes_a_verification_over,
            a_former_holder_of_a_verification_renews_nothing,
            a_verification_that_has_its_end_has_no_lease,
            one_of_two_takes_the_lease_of_a_token,
            a_token_is_kept_under_the_fence_of_its_holder_alone,
            a_token_goes_with_the_credentials_that_it_was_obtained_by,
            open_verifications_are_found_once_their_lease_is_over,
            a_scan_for_verifications_goes_on_where_the_last_one_ended,
            the_same_call_is_answered_by_what_was_confirmed_last,
            a_payers_check_answers_no_other_call,
            calls_are_forgotten_once_their_verification_is_old,
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

pub(crate) use {cases, conformance};

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

pub(crate) const KEY: KeyId = KeyId::from_bytes([7; 16]);

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

/// The kind of the fault that a write must have ended with.
pub(crate) fn kind<T>(result: Result<T, WriteError>) -> FaultKind {
    match result {
        Err(WriteError::Fault(fault)) => fault.kind(),
        Err(other) => panic!("not a fault: {other:?}"),
        Ok(_) => panic!("not a fault but a commit"),
    }
}
