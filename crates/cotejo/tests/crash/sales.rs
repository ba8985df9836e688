//! Links that are paid by many payers at once while the service is killed again and again and the
//! shop's system sometimes fails: the whole path of a payment under load.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use testkit::Engine;
use testkit::scripted::Play;

use crate::bank::Bank;
use crate::cast::Owner;
use crate::chance::Chance;
use crate::episode::{Outcome, kill_again_and_again};
use crate::http::Connection;
use crate::patience::now;
use crate::payer::{self, Said};
use crate::program::Site;
use crate::sales_audit::violations;
use crate::shop::{AMOUNT, Receiver, Shop, Webhook};
use crate::stage::Stage;

pub(crate) const CREDITS: i64 = 1_000_000;

/// How many sell at once.
const SELLERS: usize = 10;

/// How many of them begin together: what is at the bank when it is looked at is paid at once.
const SALES_AT_ONCE: usize = 3;

/// How often payers come, before they leave it to the end: a link takes twenty attempts an hour.
const VISITS_MAX: usize = 12;

/// How many accounts they share. The bank wants two seconds between two looks at one.
const ACCOUNTS: usize = 4;

/// How long a payer looks at the page: on PostgreSQL what a killed server has left is looked after
/// when its lease is over, and nobody waits for that.
const LOOKING_MAX: Duration = Duration::from_secs(4);

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How often the shop's system fails an event, at the most: fewer than there are attempts.
const FAILURES_MAX: u32 = 4;

/// Links and receipts, all at the bank by then. One link and one receipt, mostly; but one receipt
/// may be shown for two links, of which it pays one, and two receipts for one link, which one pays.
#[derive(Clone)]
pub(crate) struct Sale {
    pub(crate) links: Vec<String>,
    pub(crate) receipts: Vec<String>,
}

impl Sale {
    /// Every link with every receipt.
    pub(crate) fn attempts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.links.iter().flat_map(|link| {
            self.receipts.iter().map(move |receipt| (link.as_str(), receipt.as_str()))
        })
    }
}

/// Market that everybody shares.
pub(crate) struct Market {
    stage: Stage,
    pub(crate) shop: Shop,
    bank: Bank,
    pub(crate) receiver: Receiver,
    pub(crate) moods: Arc<Moods>,
    numbers: AtomicUsize,
    pub(crate) notes: Mutex<Notes>,
}

/// Notes of what was seen. Whatever the service forgets afterwards, payers do not.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) sales: Vec<Sale>,
    /// Links whose page has said that they are paid.
    pub(crate) said_paid: HashSet<String>,
    pub(crate) violations: Vec<String>,
    /// How often pages said what in the end.
    ends: BTreeMap<String, usize>,
}

/// Sells for so long, with a service that is killed all the while; then looks at everything.
pub(crate) fn of_sales(engine: Engine, seed: u64, lasting: Duration) -> Outcome {
    let mut chance = Chance::new(seed);
    let bank = Bank::open();
    let mut site = Site::on(engine);
    site.settings = bank.settings();
    let owner = Owner::make(&site, "ana", CREDITS);
    let node = site.start();
    let shop = Shop::open(owner, node.addr, &bank, ACCOUNTS);
    node.stop();
    let moods = Arc::new(Moods::new(chance.fork()));
    let mood = Arc::clone(&moods);
    let receiver = Receiver::open(&shop.secret, move |webhook| mood.answer(webhook));
    let (stage, numbers, notes) = (Stage::default(), AtomicUsize::new(0), Mutex::default());
    let market = Arc::new(Market { stage, shop, bank, receiver, moods, numbers, notes });

    let sellers = sellers(&market, &mut chance);
    let blows = kill_again_and_again(&site, &market.stage, &mut chance, lasting, |chance| {
        if chance.below(2) == 0 {
            let_an_hour_pass(&site);
        }
    });
    sellers.into_iter().for_each(|seller| seller.join().unwrap());
    let violations = violations(&site, &market);
    Outcome { blows, summary: market.summary(), violations }
}

