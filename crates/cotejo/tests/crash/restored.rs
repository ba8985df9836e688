//! The drill: a copy is made beside a server at work, the server goes on, is killed and loses its folder or its database, and
//! the copy is put back. Whatever was accepted, before the copy or after it, is new to nobody a second time.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::Engine;

use crate::bank::Bank;
use crate::cast::{Owner, body, ok};
use crate::http::{Answer, ask};
use crate::patience::until;
use crate::program::Site;
use crate::shop::{AMOUNT, Shop};

const CREDITS: i64 = 100;

/// How many payments are accepted before the copy, and how many after it.
const PAYMENTS: usize = 12;

const AT_ONCE: Duration = Duration::ZERO;

/// Longer than a line takes to be written down.
const SOON: Duration = Duration::from_secs(30);

/// References of payments, none of which ends as another does.
fn references(from: usize) -> Vec<String> {
    (from..from + PAYMENTS).map(|number| format!("7{number:05}12{number:04}")).collect()
}

/// Gives the account another secret for its bank's notices; answers the file that says so.
fn rotate_push_secret(site: &Site, shop: &Shop, addr: SocketAddr) -> PathBuf {
    let path = format!("/v1/usersbank/{}/push-secret/rotate", shop.accounts[0].id);
    ok(ask(addr, ("POST", &path), &shop.owner.session, Some(&json!({}))));
    let log = site.folder().join("a/ended.log");
    let says_so = || fs::read_to_string(&log).is_ok_and(|text| text.contains(" push_secret "));
    until(SOON, "the end in the file", says_so);
    log
}

