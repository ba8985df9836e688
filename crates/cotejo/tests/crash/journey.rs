//! The whole path of a payment, between processes: the service, the bank, a payer's browser and the
//! shop's system. The bank is in time, late, slow, down, and lying.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use testkit::Engine;
use testkit::scripted::Play;

use crate::bank::{Bank, KEY, PAYER_PHONE};
use crate::cast::Owner;
use crate::http::Connection;
use crate::patience::until;
use crate::payer::{Payer, Said, page_of};
use crate::program::{Node, Site};
use crate::shop::{AMOUNT, Account, Receiver, Shop, status};

const CREDITS: i64 = 20;

/// For whatever needs no waiting, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(20);

const AT_ONCE: Duration = Duration::ZERO;

/// Phone of a stranger. Money from it is somebody else's.
const STRANGER_PHONE: &str = "04160000009";

/// Everybody who has a part.
struct Scene {
    site: Site,
    node: Node,
    bank: Bank,
    shop: Shop,
    receiver: Receiver,
    /// Every link that was reported, with what the service said that it is before that was answered.
    asked_back: Arc<Mutex<Vec<(String, String)>>>,
}

impl Scene {
    fn open(engine: Engine, accounts: usize) -> Self {
        let bank = Bank::open();
        let mut site = Site::on(engine);
        site.settings = bank.settings();
        let owner = Owner::make(&site, "ana", CREDITS);
        let node = site.start();
        let shop = Shop::open(owner, node.addr, &bank, accounts);
        let asked_back: Arc<Mutex<Vec<_>>> = Arc::default();
        let (notes, addr) = (Arc::clone(&asked_back), node.addr);
        let key = shop.owner.keys[0].text.clone();
        let receiver = Receiver::open(&shop.secret, move |webhook| {
            let now = status(addr, &key, &webhook.link);
            notes.lock().unwrap().push((webhook.link.clone(), now));
            Play::ok("{}")
        });
        Self { site, node, bank, shop, receiver, asked_back }
    }

    fn account(&self) -> &Account {
        &self.shop.accounts[0]
    }

    fn payer(&self) -> Payer {
        Payer(self.node.addr)
    }

    /// A link on that account.
    fn link_on(&self, account: &Account) -> String {
        let mut line = Connection::to(self.node.addr).unwrap();
        self.shop.ask_for_money(&mut line, account, &self.receiver.url()).unwrap()
    }

    fn link(&self) -> String {
        self.link_on(self.account())
    }

    /// The bank has what the links ask for, under that reference.
    fn appears(&self, reference: &str) {
        self.bank.pay(&self.account().number, reference, AMOUNT, AT_ONCE);
    }

    /// Returns the link's status, by the service.
    fn status(&self, link: &str) -> String {
        status(self.node.addr, &self.shop.owner.keys[0].text, link)
    }

    /// The link goes on as if nobody had tried, and nothing was spent on it.
    fn is_pending(&self, link: &str) {
        assert_eq!(self.status(link), "pending");
        assert_eq!(self.shop.owner.balance(self.node.addr), CREDITS);
    }

    /// These links are paid and no others, each for one credit, and each was reported once by a
    /// webhook that is signed and true. Then everything ends well.
    fn ends_with(self, paid: &[String]) {
        until(SOON, "the webhooks", || self.asked_back.lock().unwrap().len() >= paid.len());
        let received = self.receiver.received();
        assert_eq!(received.len(), paid.len(), "{received:?}");
        assert!(received.iter().all(|it| it.is_signed && it.status == "paid"), "{received:?}");
        let mut expected: Vec<_> =
            paid.iter().map(|link| (link.clone(), "paid".to_owned())).collect();
        let mut asked_back = self.asked_back.lock().unwrap().clone();
        expected.sort();
        asked_back.sort();
        assert_eq!(asked_back, expected);

        let spent = i64::try_from(paid.len()).unwrap();
        assert_eq!(self.shop.owner.balance(self.node.addr), CREDITS - spent);
        for query in [
            "select count(*) from payments",
            "select count(distinct payment_id) from payment_links where state = 1",
            "select count(*) from credit_movements where movement_type = 'debit'",
            "select count(*) from webhook_deliveries",
        ] {
            assert_eq!(self.site.database.number(query), spent, "{query}");
        }
        let (code, audit) = self.site.run(&["check-ledger", "--json"], "");
        assert_eq!(code, Some(0), "{audit}");
        self.node.stop();
    }
}

