//! A kill in the middle of one verification: before the bank has answered, and between its answer
//! and the transaction that posts it. Either way the result appears after the restart, once.

use std::thread;
use std::time::Duration;

use domain::verification::LEASE;
use testkit::Engine;
use testkit::database::Database;
use testkit::write_lock::WriteLock;

use crate::cast::{Owner, ok};
use crate::http::ask;
use crate::patience::until;
use crate::program::{Node, Site};

const CREDITS: i64 = 10;

/// How late the sandbox's slow answer is.
const SLOW: Duration = Duration::from_secs(15);

/// For whatever needs no waiting, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(15);

const OPEN: &str = "select count(*) from verifications where state = 0";

fn begin(engine: Engine) -> (Site, Owner, Node) {
    let site = Site::on(engine);
    let owner = Owner::make(&site, "ana", CREDITS);
    let node = site.start();
    (site, owner, node)
}

/// Sends a request and waits until its reservation is written; nobody waits for the answer.
fn reserve(site: &Site, owner: &Owner, node: &Node, reference: &str) -> crate::http::Connection {
    let caller = owner.send(node.addr, &owner.keys[0], reference);
    until(SOON, "the reservation", || site.database.number(OPEN) == 1);
    caller
}

/// The result of the one verification appears within `limit`: the payment is new for the
/// next call, and not for the one after it, and one credit was spent.
fn appears(site: &Site, owner: &mut Owner, node: &Node, reference: &str, limit: Duration) {
    until(limit, "the verification's end", || site.database.number(OPEN) == 0);
    let answers = [(); 3].map(|()| ok(owner.verify(node.addr, &owner.keys[0], reference)));
    let first_reports =
        answers.each_ref().map(|answer| answer["data"]["is_new"].as_bool().unwrap());
    assert_eq!(first_reports, [true, false, false]);
    // The one that hears of it as new hears what it cost.
    for (answer, cost) in answers.iter().zip([1, 0, 0]) {
        let payment = &answer["data"]["user_bank_payment"];
        assert_eq!(payment["id"], answers[0]["data"]["user_bank_payment"]["id"]);
        assert_eq!(answer["data"]["credit_cost"], cost, "{answer}");
    }
    owner.issue_keys(node.addr, &[]);
    assert_eq!(owner.balance(node.addr), CREDITS - 1);
    assert_eq!(site.database.number("select count(*) from verifications"), 1);
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
}

/// Killed while the bank is being asked. A caller that asks again meanwhile is shown where to
/// look, and finds the end there.
fn killed_while_asking(engine: Engine) {
    let (site, mut owner, node) = begin(engine);
    let caller = reserve(&site, &owner, &node, "7710004");
    node.kill();
    drop(caller);
    assert_eq!(site.database.number(OPEN), 1);

    let node = site.start();
    let key = &owner.keys[0];
    let answer = owner.verify(node.addr, key, "7710004");
    assert_eq!((answer.status, answer.code()), (503, "BANK_NOT_AVAILABLE"), "{answer:?}");
    let id = answer.body["facts"]["verification_id"].as_str().unwrap();
    let path = format!("/v1/verifications/{id}");
    until(LEASE + SLOW + SOON, "the verification's end", || {
        let shown = ok(ask(node.addr, ("GET", &path), &key.text, None));
        shown["verification"]["status"] == "confirmed"
    });
    assert_eq!(site.database.number("select calls from verifications"), 2);
    appears(&site, &mut owner, &node, "7710004", SOON);
    node.stop();
}

#[test]
fn killed_while_asking_on_sqlite() {
    killed_while_asking(Engine::Sqlite);
}

#[test]
fn killed_while_asking_on_postgres() {
    killed_while_asking(Engine::Postgres);
}

/// Somebody else holds the account's row, so that the transaction with the bank's answer waits at
/// its first statement: that is seen, and then the server is killed.
#[test]
fn killed_between_answer_and_post_on_postgres() {
    let (site, mut owner, node) = begin(Engine::Postgres);
    let Database::Postgres(database) = &site.database else { unreachable!() };
    let held = database.hold("select 1 from bank_identities for no key update");
    let caller = reserve(&site, &owner, &node, "7767890");
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() \
                   and wait_event_type = 'Lock' and query like '%bank_identities%for no key update'";
    until(SOON, "the post waits", || database.number(waiting) == 1);
    node.kill();
    drop((caller, held));
    assert_eq!(site.database.number("select count(*) from payments"), 0);
    assert_eq!(site.database.number(OPEN), 1);

    let node = site.start();
    appears(&site, &mut owner, &node, "7767890", LEASE + SOON);
    node.stop();
}

/// Somebody else holds the right to write, from shortly before the slow bank answers: the post can
/// only wait. What happens then is not to be seen from outside, so the kill comes a second later.
#[test]
fn killed_between_answer_and_post_on_sqlite() {
    const BEFORE: Duration = Duration::from_secs(1);
    let (site, mut owner, node) = begin(Engine::Sqlite);
    let Database::Sqlite(path) = &site.database else { unreachable!() };
    let caller = reserve(&site, &owner, &node, "7710004");
    thread::sleep(SLOW - BEFORE);
    assert_eq!(site.database.number(OPEN), 1, "the bank answered before its time");
    let lock = WriteLock::take(path);
    // Less than the store waits for the right to write.
    thread::sleep(2 * BEFORE);
    node.kill();
    drop((caller, lock));
    assert_eq!(site.database.number("select count(*) from payments"), 0);
    assert_eq!(site.database.number(OPEN), 1);

    let node = site.start();
    appears(&site, &mut owner, &node, "7710004", SLOW + SOON);
    node.stop();
}
