//! Which jobs share a transaction, and that none of them suffers by it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use domain::ids::OwnerId;
use futures_util::future::{join, join_all};
use store::fault::{Fault, FaultKind, WriteError};
use store::sql::Sql;
use store::tx::{Expect, Tx};
use store::{Batch, Store};
use testkit::postgres::Database;
use testkit::proxy::{Proxy, Way, is_committed};

use crate::bench::{add_once, database, done, owner, store, write};

/// An insert that is run for several rows at once.
static MARK: Sql = Sql::new("insert into marks (owner_id, id) values ($1, $2)").multi_row_insert();

const TRANSACTIONS: &str = "select count(distinct xmin::text) from marks where id > 0";

#[tokio::test]
async fn the_setting_says_which_jobs_share_a_transaction() {
    for (batch, transactions) in [(Batch::AcrossOwners, 1), (Batch::PerOwner, 2), (Batch::Off, 4)] {
        let database = database();
        let store = store(&database.url(), batch);
        let jobs =
            [(1, 1), (2, 1), (1, 2), (2, 2)].map(|(number, id)| (number, (id, Expect::Rows(1))));
        for result in behind_a_slow_job(&store, &jobs, add).await {
            result.unwrap();
        }
        assert_eq!(done(&database), 5);
        assert_eq!(database.number(TRANSACTIONS), transactions, "{batch:?}");
        store.close();
    }
}

#[tokio::test]
async fn a_job_that_fails_takes_nobody_with_it() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    // The one in the middle expects what cannot be.
    let jobs = [(1, (1, Expect::Rows(1))), (2, (2, Expect::Rows(9))), (3, (3, Expect::Any))];
    let results = behind_a_slow_job(&store, &jobs, add).await;
    assert!(results[0].is_ok() && results[2].is_ok());
    let Err(WriteError::Fault(fault)) = &results[1] else { panic!("{:?}", results[1]) };
    assert_eq!(fault.kind(), FaultKind::Broken);
    assert_eq!(done(&database), 3);
    assert_eq!(marked(&database, 2), 0);
    store.close();
}

#[tokio::test]
async fn a_job_that_panics_or_swallows_a_fault_leaves_nothing() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    let panicked: Result<(), _> = write(&store, owner(1), |tx| {
        add_once(tx, owner(1), 1, Expect::Rows(1))?;
        panic!("on purpose")
    })
    .await;
    let Err(WriteError::Fault(fault)) = panicked else { panic!("not a fault") };
    assert_eq!(fault.kind(), FaultKind::Panicked);
    let swallowed = write(&store, owner(1), |tx| {
        add_once(tx, owner(1), 2, Expect::Rows(9))?;
        // The unmet expectation shows here, and the job does not care.
        drop(add_once(tx, owner(1), 3, Expect::Any));
        Ok(())
    });
    let Err(WriteError::Fault(fault)) = swallowed.await else { panic!("not a fault") };
    assert_eq!(fault.kind(), FaultKind::Broken);
    assert_eq!(done(&database), 0);
    store.close();
}

#[tokio::test]
async fn duplicate_row_does_not_fail_the_batch_insert() {
    let database = database();
    let proxy = Proxy::before(&database.url());
    let store = store(proxy.url(), Batch::AcrossOwners);
    let mark = |tx: &mut Tx<'_>, owner: OwnerId, id: i64| {
        tx.defer(&MARK, [owner.into(), id.into()], Expect::Any)
    };
    // The first batch prepares the statement, so that the second sends nothing but what it runs.
    let first = [(1, 1), (1, 2), (1, 3), (1, 4)];
    behind_a_slow_job(&store, &first, mark).await.into_iter().for_each(Result::unwrap);
    let run = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&run);
    proxy.cut_when(move |message| {
        let is_execute = message.way == Way::ToServer && message.kind == b'E';
        counted.fetch_add(usize::from(is_execute), Ordering::SeqCst);
        false
    });
    let second = [(1, 5), (1, 6), (1, 7), (1, 8)];
    behind_a_slow_job(&store, &second, mark).await.into_iter().for_each(Result::unwrap);
    proxy.disarm();
    // For the slow job and for the batch: begin, the owner's row, one statement, commit.
    assert_eq!(run.load(Ordering::SeqCst), 2 * 4);
    assert_eq!(database.number("select count(*) from marks where id > 0"), 8);

    let third = [(1, 9), (1, 4), (1, 10), (1, 11)];
    let mut results = behind_a_slow_job(&store, &third, mark).await;
    let Err(WriteError::Fault(fault)) = results.remove(1) else { panic!("it was there already") };
    assert_eq!(fault.kind(), FaultKind::Constraint);
    results.into_iter().for_each(Result::unwrap);
    assert_eq!(database.number("select count(*) from marks where id > 0"), 11);
    store.close();
}

#[tokio::test]
async fn a_batch_whose_connection_cannot_be_made_again_fails_as_one() {
    let database = database();
    let proxy = Proxy::before(&database.url());
    let store = store(proxy.url(), Batch::AcrossOwners);
    let connects = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connects);
    let mut is_over = false;
    // Once the slow job is done, nothing gets through to the server.
    proxy.cut_whenever(move |message| {
        let cuts = is_over && message.way == Way::ToServer;
        is_over |= is_committed(message);
        // The first message of a client has no type.
        counted.fetch_add(usize::from(cuts && message.kind == 0), Ordering::SeqCst);
        cuts
    });
    let jobs = [1, 2, 3].map(|number| (number, (1, Expect::Rows(1))));
    for result in behind_a_slow_job(&store, &jobs, add).await {
        let Err(WriteError::Fault(fault)) = &result else { panic!("{result:?}") };
        assert_eq!(fault.kind(), FaultKind::Unavailable);
    }
    assert_eq!(connects.load(Ordering::SeqCst), 5, "the tries of one connection");
    proxy.disarm();
    store.close();
}

fn add(tx: &mut Tx<'_>, owner: OwnerId, (id, expect): (i64, Expect)) -> Result<(), Fault> {
    add_once(tx, owner, id, expect)
}

/// Runs the owners' jobs so that all of them wait while another one runs.
async fn behind_a_slow_job<J: Copy + Send + 'static>(
    store: &Store,
    jobs: &[(u8, J)],
    run: fn(&mut Tx<'_>, OwnerId, J) -> Result<(), Fault>,
) -> Vec<Result<(), WriteError>> {
    let (began, has_begun) = tokio::sync::oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let gate = Mutex::new(Some((began, released)));
    let slow = write(store, owner(9), move |tx| {
        if let Some((began, released)) = gate.lock().unwrap().take() {
            began.send(()).unwrap();
            released.recv().map_err(|_| Fault::broken("nobody let the slow job go"))?;
        }
        add_once(tx, owner(9), 0, Expect::Rows(1))
    });
    let others = async {
        has_begun.await.unwrap();
        let jobs = jobs.iter().map(|&(number, job)| {
            write(store, owner(number), move |tx| run(tx, owner(number), job))
        });
        // The futures hand their jobs in when first polled, in this order, and then this one.
        let let_go = async { release.send(()).unwrap() };
        join(join_all(jobs), let_go).await.0
    };
    let (slow, results) = join(slow, others).await;
    slow.unwrap();
    results
}

fn marked(database: &Database, id: i64) -> i64 {
    database.number(&format!("select count(*) from marks where id = {id}"))
}