/// Six, eight and all twelve digits lead to a payment; none leads to one that was taken.
fn paid_by_6_8_and_12_digits(engine: Engine) {
    let scene = Scene::open(engine, 1);
    let payments = ["000079912345", "000088854321", "000077767890"];
    let links = payments.map(|_| scene.link());
    let payer = scene.payer();
    assert_eq!(payer.sees(&page_of(&links[0])), Said::Nothing);
    payments.into_iter().for_each(|reference| scene.appears(reference));
    for (link, typed) in links.iter().zip(["912345", "88854321", "000077767890"]) {
        assert_eq!(payer.pays(link, typed), Said::Paid, "{typed}");
        assert_eq!(payer.sees(&page_of(link)), Said::Paid);
    }
    let another = scene.link();
    for reference in ["79912345", "088854321", "7776-7890"] {
        assert_eq!(payer.pays(&another, reference), Said::NotFound, "{reference}");
    }
    scene.ends_with(&links);
}

/// The bank shows the payment half a minute after the payer has it on the receipt.
fn a_payment_that_appears_late(engine: Engine) {
    const LATE: Duration = Duration::from_secs(30);
    let scene = Scene::open(engine, 1);
    let (link, payer) = (scene.link(), scene.payer());
    scene.bank.pay(&scene.account().number, "000079912345", AMOUNT, LATE);
    assert_eq!(payer.pays(&link, "79912345"), Said::NotFound);
    scene.is_pending(&link);
    scene.bank.let_pass(LATE - Duration::from_secs(1));
    assert_eq!(payer.pays(&link, "912345"), Said::NotFound);
    scene.is_pending(&link);
    scene.bank.let_pass(Duration::from_secs(1));
    assert_eq!(payer.pays(&link, "79912345"), Said::Paid);
    scene.ends_with(&[link]);
}

/// The payer is asked to wait, closes the page, and has paid all the same.
fn a_bank_that_is_slow(engine: Engine) {
    const SLOW: Duration = Duration::from_secs(25);
    let scene = Scene::open(engine, 1);
    let (link, payer) = (scene.link(), scene.payer());
    scene.appears("000079912345");
    scene.bank.fail(&scene.account().number, "slow");
    let place = payer.types(&link, "79912345");
    assert_eq!(payer.sees(&place), Said::Checking);
    assert_eq!(scene.status(&link), "pending");
    until(SOON, "a page that admits it", || payer.sees(&place) == Said::StillChecking);
    // A person who opens the link anew sees it too.
    assert_eq!(payer.sees(&page_of(&link)), Said::Checking);
    scene.bank.fail(&scene.account().number, "none");
    scene.bank.let_pass(SLOW);
    assert_eq!(payer.waits(&place), Said::Paid);
    scene.ends_with(&[link]);
}

/// Nobody listens where the bank was.
fn a_bank_that_is_down(engine: Engine) {
    let mut scene = Scene::open(engine, 1);
    let (link, payer) = (scene.link(), scene.payer());
    let address = scene.bank.address();
    // The process ends before another one listens there.
    drop(scene.bank);
    assert_eq!(payer.pays(&link, "79912345"), Said::Unheard);
    scene.bank = Bank::open_at(address);
    scene.bank.open_account(&scene.account().number, KEY);
    scene.appears("000079912345");
    scene.is_pending(&link);
    assert_eq!(payer.pays(&link, "79912345"), Said::Paid);
    scene.ends_with(&[link]);
}

