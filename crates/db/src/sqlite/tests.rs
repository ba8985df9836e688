//! SQLite on a file: the common cases, and the failures that only it knows.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::Duration;

use domain::ids::OwnerId;
use futures_util::FutureExt;
use futures_util::future::{join, join_all};
use rusqlite::Connection;

use super::*;
use crate::conformance::schema::{SCHEMA, add, insert};
use crate::conformance::{
    Fixture, Folder, at, conformance, conformance_with_threads, kind, never_fatal, owner, seen,
    wait, write,
};
use crate::fault::{Fault, FaultKind};
use crate::meter::Meter;
use crate::migrate::MigrateError;
use crate::opening::OnFatal;
use crate::options::{Engine, Options};
use crate::sql::Sql;
use crate::store::Store;
use crate::tx::{Expect, Tx};
use crate::value::Value;

fn open_in(folder: &Folder) -> Result<Store, OpenError> {
    open_as(&settings(folder), never_fatal())
}

fn settings(folder: &Folder) -> Settings {
    Settings { read_limit: Duration::from_secs(60), ..Settings::new(folder.0.join("store.db")) }
}

fn open_as(settings: &Settings, on_fatal: OnFatal) -> Result<Store, OpenError> {
    let engine = Engine::Sqlite(settings.clone());
    Store::open(&SCHEMA, &Options { engine, now: at(1), on_fatal })
}

fn file() -> Fixture {
    let folder = Folder::new();
    Fixture { store: open_in(&folder).unwrap(), _keep: Box::new(folder) }
}

conformance!(file);
conformance_with_threads!(file);

/// Keeps the writer busy until the gate is opened, so that what is submitted meanwhile forms one
/// batch.
struct Gate {
    open: mpsc::Sender<()>,
    holder: thread::JoinHandle<()>,
}

impl Gate {
    fn shut(store: &Store) -> Self {
        let (held, is_held) = mpsc::channel();
        let (open, is_open) = mpsc::channel();
        let (store, owner) = (store.clone(), owner());
        let holder = thread::spawn(move || {
            write(&store, owner, move |_| {
                held.send(()).unwrap();
                is_open.recv().unwrap();
                Ok(())
            })
            .unwrap();
        });
        is_held.recv().unwrap();
        Self { open, holder }
    }

    fn open(self) {
        self.open.send(()).unwrap();
        self.holder.join().unwrap();
    }
}

