//! Payments from the same bank, confirmed by payer, on two servers that share one database: the row is claimed once.

use std::net::SocketAddr;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use domain::verification::LEASE;
use serde_json::{Value, json};
use testkit::Engine;
use testkit::database::Database;

use crate::bank::Bank;
use crate::cast::{Owner, ok};
use crate::http::{Answer, Connection, ask};
use crate::patience::until;
use crate::program::{Node, Site};
use crate::shop::Shop;

const CREDITS: i64 = 10;
const PAYER: &str = "V12345678";

/// How many ask for one row at once.
const CALLERS: usize = 24;

/// For what needs no waiting, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(15);

const OPEN: &str = "select count(*) from verifications where state = 0";

/// Query that counts settling transactions that wait, while another one holds the account.
const SETTLING: &str = "select count(*) from pg_stat_activity where datname = current_database() \
     and wait_event_type = 'Lock' and query like '%bank_identities%for no key update'";

/// Two servers, and a shop whose owner has calls confirmed by payer.
struct Stage {
    bank: Bank,
    site: Site,
    shop: Shop,
    nodes: Vec<Node>,
    /// The day of the payment.
    day: String,
}

impl Stage {
    fn set() -> Self {
        let mut site = Site::on(Engine::Postgres);
        let bank = Bank::open();
        site.settings = bank.settings();
        let owner = Owner::make(&site, "ana", CREDITS);
        let nodes = vec![site.launch("a").wait(), site.launch("b").wait()];
        let shop = Shop::open(owner, nodes[0].addr, &bank, 1);
        let account = &shop.accounts[0];
        let path = format!("/v1/usersbank/{}/settings", account.id);
        let chosen = json!({ "same_bank_by_payer": true });
        ok(ask(nodes[0].addr, ("PUT", &path), &shop.owner.session, Some(&chosen)));
        let day = bank.pay_same_bank(&account.number, "000079911111", PAYER);
        Self { bank, site, shop, nodes, day }
    }

    fn path(&self) -> String {
        format!("/userbankpayment/{}/betaserio", self.shop.accounts[0].id)
    }

    fn body(&self, reference: &str, till: &str) -> Value {
        json!({
            "bank_reference": reference, "amount": 150.75, "fecha_pago": self.day, "dni_pagador": PAYER,
            "source_name": till,
        })
    }

    fn ask(&self, addr: SocketAddr, reference: &str, till: &str) -> Answer {
        let (path, body) = (self.path(), self.body(reference, till));
        ask(addr, ("POST", &path), &self.shop.owner.keys[0].text, Some(&body))
    }

    /// That one payment was claimed, and paid for.
    fn is_claimed_once(&self, addr: SocketAddr) {
        assert_eq!(self.site.database.number("select count(*) from payments"), 1);
        assert_eq!(self.shop.owner.balance(addr), CREDITS - 1);
        let (code, audit) = self.site.run(&["check-ledger", "--json"], "");
        assert_eq!(code, Some(0), "{audit}");
    }

    fn end(self) {
        self.nodes.into_iter().for_each(Node::stop);
        // They are served to their end.
        drop(self.bank);
    }
}

/// Tells whether the payment shown is new; `None` if the answer shows no payment.
fn payment_is_new(answer: &Answer) -> Option<bool> {
    match answer.status {
        200 => {
            assert_eq!(answer.body["data"]["matched_by"], "payer", "{answer:?}");
            answer.body["data"]["is_new"].as_bool()
        }
        _ => {
            assert_eq!((answer.status, answer.code()), (404, "PAYMENT_NOT_FOUND"), "{answer:?}");
            None
        }
    }
}

#[test]
fn of_two_nodes_that_are_asked_by_payer_at_once_one_claims_the_row() {
    let stage = Stage::set();
    let barrier = Barrier::new(CALLERS);
    let answers = thread::scope(|scope| {
        let call = |number: usize| {
            let (stage, barrier) = (&stage, &barrier);
            scope.spawn(move || {
                let reference = ["912345", "88877777", "79911111"][number % 3];
                let till = format!("caja {number}");
                barrier.wait();
                let answer = stage.ask(stage.nodes[number % 2].addr, reference, &till);
                (reference, payment_is_new(&answer))
            })
        };
        let callers: Vec<_> = (0..CALLERS).map(call).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    let new: Vec<_> = answers.iter().filter(|(_, is_new)| *is_new == Some(true)).collect();
    let [(claimed, _)] = new.as_slice() else { panic!("{answers:?}") };
    // The same reference again is a repeat, and no other confirms anything.
    for (reference, is_new) in &answers {
        assert_eq!(is_new.is_some(), reference == claimed, "{answers:?}");
    }
    stage.is_claimed_once(stage.nodes[1].addr);
    stage.end();
}

/// A call by payer whose server is killed when the bank has answered and nothing is claimed yet: somebody else holds
/// the account's row, so that the transaction with the answer is seen to wait.
fn killed_before_the_claim() -> Stage {
    let mut stage = Stage::set();
    let Database::Postgres(database) = &stage.site.database else { unreachable!() };
    let held = database.hold("select 1 from bank_identities for no key update");
    let mut caller = Connection::to(stage.nodes[0].addr).unwrap();
    let (path, body) = (stage.path(), stage.body("912345", "caja 1"));
    caller.send(("POST", &path), &stage.shop.owner.keys[0].text, Some(&body)).unwrap();
    until(SOON, "the claim waits", || database.number(SETTLING) == 1);
    stage.nodes.remove(0).kill();
    drop((caller, held));
    assert_eq!(stage.site.database.number("select count(*) from payments"), 0);
    assert_eq!(stage.site.database.number(OPEN), 1);
    stage
}

/// Waits until the other server has ended what the first one began.
fn is_taken_over(stage: &Stage) {
    until(LEASE + SOON, "the takeover", || stage.site.database.number(OPEN) == 0);
    assert_eq!(stage.site.database.number("select max(calls) from verifications"), 2);
}

#[test]
fn another_node_claims_what_a_dead_one_was_about_to() {
    let stage = killed_before_the_claim();
    is_taken_over(&stage);
    let addr = stage.nodes[0].addr;
    stage.is_claimed_once(addr);
    // It was reported to nobody yet.
    for is_new in [true, false] {
        assert_eq!(payment_is_new(&stage.ask(addr, "912345", "caja 1")), Some(is_new));
    }
    stage.is_claimed_once(addr);
    stage.end();
}

#[test]
fn what_another_till_claims_before_the_takeover_is_not_claimed_by_it() {
    let stage = killed_before_the_claim();
    let addr = stage.nodes[0].addr;
    assert_eq!(payment_is_new(&stage.ask(addr, "88877777", "caja 2")), Some(true));
    is_taken_over(&stage);
    stage.is_claimed_once(addr);
    assert_eq!(payment_is_new(&stage.ask(addr, "912345", "caja 1")), None);
    assert_eq!(payment_is_new(&stage.ask(addr, "88877777", "caja 1")), Some(false));
    stage.is_claimed_once(addr);
    stage.end();
}
