//! The world of a simulation: an owner with an account and some subscriptions, two nodes on one store, each with a clock
//! of its own, and payers on their way.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bank::{Bank, Banks};
use domain::access::{Caller, MakeSubscription, OwnerCaller};
use domain::ids::{
    BankId, IdentityId, KeyId, LinkId, OwnerId, SessionId, SubscriptionId, VerificationId,
};
use domain::links::{Currency, Price};
use domain::money::Credits;
use domain::second_factor::Proof;
use domain::session::Session;
use domain::subscriptions::Terms;
use domain::time::{CaracasDate, Timestamp};
use store::locators::Located;
use store::tx::Tx;
use store::{Lane, Meter, Store, accounts, credits, keys, owners, sessions};

use super::books::{Books, Known};
use super::payers::Calling;
use super::people::{People, permitted, price};
use super::reminders;
use super::terms;
use super::trouble::Troubles;
use crate::present::key_caller;
use crate::subscriptions::{PartyName, PhoneText, SubscriptionRequest, make};
use crate::vault::MasterKey;
use crate::verification::simulation::bank::{Ledger, SimulatedBank};
use crate::verification::simulation::questions::new_key;
use crate::verification::simulation::surroundings::{
    Chance, Ids, Running, VirtualClock, app, at_once, pick,
};
use crate::{App, Clock, Tasks, delivery_days};

/// Ten minutes before midnight in Caracas at the end of a year.
const START: Timestamp = Timestamp::from_micros(1_767_239_400_000_000);

/// Credits of the owner: each payment costs one.
pub(super) const GRANTED: i64 = 100_000;

/// By how much a clock is set wrong.
const SKEWS: [Duration; 4] = [
    Duration::from_secs(3 * 60 * 60),
    Duration::from_secs(26 * 60 * 60),
    Duration::from_secs(5 * 24 * 60 * 60),
    Duration::from_secs(20 * 24 * 60 * 60),
];

/// A process of the service.
pub(super) struct Node {
    pub(super) app: Arc<App>,
    pub(super) clock: VirtualClock,
    pub(super) running: Arc<Running>,
}

pub(super) struct World {
    pub(super) owner: OwnerId,
    pub(super) identity: IdentityId,
    pub(super) nodes: [Node; 2],
    pub(super) ledger: Arc<Mutex<Ledger>>,
    pub(super) people: People,
    /// The owner, signed in.
    pub(super) person: Caller,
    /// Payers on their way, each at a node.
    pub(super) calls: Vec<(usize, Calling)>,
    /// The checks that payers are known to have begun.
    pub(super) checks: Vec<(LinkId, VerificationId)>,
    /// The links that payers came with.
    pub(super) links: Vec<LinkId>,
    /// How many references were given to payments.
    pub(super) references: u64,
    /// The latest instant that any clock has shown.
    pub(super) latest: Timestamp,
}

impl World {
    /// A new owner in `store`, who has made six to ten subscriptions by a key.
    pub(super) fn new(store: &Store, troubles: &Troubles, seed: u64, chance: &mut Chance) -> Self {
        let ids = Ids(AtomicU64::new(seed << 32));
        let owner = OwnerId::new(&ids, START);
        let (key, session) = (KeyId::new(&ids, START), SessionId::new(&ids, START));
        let (bank, identity) = (BankId::new(&ids, START), IdentityId::new(&ids, START));
        begin(store, owner, (key, session), (bank, identity));
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let connector: Arc<dyn Bank> = Arc::new(SimulatedBank::new(Arc::clone(&ledger)));
        let master = MasterKey::generate(&ids);
        let others = Ids(AtomicU64::new((seed << 32) + (1 << 31)));
        let nodes = [ids, others].map(|ids| node(store, ids, &connector, &master));
        let key = caller(store, owner, key);
        let mut known = Vec::new();
        for _ in 0..6 + chance.below(5) {
            let goes_by_itself = chance.below(3) == 0;
            let terms = terms::draw(chance, CaracasDate::of(START), goes_by_itself);
            let price = price(chance);
            let id = made(&nodes[0].app, &key, bank, (terms, price));
            known.push(Known::new(id, terms, price, goes_by_itself));
        }
        let books: Books = Arc::new(Mutex::new(known));
        Self {
            owner,
            identity,
            nodes,
            ledger,
            people: People { owner, key, books, troubles: troubles.clone() },
            person: Caller::Owner(OwnerCaller { owner, session, proof: Proof::NotAsked }),
            calls: Vec::new(),
            checks: Vec::new(),
            links: Vec::new(),
            references: 0,
            latest: START,
        }
    }

