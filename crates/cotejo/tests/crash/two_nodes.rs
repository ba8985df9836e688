//! Two servers on one database: they share its rows and one master key, and nothing else.

use std::net::SocketAddr;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use domain::verification::LEASE;
use serde_json::json;
use testkit::Engine;
use testkit::scripted::Play;

use crate::cast::{Owner, body, ok};
use crate::fair::PENDING;
use crate::http::{Connection, ask};
use crate::patience::until;
use crate::program::Site;
use crate::shop::{Receiver, Shop};

/// How many ask for one movement at once.
const CALLERS: usize = 50;

/// How late the sandbox's slow answer is.
const SLOW: Duration = Duration::from_secs(15);

/// How many keys and accounts a large shop has, how many tills, and how much each of these sells.
const KEYS: usize = 6;
const TILLS: usize = 16;
const SALES: usize = 24;

/// How many sales of a till lie between two of its links.
const BETWEEN_LINKS: usize = 4;

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

/// Links so many accounts on the sandbox, the owner's first one among them.
fn accounts(owner: &Owner, addr: SocketAddr) -> Vec<String> {
    let link = |_| {
        let wanted = json!({ "bank_provider": "BANK_TEST" });
        let linked = ok(ask(addr, ("POST", "/usersbank"), &owner.session, Some(&wanted)));
        linked["userbank"]["id"].as_str().unwrap().to_owned()
    };
    std::iter::once(owner.bank.clone()).chain((1..KEYS).map(link)).collect()
}

/// Runs a till: it has payments verified, by another key and on another account each time, and now and then makes a
/// link and ends it, of which the shop's system is notified.
fn sell(shop: &Shop, accounts: &[String], hook: &str, till: usize, addr: SocketAddr) {
    let mut line = Connection::to(addr).unwrap();
    for sale in 0..SALES {
        let (key, account) =
            (&shop.owner.keys[(till + sale) % KEYS], &accounts[(till * sale) % KEYS]);
        let path = format!("/userbankpayment/{account}/betaserio");
        let wanted = body(&format!("{till:03}{sale:04}67890"));
        let sold = ok(line.call(("POST", &path), &key.text, Some(&wanted)).unwrap());
        assert_eq!(sold["data"]["is_new"], true, "{sold}");
        if sale % BETWEEN_LINKS == 0 {
            let link = shop.ask_for_money(&mut line, &shop.accounts[0], hook).unwrap();
            let target = format!("/v1/paymentlink/{link}/reject");
            ok(line.call(("POST", &target), &shop.owner.keys[0].text, Some(&json!({}))).unwrap());
        }
    }
}

#[test]
fn one_owner_with_many_keys_and_accounts_deadlocks_on_no_two_nodes() {
    let mut site = Site::on(Engine::Postgres);
    site.settings = vec![("COTEJO_WEBHOOKS_ALLOW_PRIVATE", "true".to_owned())];
    let owner = Owner::make(&site, "ana", 1_000);
    let nodes = [site.launch("a").wait(), site.launch("b").wait()];
    let mut shop = Shop::on_the_sandbox(owner, nodes[0].addr);
    shop.owner.issue_keys(nodes[0].addr, &[None; KEYS - 1]);
    let accounts = accounts(&shop.owner, nodes[0].addr);
    let receiver = Receiver::open(&shop.secret, |_| Play::Answer(204, Vec::new()));
    let hook = receiver.url();
    thread::scope(|scope| {
        for till in 0..TILLS {
            let (shop, accounts, hook, addr) = (&shop, &accounts, &hook, nodes[till % 2].addr);
            scope.spawn(move || sell(shop, accounts, hook, till, addr));
        }
    });
    let sold = i64::try_from(TILLS * SALES).unwrap();
    assert_eq!(shop.owner.balance(nodes[1].addr), 1_000 - sold);
    until(SLOW, "every event is told", || site.database.number(PENDING) == 0);
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
    nodes.into_iter().for_each(crate::program::Node::stop);
    // A session says what befell it when it ends.
    let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
    assert_eq!(site.database.number(deadlocks), 0);
}