/// Ways to answer that say nothing of the payment, each on an account of its own.
const LIES: [&str; 6] =
    ["html", "truncated_json", "maintenance", "unknown_code", "http_500", "reset"];

/// Whatever it says instead of an extract, nothing is concluded from it.
fn a_bank_that_lies(engine: Engine) {
    let scene = Scene::open(engine, LIES.len() + 2);
    let here = &scene;
    let (lied_to, others) = here.shop.accounts.split_at(LIES.len());
    let (locked_out, crowded) = (&others[0], &others[1]);
    let paid = thread::scope(|scope| {
        let mut running = Vec::new();
        for (account, kind) in lied_to.iter().zip(LIES) {
            let fail = |kind| here.bank.fail(&account.number, kind);
            let attempt = move || lied_to_and_paid(here, account, || fail(kind), || fail("none"));
            running.push(scope.spawn(attempt));
        }
        running.push(scope.spawn(|| {
            // The bank says that it does not know the key.
            let lock = |key| here.bank.open_account(&locked_out.number, key);
            lied_to_and_paid(here, locked_out, || lock("another-made-up-key"), || lock(KEY))
        }));
        running.push(scope.spawn(|| among_strangers(here, crowded)));
        running.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    scene.ends_with(&paid);
}

/// The page says that the bank gives no answer. Once it does, the payer has paid. Answers the link.
fn lied_to_and_paid(scene: &Scene, account: &Account, begin: impl Fn(), end: impl Fn()) -> String {
    let (link, payer) = (scene.link_on(account), scene.payer());
    scene.bank.pay(&account.number, "000079912345", AMOUNT, AT_ONCE);
    begin();
    assert_eq!(payer.pays(&link, "79912345"), Said::Unheard, "{account:?}");
    assert_eq!(scene.status(&link), "pending");
    end();
    assert_eq!(payer.pays(&link, "79912345"), Said::Paid, "{account:?}");
    link
}

/// Checks that payments of strangers, alike as they look, and other references are not this payer's payment.
fn among_strangers(scene: &Scene, account: &Account) -> String {
    let (link, payer) = (scene.link_on(account), scene.payer());
    let pay_from =
        |phone, reference| scene.bank.pay_from(phone, &account.number, reference, AMOUNT, AT_ONCE);
    pay_from(STRANGER_PHONE, "000011912345");
    pay_from(PAYER_PHONE, "000079912346");
    assert_eq!(payer.pays(&link, "912345"), Said::NotFound);
    pay_from(PAYER_PHONE, "000079912345");
    assert_eq!(payer.pays(&link, "912345"), Said::Paid);
    link
}

#[test]
fn paid_by_6_8_and_12_digits_on_sqlite() {
    paid_by_6_8_and_12_digits(Engine::Sqlite);
}

#[test]
fn paid_by_6_8_and_12_digits_on_postgres() {
    paid_by_6_8_and_12_digits(Engine::Postgres);
}

#[test]
fn a_payment_that_appears_late_on_sqlite() {
    a_payment_that_appears_late(Engine::Sqlite);
}

#[test]
fn a_payment_that_appears_late_on_postgres() {
    a_payment_that_appears_late(Engine::Postgres);
}

#[test]
fn a_bank_that_is_slow_on_sqlite() {
    a_bank_that_is_slow(Engine::Sqlite);
}

#[test]
fn a_bank_that_is_slow_on_postgres() {
    a_bank_that_is_slow(Engine::Postgres);
}

#[test]
fn a_bank_that_is_down_on_sqlite() {
    a_bank_that_is_down(Engine::Sqlite);
}

#[test]
fn a_bank_that_is_down_on_postgres() {
    a_bank_that_is_down(Engine::Postgres);
}

#[test]
fn a_bank_that_lies_on_sqlite() {
    a_bank_that_lies(Engine::Sqlite);
}

#[test]
fn a_bank_that_lies_on_postgres() {
    a_bank_that_lies(Engine::Postgres);
}