/// Leases run out and receivers are notified again, as after an hour without a server.
pub(crate) fn let_an_hour_pass(site: &Site) {
    site.database.execute(
        "update due set due_at = due_at - 3600000000; \
         update verifications set lease_until = lease_until - 3600000000 where state = 0",
    );
}

impl Market {
    fn summary(&self) -> String {
        let notes = self.notes.lock().unwrap();
        let received = self.receiver.received();
        let events: HashSet<&str> = received.iter().map(|it| it.event.as_str()).collect();
        let ends: Vec<String> =
            notes.ends.iter().map(|(said, count)| format!("{count} x {said}")).collect();
        let (webhooks, sales) = (received.len(), notes.sales.len());
        format!(
            "{sales} sales, {}; {} events in {webhooks} webhooks",
            ends.join(", "),
            events.len()
        )
    }
}

/// Sellers and payers at work, until the stage is over.
fn sellers(market: &Arc<Market>, chance: &mut Chance) -> Vec<JoinHandle<()>> {
    let seller = |_| {
        let (market, chance) = (Arc::clone(market), chance.fork());
        thread::spawn(move || Seller { market, chance, open: VecDeque::new() }.work())
    };
    (0..SELLERS).map(seller).collect()
}

struct Seller {
    market: Arc<Market>,
    chance: Chance,
    /// What is not known to be paid yet, and how often the payers have come.
    open: VecDeque<(Sale, usize)>,
}

impl Seller {
    fn work(mut self) {
        let mut served = 0;
        while let Some((addr, server)) = self.market.stage.server_after(served) {
            // A call that fails on its connection has met a kill: on to the next server.
            while !self.market.stage.is_over() && self.turn(addr).is_ok() {}
            served = server;
        }
    }

    /// Sees to what a killed server has left, mostly, and otherwise sells something.
    fn turn(&mut self, addr: SocketAddr) -> io::Result<()> {
        if self.open.is_empty() || self.chance.below(3) == 0 {
            for _ in 0..SALES_AT_ONCE {
                let sale = self.offer(addr)?;
                self.market.notes.lock().unwrap().sales.push(sale.clone());
                self.open.push_back((sale, 0));
            }
        }
        let Some((sale, visits)) = self.open.pop_front() else { return Ok(()) };
        if visits + 1 < VISITS_MAX {
            self.open.push_back((sale.clone(), visits + 1));
        }
        let end = self.sell(addr, &sale)?;
        if end {
            self.open.retain(|(known, _)| known.links != sale.links);
        }
        Ok(())
    }

    /// Lets payers type every receipt into every link, at once. Tells whether that was the end.
    fn sell(&mut self, addr: SocketAddr, sale: &Sale) -> io::Result<bool> {
        let attempts = sale.attempts();
        let spelled: Vec<(&str, String)> =
            attempts.map(|(link, receipt)| (link, spell(&mut self.chance, receipt))).collect();
        let market = &self.market;
        let ends: Vec<io::Result<bool>> = thread::scope(|scope| {
            let payers: Vec<_> = spelled
                .iter()
                .map(|(link, typed)| scope.spawn(move || market.pay(addr, sale, link, typed)))
                .collect();
            payers.into_iter().map(|payer| payer.join().unwrap()).collect()
        });
        ends.into_iter().try_fold(true, |all, end| Ok(all & end?))
    }

    /// Makes the payments, and the links that ask for them.
    fn offer(&mut self, addr: SocketAddr) -> io::Result<Sale> {
        let (links, receipts) = match self.chance.below(6) {
            0 => (2, 1),
            1 => (1, 2),
            _ => (1, 1),
        };
        let Market { shop, bank, receiver, numbers, .. } = &*self.market;
        let account = self.chance.among(&shop.accounts);
        let mut line = Connection::to(addr)?;
        let links = (0..links).map(|_| shop.ask_for_money(&mut line, account, &receiver.url()));
        let links = links.collect::<io::Result<Vec<String>>>()?;
        let receipt = |_| {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            let reference = format!("0000{}", 70_123_456 + number);
            bank.pay(&account.number, &reference, AMOUNT, Duration::ZERO);
            reference
        };
        Ok(Sale { links, receipts: (0..receipts).map(receipt).collect() })
    }
}