/// A write of one owner's rows.
type Work = (OwnerId, Box<dyn Fn(&mut Tx<'_>) -> Result<(), Fault> + Send>);

fn work(owner: OwnerId, job: impl Fn(&mut Tx<'_>) -> Result<(), Fault> + Send + 'static) -> Work {
    (owner, Box::new(job))
}

/// Submits the jobs while the writer is held, so that they form one batch; what they ended with.
fn batch(store: &Store, jobs: Vec<Work>) -> Vec<Result<(), WriteError>> {
    let gate = Gate::shut(store);
    let count = u64::try_from(jobs.len()).unwrap();
    let meter = Meter::default();
    wait(async {
        let writes = jobs
            .into_iter()
            .map(|(owner, job)| store.write(&meter, Lane::Completion, owner, move |tx| job(tx)));
        // Polled first, which submits them all.
        let all = join_all(writes);
        let go = async {
            assert_eq!(store.metrics().completion, count);
            gate.open();
        };
        join(all, go).await.0
    })
}

#[test]
fn a_job_that_faults_or_panics_leaves_its_batch_alone() {
    let fixture = file();
    let owners = [owner(), owner(), owner(), owner()];
    let [first, faulty, panicking, last] = owners;
    let outcomes = batch(
        &fixture.store,
        vec![
            work(first, move |tx| insert(tx, first, 1)),
            work(faulty, move |tx| {
                insert(tx, faulty, 2)?;
                Err(Fault::broken("changed its mind"))
            }),
            work(panicking, move |tx| {
                insert(tx, panicking, 3)?;
                panic!("a bug in a closure")
            }),
            work(last, move |tx| insert(tx, last, 4)),
        ],
    );
    let kinds = outcomes.into_iter().map(|outcome| outcome.is_err().then(|| kind(outcome)));
    let expected = [None, Some(FaultKind::Broken), Some(FaultKind::Panicked), None];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    assert_eq!(owners.map(|owner| seen(&fixture.store, owner)), [Some(1), None, None, Some(4)]);
}

static BULKY: Sql = Sql::new(
    "insert into kinds (owner_id, id, label, short, long, lowest, is_so, is_not) \
     values ($1, $1, 'bulk', $1, $2, 0, true, false)",
);

#[test]
fn a_full_disk_fails_only_the_job_that_does_not_fit() {
    let folder = Folder::new();
    let mut settings = settings(&folder);
    settings.faults.prepare = Some(|connection| {
        let pages: i64 = connection.query_row("pragma page_count", [], |row| row.get(0)).unwrap();
        let limit = format!("pragma max_page_count = {}", pages + 64);
        connection.query_row(&limit, [], |_| Ok(())).unwrap();
    });
    let store = open_as(&settings, never_fatal()).unwrap();
    let owners = [owner(), owner(), owner()];
    let [first, bulky, last] = owners;
    let outcomes = batch(
        &store,
        vec![
            work(first, move |tx| insert(tx, first, 1)),
            work(bulky, move |tx| {
                insert(tx, bulky, 2)?;
                let bulk = Value::from(vec![7; 1 << 20]);
                tx.defer(&BULKY, [bulky.into(), bulk], Expect::Rows(1))
            }),
            work(last, move |tx| insert(tx, last, 3)),
        ],
    );
    let kinds = outcomes.into_iter().map(|outcome| outcome.is_err().then(|| kind(outcome)));
    assert_eq!(kinds.collect::<Vec<_>>(), [None, Some(FaultKind::Full), None]);
    assert_eq!(owners.map(|owner| seen(&store, owner)), [Some(1), None, Some(3)]);
}

#[test]
fn a_batch_whose_commits_fail_runs_again_one_by_one() {
    static REFUSALS: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new();
    let mut settings = settings(&folder);
    settings.faults.prepare = Some(|connection| {
        // Answering true turns the commit into a rollback.
        let refuses =
            || REFUSALS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        connection.commit_hook(Some(move || refuses().is_ok())).unwrap();
    });
    let store = open_as(&settings, never_fatal()).unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let owners = [owner(), owner(), owner()];
    let jobs = owners.map(|owner| {
        let runs = Arc::clone(&runs);
        work(owner, move |tx| {
            if runs.fetch_add(1, Ordering::Relaxed) == 0 {
                // Together, and then again with savepoints.
                REFUSALS.store(2, Ordering::Relaxed);
            }
            insert(tx, owner, 1)
        })
    });
    let outcomes = batch(&store, jobs.into());
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    assert_eq!(runs.load(Ordering::Relaxed), 9);
    assert_eq!(owners.map(|owner| seen(&store, owner)), [Some(1); 3]);
}

#[test]
fn a_commit_that_fails_alone_was_certainly_not_applied() {
    static REFUSES: AtomicBool = AtomicBool::new(true);
    let folder = Folder::new();
    let mut settings = settings(&folder);
    settings.faults.prepare = Some(|connection| {
        connection.commit_hook(Some(|| REFUSES.swap(false, Ordering::Relaxed))).unwrap();
    });
    let store = open_as(&settings, never_fatal()).unwrap();
    let owner = owner();
    let refused = write(&store, owner, move |tx| insert(tx, owner, 1));
    assert_eq!(kind(refused), FaultKind::Constraint);
    assert_eq!(seen(&store, owner), None);
    write(&store, owner, move |tx| insert(tx, owner, 2)).unwrap();
    assert_eq!(seen(&store, owner), Some(2));
}

/// Checks that a job may hold the last handle of its store: what it captured is dropped by the thread that ran it.
#[test]
fn a_job_may_have_the_last_handle_of_its_store() {
    let folder = Folder::new();
    let (fatal, is_over) = mpsc::channel();
    let on_fatal = OnFatal::new(move |reason| fatal.send(reason.to_owned()).unwrap());
    let store = open_as(&settings(&folder), on_fatal).unwrap();
    let (release, released) = mpsc::channel::<()>();
    let handle = store.clone();
    let meter = Meter::default();
    let mut job = Box::pin(store.write(&meter, Lane::Admission, owner(), move |_| {
        let _ = (&handle, released.recv());
        Ok(())
    }));
    assert!(job.as_mut().now_or_never().is_none());
    drop(job);
    drop(store);
    release.send(()).unwrap();
    // The store is gone with what would say that it failed.
    assert_eq!(is_over.recv(), Err(mpsc::RecvError));
    open_in(&folder).unwrap();
}

#[test]
fn after_an_io_error_at_the_commit_nobody_knows_and_nothing_more_is_written() {
    let folder = Folder::new();
    let settings = settings(&folder);
    let (fatal, is_fatal) = mpsc::channel();
    let on_fatal = OnFatal::new(move |reason| fatal.send(reason.to_owned()).unwrap());
    let store = open_as(&settings, on_fatal).unwrap();
    let loses_commit = settings.faults.loses_commit;
    let owners = [owner(), owner()];
    let jobs = owners.map(|owner| {
        let loses_commit = Arc::clone(&loses_commit);
        work(owner, move |tx| {
            loses_commit.store(true, Ordering::Relaxed);
            insert(tx, owner, 1)
        })
    });
    let outcomes = batch(&store, jobs.into());
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Err(WriteError::Unknown))));
    assert!(is_fatal.recv().unwrap().starts_with("a commit failed"));
    let owner = owner();
    let after = write(&store, owner, move |tx| insert(tx, owner, 1));
    assert_eq!(kind(after), FaultKind::Unavailable);
    store.close();
    // A fresh start reads what is on the disk, and the same jobs are harmless.
    let store = open_in(&folder).unwrap();
    let again = write(&store, owners[0], move |tx| insert(tx, owners[0], 1));
    assert_eq!(kind(again), FaultKind::Constraint);
}

