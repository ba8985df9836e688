//! Who checkpoints the WAL and when, and what the disk and readers can do to that.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

use super::*;
use crate::conformance::schema::SCHEMA;
use crate::conformance::{Folder, at};
use crate::sqlite::setup;
use crate::sqlite::wal_hold::WalHold;

/// Starts the thread, with a watch that nobody asks.
fn start(thread: CheckpointThread, threshold_pages: u32) -> Checkpoints {
    start_with(thread, threshold_pages, &Arc::default())
}

fn start_with(thread: CheckpointThread, threshold_pages: u32, hold: &Arc<WalHold>) -> Checkpoints {
    let read_limit = Duration::from_millis(50);
    let watch = HoldWatch::new(Arc::clone(hold), 4096, threshold_pages, read_limit);
    Checkpoints::start(thread, threshold_pages, watch).unwrap()
}

/// Tells whether this process has a lock on the file, as the kernel has it.
fn is_locked(path: &Path) -> bool {
    let (process, file) = (std::process::id().to_string(), fs::metadata(path).unwrap().ino());
    fs::read_to_string("/proc/locks").unwrap().lines().any(|lock| {
        let fields: Vec<_> = lock.split_whitespace().collect();
        fields[4] == process && fields[5].ends_with(&format!(":{file}"))
    })
}

#[test]
fn the_wal_is_checkpointed_beside_the_writer_who_keeps_its_locks_on_the_file() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
    let mut checkpoints = start(setup::checkpoint_thread(&path).unwrap(), 1);
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
    let size = fs::metadata(&path).unwrap().len();
    checkpoints.after_batch(&writer, 1).unwrap();
    // The thread ends when it is done with what it was asked for.
    checkpoints.stop().unwrap();
    assert_eq!(checkpoints.progress.load(Ordering::Acquire), DONE);
    assert!(fs::metadata(&path).unwrap().len() > size);
    assert!(is_locked(&path));
}

#[test]
fn where_a_reader_holds_the_wal_the_writer_does_nothing_and_the_thread_goes_on_by_itself() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    let reader = setup::reader(&path).unwrap();
    reader.execute_batch("begin; select count(*) from sqlite_schema").unwrap();
    writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
    let size = fs::metadata(&path).unwrap().len();
    let mut checkpoints = start(setup::checkpoint_thread(&path).unwrap(), 64);
    // Long enough for the writer to wait for readers.
    checkpoints.after_batch(&writer, 1_024).unwrap();
    let state = |checkpoints: &Checkpoints| checkpoints.progress.load(Ordering::Acquire);
    while state(&checkpoints) == RUNNING {
        thread::yield_now();
    }
    checkpoints.after_batch(&writer, 1_024).unwrap();
    assert_eq!(state(&checkpoints), HELD);
    assert_eq!(fs::metadata(&path).unwrap().len(), size);
    drop(reader);
    while state(&checkpoints) == HELD {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(state(&checkpoints), DONE);
    assert!(fs::metadata(&path).unwrap().len() > size);
    checkpoints.after_batch(&writer, 1_024).unwrap();
    assert_eq!(state(&checkpoints), IDLE);
    checkpoints.stop().unwrap();
}

#[test]
fn a_wal_that_cannot_start_over_is_noted_until_it_can_though_nobody_writes() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
    // It sees all of the WAL, so that all of it can be checkpointed.
    let reader = setup::reader(&path).unwrap();
    reader.execute_batch("begin; select count(*) from bulk").unwrap();
    let hold = Arc::default();
    let mut checkpoints = start_with(setup::checkpoint_thread(&path).unwrap(), 64, &hold);
    checkpoints.after_batch(&writer, 1_024).unwrap();
    while hold.long_bytes().is_none() {
        thread::sleep(Duration::from_millis(10));
    }
    // The writer waits for a moment, in vain.
    checkpoints.after_batch(&writer, 1_024).unwrap();
    assert_eq!(hold.bytes(), None, "whoever holds it");
    drop(reader);
    while hold.long_bytes().is_some() {
        thread::sleep(Duration::from_millis(10));
    }
    checkpoints.stop().unwrap();
}