    pub(super) fn store(&self) -> &Store {
        &self.nodes[0].app.store
    }

    /// How long it has existed.
    pub(super) fn age(&self) -> Duration {
        self.nodes[0].clock.uptime()
    }

    /// The instant that the clocks show once they are right.
    pub(super) fn right_time(&self) -> Timestamp {
        START.plus(self.age())
    }

    /// Time passes.
    pub(super) fn advance(&mut self, by: Duration) {
        self.nodes.iter().for_each(|node| node.clock.advance(by));
        self.note_shown();
    }

    /// Somebody sets the clock of a node wrong, ahead or back.
    pub(super) fn set_clock(&mut self, chance: &mut Chance) {
        let (by, right) = (SKEWS[pick(chance, SKEWS.len())], self.right_time());
        let to = if chance.below(2) == 0 { right.plus(by) } else { right.minus(by) };
        self.nodes[pick(chance, self.nodes.len())].clock.set_to(to);
        self.note_shown();
    }

    /// Somebody corrects the clocks.
    pub(super) fn set_clocks_right(&mut self) {
        let right = self.right_time();
        self.nodes.iter().for_each(|node| node.clock.set_to(right));
        self.note_shown();
    }

    fn note_shown(&mut self) {
        let shown = self.nodes.iter().map(|node| node.clock.now());
        self.latest = shown.fold(self.latest, Timestamp::max);
    }

    /// Somebody looks at one of the subscriptions.
    pub(super) fn look(&self, chance: &mut Chance) {
        let (place, _) = self.people.wish(chance);
        self.people.look(&self.nodes[0].app, place);
    }
}

/// Makes an owner with a key, a session that lasts, an account, and systems that are notified.
fn begin(
    store: &Store,
    owner: OwnerId,
    (key, session): (KeyId, SessionId),
    (bank, identity): (BankId, IdentityId),
) {
    let signed_in =
        Session { expires_at: Timestamp::from_micros(i64::MAX), ..Session::begin(START) };
    let write = move |tx: &mut Tx<'_>| {
        owners::insert(tx, owner, "owner@example.com", "Owner", "", START)?;
        delivery_days::begin(tx, owner, START)?;
        credits::grant(tx, owner, Credits::new(GRANTED), START)?;
        reminders::listen(tx, owner, START)?;
        keys::insert(tx, owner, &new_key(key, None), START)?;
        sessions::insert(tx, (owner, None), session, (&signed_in, false), None)?;
        let provider = SimulatedBank::PROVIDER.to_owned();
        let (account, description, client) = (bank.to_string(), String::new(), None);
        let new =
            accounts::NewAccount { id: bank, identity, provider, account, description, client };
        accounts::insert(tx, owner, &new, START)
    };
    at_once(store.write(&Meter::default(), Lane::Admission, owner, write)).unwrap();
}

fn node(store: &Store, ids: Ids, connector: &Arc<dyn Bank>, master: &MasterKey) -> Node {
    let clock = VirtualClock::default();
    clock.set_to(START);
    let running = Arc::new(Running::default());
    let tasks = Arc::clone(&running) as Arc<dyn Tasks>;
    let banks = Banks::of([Arc::clone(connector)]);
    let app = Arc::new(app(store, &clock, (ids, tasks), banks, master));
    Node { app, clock, running }
}

/// The caller that shows the key.
fn caller(store: &Store, owner: OwnerId, key: KeyId) -> Caller {
    let look = move |tx: &mut Tx<'_>| keys::standing(owner, key).run(tx);
    let standing = at_once(store.look_up(&Meter::default(), look)).unwrap().unwrap();
    let way = Located { owner, subject: key.to_bytes() };
    Caller::Key(key_caller(way, standing, START).unwrap())
}

/// Makes a subscription.
fn made(
    app: &Arc<App>,
    key: &Caller,
    bank: BankId,
    (terms, price): (Terms, i64),
) -> SubscriptionId {
    let request = SubscriptionRequest {
        bank,
        name: None,
        description: None,
        product: (PartyName::parse("Gimnasio").unwrap(), None),
        price: Price { hundredths: price, currency: Currency::Vef },
        customer: (
            PartyName::parse("Cliente").unwrap(),
            PhoneText::parse("0412-0000000").unwrap(),
            None,
        ),
        email: None,
        webhook_url: None,
        terms,
    };
    let act = permitted::<MakeSubscription>(app, key);
    let render: crate::subscriptions::Render =
        |record, _| record.subscription.id.to_string().into_bytes();
    let id = at_once(make(app, &act, request, None, render)).unwrap();
    String::from_utf8(id).unwrap().parse().unwrap()
}
