//! Callers that hang up: what has begun for them is posted all the same, and the first report is kept for
//! the next call like theirs.

use std::time::Duration;

use testkit::Engine;

use crate::cast::{Owner, ok};
use crate::patience::until;
use crate::program::{Node, Site};

/// How many callers hang up while the bank is being asked for them.
const PATIENT: i64 = 10;

/// How many hang up as soon as their request has left.
const HASTY: i64 = 50;

/// How long everything may take, the slow bank included.
const POSTED_TIMEOUT: Duration = Duration::from_secs(30);

const OPEN: &str = "select count(*) from verifications where state = 0";
const PAYMENTS: &str = "select count(*) from payments";

fn hang_up(engine: Engine) {
    let site = Site::on(engine);
    let mut owner = Owner::make(&site, "ana", 1_000);
    let node = site.start();
    let key = &owner.keys[0];

    let patient: Vec<String> =
        (0..PATIENT).map(|number| format!("{}10004", 800 + number)).collect();
    let callers: Vec<_> = patient.iter().map(|it| owner.send(node.addr, key, it)).collect();
    until(POSTED_TIMEOUT, "the reservations", || site.database.number(OPEN) == PATIENT);
    drop(callers);
    let hasty: Vec<String> = (0..HASTY).map(|number| format!("{}67890", 900 + number)).collect();
    for reference in &hasty {
        drop(owner.send(node.addr, key, reference));
    }

    // A request whose caller is gone before anything is written for it may never have begun; every
    // one that has begun is posted.
    let is_over = || site.database.number(OPEN) == 0 && site.database.number(PAYMENTS) >= PATIENT;
    until(POSTED_TIMEOUT, "everything that has begun is posted", is_over);
    for reference in &patient {
        assert_eq!(first_reports(&owner, &node, reference), [(true, 1), (false, 0), (false, 0)]);
    }
    for reference in &hasty {
        let reports = first_reports(&owner, &node, reference);
        // Its answer may have been on the connection before that was seen to be closed.
        let first = [(true, 1), (false, 0)];
        assert!(first.contains(&reports[0]), "{reference}: {reports:?}");
        assert_eq!(reports[1..], [(false, 0), (false, 0)], "{reference}");
    }
    assert_eq!(site.database.number(PAYMENTS), PATIENT + HASTY);
    owner.issue_keys(node.addr, &[]);
    assert_eq!(owner.balance(node.addr), 1_000 - PATIENT - HASTY);
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
    node.stop();
}

/// Calls three more times, and returns for each call whether the payment was reported as new, and what it cost.
fn first_reports(owner: &Owner, node: &Node, reference: &str) -> [(bool, i64); 3] {
    [(); 3].map(|()| {
        let answer = ok(owner.verify(node.addr, &owner.keys[0], reference));
        let data = &answer["data"];
        (data["is_new"].as_bool().unwrap(), data["credit_cost"].as_i64().unwrap())
    })
}

#[test]
fn hung_up_on_sqlite() {
    hang_up(Engine::Sqlite);
}

#[test]
fn hung_up_on_postgres() {
    hang_up(Engine::Postgres);
}