/// The digits of a receipt as one person or another types them.
fn spell(chance: &mut Chance, receipt: &str) -> String {
    let (head, tail) = receipt.split_at(receipt.len() - 6);
    let (_, eight) = receipt.split_at(receipt.len() - 8);
    match chance.below(4) {
        0 => tail.to_owned(),
        1 => eight.to_owned(),
        2 => format!("{head} {tail}"),
        _ => receipt.to_owned(),
    }
}

impl Market {
    /// Types what the page does not know yet, and looks for a while; answers whether that was the
    /// end. A connection that breaks says nothing.
    fn pay(&self, addr: SocketAddr, sale: &Sale, link: &str, typed: &str) -> io::Result<bool> {
        let mut line = Connection::to(addr)?;
        let mut place = payer::page_of(link);
        let mut said = payer::look(&mut line, &place)?;
        if said == Said::Nothing {
            let page = payer::send(&mut line, link, typed)?;
            match (page.status, page.location) {
                (200 | 303, Some(there)) => place = there,
                // So many checks were left open by servers that were killed.
                (429, _) => return Ok(false),
                (status, _) => self.violation(format!("{link}, {typed}: {status} {}", page.text)),
            }
            said = payer::look(&mut line, &place)?;
        }
        let begun = now();
        while said.is_busy() && begun.elapsed() < LOOKING_MAX && !self.stage.is_over() {
            thread::sleep(LOOK_EVERY);
            said = payer::look(&mut line, &place)?;
        }
        self.note(sale, link, &said);
        Ok(!said.is_busy() && said != Said::Nothing)
    }

    fn note(&self, sale: &Sale, link: &str, said: &Said) {
        let has_rival = sale.links.len() > 1;
        match said {
            Said::Paid => drop(self.notes.lock().unwrap().said_paid.insert(link.to_owned())),
            // The page of a link says nothing of a check that somebody else has ended.
            Said::Checking | Said::StillChecking | Said::Nothing => {}
            Said::NotFound if has_rival => {}
            // The payment is there, and so is the bank.
            _ => self.violation(format!("{link}, {:?}: {said:?}", sale.receipts)),
        }
        let mut notes = self.notes.lock().unwrap();
        *notes.ends.entry(format!("{said:?}")).or_default() += 1;
    }

    fn violation(&self, what: String) {
        self.notes.lock().unwrap().violations.push(what);
    }
}

/// How the shop's system takes its notifications.
pub(crate) struct Moods {
    is_well: AtomicBool,
    state: Mutex<(Chance, HashMap<String, u32>)>,
}

impl Moods {
    fn new(chance: Chance) -> Self {
        Self { is_well: AtomicBool::new(false), state: Mutex::new((chance, HashMap::new())) }
    }

    /// From now on it answers everything.
    pub(crate) fn get_well(&self) {
        self.is_well.store(true, Ordering::SeqCst);
    }

    fn answer(&self, webhook: &Webhook) -> Play {
        let mut state = self.state.lock().unwrap();
        let (chance, failures) = &mut *state;
        let failures = failures.entry(webhook.event.clone()).or_default();
        let fails = *failures < FAILURES_MAX && chance.below(3) == 0;
        if self.is_well.load(Ordering::SeqCst) || !fails {
            return Play::ok("{}");
        }
        *failures += 1;
        match chance.below(4) {
            0 => Play::Silence,
            1 => Play::Bytes(Vec::new()),
            _ => Play::Answer(500, Vec::new()),
        }
    }
}