/// Asks for each of them at once, by the same key, and answers each.
fn verify_all(shop: &Shop, addr: SocketAddr, references: &[String]) -> Vec<Answer> {
    let path = format!("/userbankpayment/{}/betaserio", shop.accounts[0].id);
    thread::scope(|scope| {
        let verify = |reference: &String| {
            let (path, key, body) =
                (path.as_str(), shop.owner.keys[0].text.as_str(), body(reference));
            scope.spawn(move || ask(addr, ("POST", path), key, Some(&body)))
        };
        let asked: Vec<_> = references.iter().map(verify).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

/// They are paid, and each is new once.
fn accept_all(shop: &Shop, bank: &Bank, addr: SocketAddr, references: &[String]) {
    for reference in references {
        bank.pay(&shop.accounts[0].number, reference, AMOUNT, AT_ONCE);
    }
    for answer in verify_all(shop, addr, references) {
        assert_eq!(ok(answer)["data"]["is_new"], true);
    }
}

/// The movement of that reference that came in.
fn movement(shop: &Shop, addr: SocketAddr, reference: &str) -> String {
    let path = format!("/movements/{}", shop.accounts[0].id);
    let listed = ok(ask(addr, ("GET", &path), &shop.owner.session, None));
    let mut all = listed["movements"].as_array().unwrap().iter();
    let is_it = |one: &&Value| one["amount"] == 150.75 && one.to_string().contains(reference);
    all.find(is_it).unwrap()["id"].as_str().unwrap().to_owned()
}

fn nothing_is_new_twice(engine: Engine) {
    let bank = Bank::open();
    let mut site = Site::on(engine);
    site.settings = bank.settings();
    let owner = Owner::make(&site, "ana", CREDITS);
    let node = site.start();
    let mut shop = Shop::open(owner, node.addr, &bank, 1);
    let (before, after) = (references(0), references(PAYMENTS));
    accept_all(&shop, &bank, node.addr, &before);
    // A review that was closed after another restore, by a clock that was years ahead.
    site.database.execute("update bank_identities set reviewed_until = 9000000000000000");
    let copy = site.folder().join("copy");
    let copy = copy.to_str().unwrap();
    let (code, made) = site.run(&["backup", copy, "--json"], "");
    assert_eq!((code, &made["owners"]), (Some(0), &json!(1)), "{made}");
    let ended = rotate_push_secret(&site, &shop, node.addr);
    accept_all(&shop, &bank, node.addr, &after);
    node.kill();

    // Another place, with nothing but the master key; the one of before is gone.
    let mut restored = Site::on(engine);
    restored.settings = bank.settings();
    fs::create_dir_all(restored.folder()).unwrap();
    let [kept, log] = ["copy", "ended.log"].map(|name| restored.folder().join(name));
    fs::copy(copy, &kept).unwrap();
    fs::copy(ended, &log).unwrap();
    let key = "master.key";
    fs::copy(site.folder().join(key), restored.folder().join(key)).unwrap();
    drop(site);
    let [kept, log] = [&kept, &log].map(|path| path.to_str().unwrap());
    let arguments = ["restore", kept, "--keys", "go-on", "--ended", log, "--json"];
    let (code, put) = restored.run(&arguments, "");
    assert_eq!(
        (code, &put["differences"], &put["ended"]),
        (Some(0), &json!(0), &json!(1)),
        "{put}"
    );
    // The bank shows what the copy does not know; what it showed before is not to be good again.
    let replaced = "select count(*) from bank_push p join user_banks b on b.owner_id = p.owner_id \
        and b.id = p.bank_id where p.updated_at > b.created_at";
    assert_eq!(restored.database.number(replaced), 1);

    let node = restored.start();
    for answer in verify_all(&shop, node.addr, &before) {
        assert_eq!(ok(answer)["data"]["is_new"], false);
    }
    for _ in 0..2 {
        for answer in verify_all(&shop, node.addr, &after) {
            assert_eq!((answer.status, answer.code()), (409, "PAYMENT_NEEDS_REVIEW"));
        }
    }
    // A person who has looked at the shop's own records accepts one, at no cost.
    let charged = i64::try_from(PAYMENTS).unwrap();
    shop.owner.issue_keys(node.addr, &[]);
    assert_eq!(shop.owner.balance(node.addr), CREDITS - charged);
    let path = format!("/v1/movements/{}/accept", movement(&shop, node.addr, &after[0]));
    let accepted = ok(ask(node.addr, ("POST", &path), &shop.owner.session, Some(&json!({}))));
    assert_eq!(accepted["data"]["credit_cost"], 0);
    let again = ok(verify_all(&shop, node.addr, &after[..1]).remove(0));
    assert_eq!(again["data"]["is_new"], false);
    assert_eq!(shop.owner.balance(node.addr), CREDITS - charged);
    let (code, audit) = restored.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
    node.stop();
}

#[test]
fn nothing_is_new_twice_after_a_restore_on_sqlite() {
    nothing_is_new_twice(Engine::Sqlite);
}

#[test]
fn nothing_is_new_twice_after_a_restore_on_postgres() {
    nothing_is_new_twice(Engine::Postgres);
}

/// A copy of a file goes into a server, and one of a server into a file.
#[test]
fn a_copy_of_one_engine_goes_into_the_other() {
    for (from, to) in [(Engine::Sqlite, Engine::Postgres), (Engine::Postgres, Engine::Sqlite)] {
        let site = Site::on(from);
        let owner = Owner::make(&site, "ana", CREDITS);
        let node = site.start();
        assert_eq!(ok(owner.verify(node.addr, &owner.keys[0], "1067890"))["data"]["is_new"], true);
        node.stop();
        let copy = site.folder().join("copy");
        let copy = copy.to_str().unwrap();
        assert_eq!(site.run(&["backup", copy, "--json"], "").0, Some(0));

        let restored = Site::on(to);
        fs::create_dir_all(restored.folder()).unwrap();
        let key = "master.key";
        fs::copy(site.folder().join(key), restored.folder().join(key)).unwrap();
        let (code, put) = restored.run(&["restore", copy, "--keys", "go-on", "--json"], "");
        assert_eq!((code, &put["differences"]), (Some(0), &json!(0)), "{put}");
        let node = restored.start();
        let again = ok(owner.verify(node.addr, &owner.keys[0], "1067890"));
        assert_eq!(again["data"]["is_new"], false);
        node.stop();
    }
}