#[test]
fn after_a_failed_sync_of_the_database_the_wal_stays_for_a_fresh_start() {
    let folder = Folder::new();
    let mut settings = settings(&folder);
    // The kernel syncs no such file.
    settings.faults.checkpoints_at_once =
        Some(|thread| thread.syncing(File::open("/dev/null").unwrap()));
    let (fatal, is_fatal) = mpsc::channel();
    let on_fatal = OnFatal::new(move |reason| fatal.send(reason.to_owned()).unwrap());
    let store = open_as(&settings, on_fatal).unwrap();
    let mut owners = Vec::new();
    // The writer learns of it between two of its batches.
    loop {
        let owner = owner();
        if write(&store, owner, move |tx| insert(tx, owner, 1)).is_err() {
            break;
        }
        owners.push(owner);
    }
    let reason = is_fatal.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(reason.contains("checkpoint failed"), "{reason}");
    store.close();
    drop(store);
    let wal = wal_of(&settings.path);
    assert!(wal.metadata().unwrap().len() > 0);
    // Another connection to the database keeps SQLite's count of what was checkpointed.
    let other = setup::reader(&settings.path).unwrap();
    other.query_row("select count(*) from sqlite_schema", [], |_| Ok(())).unwrap();
    let Err(OpenError::Database(refused)) = open_in(&folder) else { panic!("opened") };
    assert!(refused.to_string().contains("end every other program"), "{refused}");
    drop(other);
    let store = open_in(&folder).unwrap();
    assert!(owners.iter().all(|owner| seen(&store, *owner) == Some(1)));
    store.close();
    assert_eq!(wal.metadata().unwrap().len(), 0);
}

#[test]
fn a_sync_that_fails_while_the_store_is_closed_is_reported_and_leaves_the_wal() {
    let folder = Folder::new();
    let mut settings = settings(&folder);
    settings.faults.checkpoints_at_once =
        Some(|thread| thread.syncing(File::open("/dev/null").unwrap()));
    let (fatal, is_fatal) = mpsc::channel();
    let on_fatal = OnFatal::new(move |reason| fatal.send(reason.to_owned()).unwrap());
    let store = open_as(&settings, on_fatal).unwrap();
    let owner = owner();
    write(&store, owner, move |tx| insert(tx, owner, 1)).unwrap();
    store.close();
    assert!(is_fatal.try_recv().unwrap().contains("checkpoint failed"));
    drop(store);
    assert!(wal_of(&settings.path).metadata().unwrap().len() > 0);
    assert_eq!(seen(&open_in(&folder).unwrap(), owner), Some(1));
}

#[test]
fn a_program_that_holds_the_wal_is_an_obstacle_until_it_ends() {
    let folder = Folder::new();
    let brief = Duration::from_millis(50);
    let mut settings = Settings { read_limit: brief, wal_bytes_max: 1, ..settings(&folder) };
    settings.faults.checkpoints_at_once = Some(|thread| thread);
    let store = open_as(&settings, never_fatal()).unwrap();
    let other = Connection::open(&settings.path).unwrap();
    other.execute_batch("begin; select count(*) from sqlite_schema").unwrap();
    let add_row = || {
        let owner = owner();
        write(&store, owner, move |tx| insert(tx, owner, 1)).unwrap();
    };
    let until = |obstacle: Option<Obstacle>| {
        while wait(store.obstacle()) != obstacle {
            thread::sleep(brief);
        }
    };
    // The writer asks for a checkpoint once it has written.
    add_row();
    until(Some(Obstacle::HeldWal));
    add_row();
    drop(other);
    until(None);
    add_row();
    store.close();
    assert_eq!(wal_of(&settings.path).metadata().unwrap().len(), 0);
}