/// Byte of the file of the WAL's index by which SQLite locks checkpoints (its documentation of the WAL file format, on
/// locks).
const CHECKPOINT_LOCK: i64 = 121;

/// Takes the lock of checkpoints, or gives it back. The lock is that of the open file, so that it is in the way of this
/// process, too.
fn lock_checkpoints(index: &File, kind: i32) {
    let lock = libc::flock {
        l_type: i16::try_from(kind).unwrap(),
        l_whence: 0,
        l_start: CHECKPOINT_LOCK,
        l_len: 1,
        l_pid: 0,
    };
    fcntl(index, FcntlArg::F_OFD_SETLK(&lock)).unwrap();
}

#[test]
fn a_program_that_has_the_lock_of_checkpoints_holds_the_wal() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
    let index = fs::OpenOptions::new().read(true).write(true).open(folder.0.join("store.db-shm"));
    let index = index.unwrap();
    lock_checkpoints(&index, libc::F_WRLCK);
    let hold = Arc::default();
    let mut checkpoints = start_with(setup::checkpoint_thread(&path).unwrap(), 64, &hold);
    checkpoints.after_batch(&writer, 1_024).unwrap();
    while hold.bytes().is_none() {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(hold.bytes(), Some(1_024 * 4_096));
    lock_checkpoints(&index, libc::F_UNLCK);
    while hold.bytes().is_some() {
        thread::sleep(Duration::from_millis(10));
    }
    checkpoints.stop().unwrap();
}

#[test]
fn a_disk_that_fails_before_the_writer_hears_of_it_is_known_to_the_next_start() {
    let folder = Folder::new();
    let [database, path] = ["elsewhere.db", "store.db"].map(|name| folder.0.join(name));
    fs::File::create(&database).unwrap();
    std::os::unix::fs::symlink(&database, &path).unwrap();
    let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
    // The kernel syncs no such file.
    let checkpoint_thread =
        setup::checkpoint_thread(&path).unwrap().syncing(File::open("/dev/null").unwrap());
    let mut checkpoints = start(checkpoint_thread, 1);
    checkpoints.after_batch(&writer, 1).unwrap();
    let Running { requests, thread } = checkpoints.running.take().unwrap();
    assert!(thread.join().unwrap().is_err());
    drop((requests, writer));
    let other = setup::reader(&path).unwrap();
    other.query_row("select count(*) from sqlite_schema", [], |_| Ok(())).unwrap();
    assert!(setup::writer(&path, &SCHEMA, at(2)).is_err());
    drop(other);
    setup::writer(&path, &SCHEMA, at(2)).unwrap();
}

#[test]
fn a_lock_in_the_way_of_a_checkpoint_is_no_failure_of_the_disk() {
    let folder = Folder::new();
    let writer = setup::writer(&folder.0.join("store.db"), &SCHEMA, at(1)).unwrap();
    writer.execute_batch("begin immediate").unwrap();
    let refused = writer.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(()));
    assert!(refused.unwrap_err().to_string().contains("locked"));
    checkpoint(&writer, "passive").unwrap();
}

#[test]
fn a_wal_that_cannot_be_read_is_distinguished_from_one_in_use() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
    writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
    let reader = setup::reader(&path).unwrap();
    reader.execute_batch("begin; select * from bulk").unwrap();
    writer.busy_timeout(std::time::Duration::ZERO).unwrap();
    writer.execute("update bulk set rowid = 2", []).unwrap();
    checkpoint(&writer, "truncate").unwrap();
    drop(reader);
    let wal = fs::OpenOptions::new().write(true).open(folder.0.join("store.db-wal")).unwrap();
    wal.set_len(wal.metadata().unwrap().len() / 2).unwrap();
    let failed = checkpoint(&writer, "truncate").unwrap_err().to_string();
    assert!(failed.contains("disk I/O error"), "{failed}");
}
