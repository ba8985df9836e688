//! Two servers on one database: they share its rows and one master key, and nothing else.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use domain::verification::LEASE;
use testkit::Engine;

use crate::cast::{Owner, ok};
use crate::patience::until;
use crate::program::Site;

/// How many ask for one movement at once.
const CALLERS: usize = 50;

/// How late the sandbox's slow answer is.
const SLOW: Duration = Duration::from_secs(15);

/// For what needs no waiting, on a machine with other things to do; nodes look once a second.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn one_movement_is_new_once_on_two_nodes() {
    let site = Site::on(Engine::Postgres);
    let mut owner = Owner::make(&site, "ana", 10);
    let nodes = [site.launch("a").wait(), site.launch("b").wait()];
    owner.issue_keys(nodes[0].addr, &[None, None]);
    let spellings = ["4467890", "00 4467890", "446-7890", "4.467.890", "0004467890"];
    let barrier = Barrier::new(CALLERS);
    let answers = thread::scope(|scope| {
        let call = |number: usize| {
            let (owner, nodes, barrier) = (&owner, &nodes, &barrier);
            scope.spawn(move || {
                let key = &owner.keys[number % owner.keys.len()];
                let spelling = spellings[number % spellings.len()];
                barrier.wait();
                ok(owner.verify(nodes[number % nodes.len()].addr, key, spelling))
            })
        };
        let callers: Vec<_> = (0..CALLERS).map(call).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    let first = &answers[0]["data"]["user_bank_payment"]["id"];
    assert!(answers.iter().all(|answer| answer["data"]["user_bank_payment"]["id"] == *first));
    let count = |field: &str, value: serde_json::Value| {
        answers.iter().filter(|answer| answer["data"][field] == value).count()
    };
    assert_eq!(count("is_new", true.into()), 1);
    assert!(count("credit_cost", 1.into()) <= 1);
    assert_eq!(owner.balance(nodes[1].addr), 9);
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
    nodes.into_iter().for_each(crate::program::Node::stop);
}

#[test]
fn a_node_takes_over_what_another_one_was_killed_with() {
    let site = Site::on(Engine::Postgres);
    let owner = Owner::make(&site, "ana", 10);
    let (first, second) = (site.launch("a").wait(), site.launch("b").wait());
    let caller = owner.send(first.addr, &owner.keys[0], "5510004");
    let open = "select count(*) from verifications where state = 0";
    until(SOON, "the reservation", || site.database.number(open) == 1);
    first.kill();
    drop(caller);
    let calls = || site.database.number("select calls from verifications");
    let waited = until(LEASE + SOON, "the takeover", || calls() == 2);
    assert!(waited + SOON > LEASE, "taken from a holder whose lease still held: {waited:?}");
    until(SLOW + SOON, "the end", || site.database.number(open) == 0);
    for is_new in [true, false] {
        let answer = ok(owner.verify(second.addr, &owner.keys[0], "5510004"));
        assert_eq!(answer["data"]["is_new"], is_new, "{answer}");
    }
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
    second.stop();
}
