//! A program from outside that keeps a transaction open on SQLite's file while payments are verified: nobody waits for it,
//! and the operator learns of it before the disk is full.

use std::fs;
use std::time::Duration;

use testkit::Engine;
use testkit::open_read::OpenRead;

use crate::cast::{Owner, ok};
use crate::patience::until;
use crate::program::{Node, Site};

/// More credits than payments.
const CREDITS: i64 = 1_000_000;

/// How long the log may be before the service is not ready, in MiB, and how long it becomes at once: longer.
const LOG_MAX_MIB: &str = "192";
const MAKE_LONG: &str = "create table bulk as \
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 50) \
    select zeroblob(4 << 20) as bytes from n";

/// Longer than any checkpoint takes that nothing holds, and than a hold goes unseen.
const SOON: Duration = Duration::from_secs(60);

const HELD: &str = "keeps a transaction open on the database file";
/// A program of ours that does so, and is not to be ended for it.
const AUDIT: &str = "where it is an audit, such as cotejo check-ledger";
const OVER: &str = "no other program holds it any more";

/// Verifies payments, each of which is new; answers how many so far.
fn verify(owner: &Owner, node: &Node, so_far: &mut u32) -> u32 {
    for _ in 0..5 {
        *so_far += 1;
        let answer = ok(owner.verify(node.addr, &owner.keys[0], &format!("{so_far:04}67890")));
        assert_eq!(answer["data"]["is_new"], true, "{answer}");
    }
    *so_far
}

#[test]
fn a_program_that_holds_the_log_is_named_and_nobody_waits_for_it() {
    let mut site = Site::on(Engine::Sqlite);
    site.settings = vec![
        ("COTEJO_SQLITE_WAL_MAX_MIB", LOG_MAX_MIB.to_owned()),
        ("COTEJO_LOG_LEVEL", "warn,cotejo=info,db=info".to_owned()),
    ];
    let mut owner = Owner::make(&site, "ana", CREDITS);
    let node = site.start();
    owner.issue_keys(node.addr, &[]);
    let mut verified = 0;
    let file = site.folder().join("a/cotejo.sqlite");
    let reader = OpenRead::begin(&file);
    site.database.execute(MAKE_LONG);
    until(SOON, "the hold in the log", || {
        verify(&owner, &node, &mut verified);
        node.has_logged(HELD)
    });
    assert!(node.has_logged(AUDIT));
    let (status, word) = node.readiness();
    assert!(status == 503 && word.contains("another program"), "{status} {word}");
    verify(&owner, &node, &mut verified);

    drop(reader);
    // A service that is not ready is asked for nothing, and finds out all the same.
    until(SOON, "the end of the hold", || node.readiness().0 == 200);
    until(SOON, "the end in the log", || node.has_logged(OVER));
    let verified = verify(&owner, &node, &mut verified);
    assert_eq!(owner.balance(node.addr), CREDITS - i64::from(verified));
    node.stop();
    assert_eq!(fs::metadata(site.folder().join("a/cotejo.sqlite-wal")).unwrap().len(), 0);
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
}
