//! The connection is lost at every message of a transaction: nothing is lost, nothing is done
//! twice, and only a commit whose answer is missing is called unknown.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use store::Batch;
use store::fault::WriteError;
use store::tx::Expect;

use crate::bench::{add_once, database, done, owner, store, write};
use testkit::proxy::{Message, Proxy, is_commit, is_committed};

/// More messages than any of these transactions has.
const MESSAGES_AT_MOST: usize = 200;

/// With an expectation to look at, the commit is sent alone; without, it travels with the rest.
const WAYS_TO_COMMIT: [Expect; 2] = [Expect::Rows(1), Expect::Any];

#[tokio::test]
async fn a_job_survives_a_cut_at_any_message() {
    for expect in WAYS_TO_COMMIT {
        let database = database();
        let proxy = Proxy::before(&database.url());
        let store = store(proxy.url(), Batch::AcrossOwners);
        let job = |id| write(&store, owner(1), move |tx| add_once(tx, owner(1), id, expect));
        job(0).await.unwrap();

        let mut unknown = 0;
        for cut_at in 1..MESSAGES_AT_MOST {
            let id = i64::try_from(cut_at).unwrap();
            let commit_seen = cut_before_message(&proxy, cut_at);
            let result = job(id).await;
            let is_over = proxy.disarm();
            match result {
                Ok(()) => {}
                Err(WriteError::Unknown) => {
                    let may_have_left = expect == Expect::Any || commit_seen.load(Ordering::SeqCst);
                    assert!(may_have_left, "unknown before the commit");
                    unknown += 1;
                    job(id).await.unwrap();
                }
                Err(error) => panic!("cut before message {cut_at}: {error:?}"),
            }
            assert_eq!(done(&database), id + 1, "cut before message {cut_at}");
            if is_over {
                assert!(unknown > 0, "no cut met the commit");
                store.close();
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_batch_survives_a_cut_at_any_message() {
    let database = database();
    let proxy = Proxy::before(&database.url());
    let store = store(proxy.url(), Batch::AcrossOwners);
    let job = |number: u8, id| {
        write(&store, owner(number), move |tx| add_once(tx, owner(number), id, Expect::Rows(1)))
    };
    for cut_at in (1..MESSAGES_AT_MOST).step_by(3) {
        let id = i64::try_from(cut_at).unwrap();
        cut_before_message(&proxy, cut_at);
        let before = done(&database);
        let results = join_all((0..6).map(|number| job(number, id))).await;
        let is_over = proxy.disarm();
        for (number, result) in (0..6).zip(results) {
            match result {
                Ok(()) => {}
                Err(WriteError::Unknown) => job(number, id).await.unwrap(),
                Err(error) => panic!("cut before message {cut_at}: {error:?}"),
            }
        }
        assert_eq!(done(&database), before + 6, "cut before message {cut_at}");
        if is_over {
            return store.close();
        }
    }
}

#[tokio::test]
async fn a_commit_that_never_left_and_one_that_was_not_answered_are_both_unknown() {
    unknown_after(is_commit, 0).await;
    unknown_after(is_committed, 1).await;
}

/// Cuts a job's connection, asserts that nobody knows how it ended, that it was applied so many
/// times, and that running it again makes it once.
async fn unknown_after(cut: impl Fn(&Message<'_>) -> bool + Send + 'static, applied: i64) {
    let database = database();
    let proxy = Proxy::before(&database.url());
    let store = store(proxy.url(), Batch::AcrossOwners);
    proxy.cut_when(cut);
    let job = || write(&store, owner(1), |tx| add_once(tx, owner(1), 7, Expect::Rows(1)));
    assert!(matches!(job().await, Err(WriteError::Unknown)));
    assert_eq!(done(&database), applied);
    job().await.unwrap();
    assert_eq!(done(&database), 1);
    store.close();
}

/// Cuts before the message with this number, from now on; answers whether a commit was sent by then.
fn cut_before_message(proxy: &Proxy, number: usize) -> Arc<AtomicBool> {
    let commit_seen = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&commit_seen);
    let mut count = 0;
    proxy.cut_when(move |message| {
        count += 1;
        seen.fetch_or(is_commit(message), Ordering::SeqCst);
        count == number
    });
    commit_seen
}