#[test]
fn a_wal_that_reads_keep_from_starting_over_is_an_obstacle_though_none_of_them_lasts() {
    let folder = Folder::new();
    // A read may last for longer than the test, so that none is taken for another program's.
    let mut settings = Settings { wal_bytes_max: 1, ..settings(&folder) };
    settings.faults.checkpoints_at_once = Some(|thread| thread);
    let store = open_as(&settings, never_fatal()).unwrap();
    let begin = || {
        let reader = setup::reader(&settings.path).unwrap();
        reader.execute_batch("begin; select count(*) from sqlite_schema").unwrap();
        reader
    };
    let mut reader = begin();
    while wait(store.obstacle()) != Some(Obstacle::LongWal) {
        let owner = owner();
        write(&store, owner, move |tx| insert(tx, owner, 1)).unwrap();
        // The next one begins before this one ends.
        reader = begin();
        thread::sleep(Duration::from_millis(10));
    }
    drop(reader);
    // Nobody writes any more.
    while wait(store.obstacle()).is_some() {
        thread::sleep(Duration::from_millis(10));
    }
    store.close();
    assert_eq!(wal_of(&settings.path).metadata().unwrap().len(), 0);
}

#[test]
fn nobody_is_answered_before_the_commit() {
    let folder = Folder::new();
    let settings = settings(&folder);
    let store = open_as(&settings, never_fatal()).unwrap();
    let (meter, barrier) = (Meter::default(), Arc::new(Barrier::new(2)));
    let gate = Gate::shut(&store);
    let owners = [owner(), owner()];
    let mut writes = owners.map(|owner| {
        let halts = Arc::clone(&settings.faults.halts_after_commit);
        let halt = Arc::clone(&barrier);
        Box::pin(store.write(&meter, Lane::Admission, owner, move |tx| {
            *halts.lock().unwrap() = Some(Arc::clone(&halt));
            insert(tx, owner, 1)
        }))
    });
    // Polled for the first time, which submits them.
    assert!(writes.iter_mut().all(|write| write.now_or_never().is_none()));
    gate.open();
    barrier.wait();
    // Both have run and are committed, and the writer stands still.
    assert!(writes.iter_mut().all(|write| write.now_or_never().is_none()));
    barrier.wait();
    assert!(wait(join_all(writes)).iter().all(Result::is_ok));
    assert_eq!(owners.map(|owner| seen(&store, owner)), [Some(1), Some(1)]);
}

#[test]
fn admission_is_refused_when_full_while_completion_goes_on() {
    let folder = Folder::new();
    let settings = Settings { admission_max: 2, ..settings(&folder) };
    let store = open_as(&settings, never_fatal()).unwrap();
    let meter = Meter::default();
    let gate = Gate::shut(&store);
    let order = Arc::new(Mutex::new(Vec::new()));
    let submit = |lane, name| {
        let order = Arc::clone(&order);
        store.write(&meter, lane, owner(), move |_| {
            order.lock().unwrap().push(name);
            Ok(())
        })
    };
    let outcomes = wait(async {
        let writes = join_all([
            submit(Lane::Maintenance, "maintenance"),
            submit(Lane::Maintenance, "more maintenance"),
            submit(Lane::Admission, "admission"),
            submit(Lane::Admission, "admission"),
            submit(Lane::Admission, "one too many"),
            submit(Lane::Completion, "completion"),
        ]);
        join(writes, async { gate.open() }).await.0
    });
    assert!(matches!(outcomes[4], Err(WriteError::Busy)));
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 5);
    let order = order.lock().unwrap();
    let expected = ["completion", "admission", "admission", "maintenance", "more maintenance"];
    assert_eq!(*order, expected);
}

#[test]
fn what_was_acknowledged_is_there_after_a_restart() {
    let folder = Folder::new();
    let owner = owner();
    let store = open_in(&folder).unwrap();
    write(&store, owner, move |tx| insert(tx, owner, 1)).unwrap();
    write(&store, owner, move |tx| add(tx, owner, 1)).unwrap();
    assert!(store.metrics().wal_bytes > 0);
    drop(store);
    let store = open_in(&folder).unwrap();
    assert_eq!(seen(&store, owner), Some(2));
}

#[test]
fn a_database_of_another_program_is_refused() {
    let folder = Folder::new();
    drop(open_in(&folder).unwrap());
    let path = settings(&folder).path;
    let change = |text: &str| Connection::open(&path).unwrap().execute(text, []).unwrap();
    let insert = "insert into migrations values (9999, 'later', x'00', 9999, 0)";
    assert_eq!(change(insert), 1);
    let refusal = open_in(&folder).unwrap_err();
    assert!(matches!(refusal, OpenError::Migrate(MigrateError::Newer { version: 9999, .. })));
    change("update migrations set compatible_from = 1 where version = 9999");
    drop(open_in(&folder).unwrap());
    change("update migrations set checksum = x'00' where version = 1");
    let refusal = open_in(&folder).unwrap_err();
    assert!(matches!(refusal, OpenError::Migrate(MigrateError::Unreleased)));
}
