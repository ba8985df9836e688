//! The world of a simulation: one owner, its keys and accounts, the calls in flight, and what their
//! callers heard.

mod again;
mod disturbances;
mod events;
mod movements;
mod person;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bank::Banks;
use domain::access::{Caller, Permit};
use domain::browser::Program;
use domain::ids::{BankId, ClientId, IdentityId, KeyId, LinkId, OwnerId, PaymentId};
use domain::language::Language;
use domain::links::State;
use domain::matching::Query;
use domain::money::Credits;
use domain::time::{CaracasMonth, Timestamp};
use domain::verification::{REPEAT, RESERVATION};
use store::clients::NewClient;
use store::locators::Located;
use store::{
    Lane, Meter, Store, accounts, clients, credits, keys, ledger_audit, links, owners, payments,
    sessions,
};

use self::person::{PERSONS, signed_in};
use super::bank::{Ledger, SimulatedBank};
use super::questions::{
    AMOUNT, FORMS, MOVEMENTS, PHONES, SPELLINGS, hash, new_key, new_link, phone, query, reference,
    slot,
};
use super::surroundings::{Chance, Ids, Running, VirtualClock, app, at_once, pick, poll};
use super::trouble::Troubles;
use crate::present::key_caller;
use crate::vault::MasterKey;
use crate::verification::link_check::{Check, attempt};
use crate::verification::{ReportedIn, VerifyRequest, verify};
use crate::{Act, App, Clock, Error, RequestContext, Tasks, delivery_days};

/// Ten minutes before midnight in Caracas at the end of a month.
const START: i64 = 1_767_239_400_000_000;
const GRANTED: i64 = 9;
const KEY_CAP: i64 = 4;
const CLIENT_CAP: i64 = 3;

/// How often time passes in the quiet at the end: past every deadline that a takeover can set.
const QUIET_ROUNDS: usize = 60;

/// Answer that one call heard, if it got that far.
struct Answer {
    /// Whose words these are: calls with one `Idempotency-Key` are one.
    call: u64,
    payment: PaymentId,
    is_new: bool,
}

type Calling = Pin<Box<dyn Future<Output = Option<Answer>>>>;

pub(super) struct World {
    app: Arc<App>,
    clock: VirtualClock,
    /// The first and the last instant that it has shown.
    shown: (Timestamp, Timestamp),
    /// The month that was told last.
    month_reported: CaracasMonth,
    running: Arc<Running>,
    ledger: Arc<Mutex<Ledger>>,
    owner: OwnerId,
    callers: Vec<(Caller, Vec<BankId>)>,
    links: Vec<LinkId>,
    capped_key: KeyId,
    client: ClientId,
    calls: Vec<Calling>,
    /// What was asked by an `Idempotency-Key`: of which caller, by its number, account, question and key.
    keyed: Vec<(usize, BankId, Query, u64)>,
    answers: Vec<Answer>,
    meter: Meter,
    numbers: AtomicU64,
    troubles: Troubles,
}

impl World {
    /// A new owner in `store`: three keys (one without limits, one capped, one of a client with a
    /// quota), two accounts (one of them the client's), and three links, one of each key.
    pub(super) fn new(store: &Store, troubles: &Troubles, seed: u64) -> Self {
        let clock = VirtualClock::default();
        clock.set_to(Timestamp::from_micros(START));
        let now = clock.now();
        let ids = Ids(AtomicU64::new(seed << 32));
        let running = Arc::new(Running::default());
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let bank: Arc<dyn bank::Bank> = Arc::new(SimulatedBank::new(Arc::clone(&ledger)));
        let owner = OwnerId::new(&ids, now);
        let client = ClientId::new(&ids, now);
        let [free, capped, bound] = [(); 3].map(|()| KeyId::new(&ids, now));
        let [own, of_client] = [(); 2].map(|()| BankId::new(&ids, now));
        let accounts = [(own, None), (of_client, Some(client))]
            .map(|(id, client)| (id, client, IdentityId::new(&ids, now)));
        let links = [(free, own), (capped, own), (bound, of_client)]
            .map(|(key, bank)| new_link(LinkId::new(&ids), key.into(), bank, now));
        let link_ids = links.iter().map(|link| link.id).collect();
        at_once(store.write(&Meter::default(), Lane::Admission, owner, move |tx| {
            owners::insert(tx, owner, "owner@example.com", "Owner", "", now)?;
            sessions::insert(tx, (owner, None), PERSONS, (&signed_in(now), false), None)?;
            delivery_days::begin(tx, owner, now)?;
            credits::grant(tx, owner, Credits::new(GRANTED), now)?;
            clients::insert(tx, owner, &NewClient::named(client, "Client", true), now)?;
            clients::set_limit(tx, owner, client, Some(Credits::new(CLIENT_CAP)), now)?;
            for (id, bound_to) in [(free, None), (capped, None), (bound, Some(client))] {
                keys::insert(tx, owner, &new_key(id, bound_to), now)?;
            }
            keys::set_limit(tx, owner, capped, Some(Credits::new(KEY_CAP)), now)?;
            for (id, client, identity) in accounts {
                let provider = SimulatedBank::PROVIDER.to_owned();
                let (account, description) = (id.to_string(), String::new());
                let new =
                    accounts::NewAccount { id, identity, provider, account, description, client };
                accounts::insert(tx, owner, &new, now)?;
            }
            for link in &links {
                links::insert(tx, owner, link)?;
            }
            Ok(())
        }))
        .unwrap();
        let caller = |key: KeyId| {
            let look = move |tx: &mut store::tx::Tx<'_>| keys::standing(owner, key).run(tx);
            let standing = at_once(store.look_up(&Meter::default(), look)).unwrap().unwrap();
            let way = Located { owner, subject: key.to_bytes() };
            Caller::Key(key_caller(way, standing, now).unwrap())
        };
        let callers = vec![
            (caller(free), vec![own, of_client]),
            (caller(capped), vec![own, of_client]),
            (caller(bound), vec![of_client]),
        ];
        let master = MasterKey::generate(&ids);
        let tasks = Arc::clone(&running) as Arc<dyn Tasks>;
        let app = Arc::new(app(store, &clock, (ids, tasks), Banks::of([bank]), &master));
        let world = Self {
            app,
            clock,
            shown: (now, now),
            month_reported: CaracasMonth::of(now),
            running,
            ledger,
            owner,
            callers,
            links: link_ids,
            capped_key: capped,
            client,
            calls: Vec::new(),
            keyed: Vec::new(),
            answers: Vec::new(),
            meter: Meter::default(),
            numbers: AtomicU64::new(0),
            troubles: troubles.clone(),
        };
        world.listen();
        world
    }

    /// Somebody asks for one of a few movements, by one of several spellings. A third come with one
    /// of a few `Idempotency-Key`s; most of these ask what everybody asks by that key.
    pub(super) fn call(&mut self, chance: &mut Chance) {
        match chance.below(8) {
            0 => return self.accept(chance),
            1..3 => return self.pay_link(chance),
            _ => {}
        }
        let key = (chance.below(3) == 0).then(|| chance.below(3));
        let usual = key.filter(|_| chance.below(8) > 0);
        let chosen = usual.map_or_else(|| pick(chance, self.callers.len()), |_| 0);
        let (caller, banks) = &self.callers[chosen];
        let bank = banks[usual.map_or_else(|| pick(chance, banks.len()), |_| 0)];
        let query = match usual {
            Some(key) => query(key, 0, 1),
            None => {
                let spelling = chance.below(SPELLINGS);
                query(chance.below(MOVEMENTS), spelling, chance.below(FORMS))
            }
        };
        let lost = chance.below(6) == 0;
        let mood = (u32::try_from(chance.below(6)).unwrap(), chance.below(6) == 0);
        self.ledger.lock().unwrap().moods.push_back(mood);
        self.calls.push(self.calling(caller, bank, query.clone(), lost, key));
        self.keyed.extend(key.map(|key| (chosen, bank, query, key)));
    }

    /// A payer types one of the same references into the page of one of the links.
    fn pay_link(&mut self, chance: &mut Chance) {
        let (owner, id) = (self.owner, self.links[pick(chance, self.links.len())]);
        let spelling = chance.below(SPELLINGS);
        let mut query = query(chance.below(MOVEMENTS), spelling, 1);
        query.phone = Some(phone(pick(chance, PHONES.len())));
        let mood = (u32::try_from(chance.below(6)).unwrap(), chance.below(6) == 0);
        self.ledger.lock().unwrap().moods.push_back(mood);
        let (app, request) = (Arc::clone(&self.app), self.request());
        let troubles = self.troubles.clone();
        self.calls.push(Box::pin(async move {
            let found = app.store.look_up(&request.meter, move |tx| {
                let link = links::find(tx, owner, id)?.expect("a link");
                let account = accounts::find(tx, owner, link.bank)?.expect("an account");
                Ok((link, account))
            });
            let (link, account) = found.await.unwrap();
            let check = Check { owner, link, account, query };
            match attempt(&app, check, &request).await {
                Ok(_) | Err(Error::Refused(_)) => None,
                Err(error) => troubles.explain(&error),
            }
        }));
    }

    /// How many of the links are paid.
    fn links_paid(&self) -> usize {
        let (owner, ids) = (self.owner, self.links.clone());
        let look = self.app.store.look_up(&self.meter, move |tx| {
            let found = ids.iter().map(|id| links::find(tx, owner, *id));
            found.collect::<Result<Vec<_>, _>>()
        });
        let found = at_once(look).unwrap();
        found.iter().flatten().filter(|link| link.standing.state == State::Paid).count()
    }

    /// The first caller asks for the first movement, and hears what it hears without anything else
    /// going on but the run that it waits for. `None` where the answer is lost on its way.
    pub(super) fn ask_alone(&mut self, key: Option<u64>, lost: bool) -> Option<bool> {
        let (caller, banks) = &self.callers[0];
        let mut calling = self.calling(caller, banks[0], query(0, 0, 1), lost, key);
        loop {
            if let Some(received) = poll(calling.as_mut()) {
                let is_new = received.as_ref().map(|received| received.is_new);
                self.answers.extend(received);
                return is_new;
            }
            let mut task = self.running.0.lock().unwrap().pop().expect("it waits for nothing");
            assert!(poll(task.as_mut()).is_some(), "the bank answers at once");
        }
    }

    /// A request that has just come.
    fn request(&self) -> RequestContext {
        RequestContext {
            received: self.clock.now(),
            received_uptime: self.clock.uptime(),
            request_id: String::new(),
            address: None,
            program: Program::default(),
            language: Language::Es,
            meter: Arc::default(),
            readmitted: OnceLock::new(),
        }
    }

    fn calling(
        &self,
        caller: &Caller,
        bank: BankId,
        query: Query,
        lost: bool,
        key: Option<u64>,
    ) -> Calling {
        let actor = caller.actor().unwrap();
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let slot = key.map(|key| slot(actor.to_bytes(), key, &format!("{bank} {query:?}")));
        let call = slot.as_ref().map_or(number, |slot| hash(&format!("{slot:?}")));
        let request =
            VerifyRequest { bank, query, source_name: None, reported_in: ReportedIn::Answer };
        let now = self.app.clock.now();
        let act = Act {
            permit: Permit::check(caller, now).unwrap(),
            now,
            request: Arc::new(self.request()),
        };
        let (app, troubles) = (Arc::clone(&self.app), self.troubles.clone());
        Box::pin(async move {
            let render: crate::verification::Render = |confirmed| {
                format!("{} {}", confirmed.whole.payment.id, confirmed.is_new).into_bytes()
            };
            let answered = match verify(&app, &act, request, slot, render).await {
                Ok(answered) => answered,
                Err(Error::Refused(_)) => return None,
                Err(error) => return troubles.explain(&error),
            };
            // The connection breaks before the answer is on it.
            if lost {
                return None;
            }
            if let Some(first_report) = answered.first_report {
                first_report.delivered();
            }
            let body = String::from_utf8(answered.body).unwrap();
            let (payment, is_new) = body.split_once(' ').unwrap();
            Some(Answer { call, payment: payment.parse().unwrap(), is_new: is_new == "true" })
        })
    }

    /// Does the same as [`World::poll_one`], but the store may be in trouble meanwhile.
    pub(super) fn poll_in_trouble(&mut self, chance: &mut Chance) {
        self.troubles.arm(chance);
        self.poll_one(chance);
        self.troubles.disarm();
    }

    /// One of the calls and tasks in flight goes on until it must wait.
    pub(super) fn poll_one(&mut self, chance: &mut Chance) {
        let tasks = self.running.0.lock().unwrap().len();
        let all = tasks + self.calls.len();
        if all == 0 {
            return;
        }
        let chosen = pick(chance, all);
        if chosen < tasks {
            // Taken out while it runs, because it may spawn others.
            let mut task = self.running.0.lock().unwrap().swap_remove(chosen);
            if poll(task.as_mut()).is_none() {
                self.running.0.lock().unwrap().push(task);
            }
        } else if let Some(received) = poll(self.calls[chosen - tasks].as_mut()) {
            drop(self.calls.swap_remove(chosen - tasks));
            self.answers.extend(received);
        }
    }

    pub(super) fn hang_up(&mut self, chance: &mut Chance) {
        if !self.calls.is_empty() {
            let chosen = pick(chance, self.calls.len());
            drop(self.calls.swap_remove(chosen));
        }
    }

    /// Lets everything in flight come to its end, with time passing.
    pub(super) fn settle(&mut self) {
        let mut chance = Chance::new(0);
        for _ in 0..QUIET_ROUNDS {
            let in_flight = self.calls.len() + self.running.0.lock().unwrap().len();
            for _ in 0..2 * in_flight {
                self.poll_one(&mut chance);
            }
            if self.is_quiet() {
                return;
            }
            self.advance(RESERVATION / 8);
            self.look_after();
        }
        panic!("a call, a task or a reservation never ends");
    }

    fn is_quiet(&self) -> bool {
        self.calls.is_empty()
            && self.running.0.lock().unwrap().is_empty()
            && self.owner_row().reserved == 0
    }

    fn owner_row(&self) -> owners::Owner {
        let owner = self.owner;
        let look = self.app.store.look_up(&self.meter, move |tx| owners::find(tx, owner));
        at_once(look).unwrap().unwrap()
    }

    /// No limit is exceeded by a single credit, at any time.
    pub(super) fn check_limits(&self) {
        let (owner, key, client) = (self.owner, self.capped_key, self.client);
        let now = self.app.clock.now();
        at_once(self.app.store.look_up(&self.meter, move |tx| {
            // What was reserved in the month before is posted there, too.
            for instant in [Timestamp::from_micros(START), now] {
                let month = CaracasMonth::of(instant);
                let used = credits::actor_month(tx, owner, key.into(), month)?;
                assert!(used.posted + used.reserved <= KEY_CAP, "the key's limit: {used:?}");
                let used = credits::client_month(tx, owner, client, month)?;
                assert!(used.usage.used().get() <= CLIENT_CAP, "the client's quota: {used:?}");
            }
            Ok(())
        }))
        .unwrap();
    }

    /// Checks at the end that all is as the model says; after [`World::ask_all_again`], also that every first report
    /// arrived.
    pub(super) fn check_end(&self, all_asked: bool) {
        let (owner, now) = (self.owner, self.app.clock.now());
        let found = at_once(
            self.app.store.read(&self.meter, move |tx| ledger_audit::check(tx, owner, now)),
        );
        let mut found = found.unwrap();
        // Nobody delivers here, so that what a clock that was ahead has put off is not brought forward.
        found.differences.retain(|found| !found.what.starts_with("due.due_at of Delivery "));
        assert!(found.differences.is_empty(), "{:?}", found.differences);
        assert!(found.overdue.is_empty(), "a reservation for ever: {:?}", found.overdue);
        let state = self.owner_row();
        assert_eq!(state.reserved, 0, "a reservation is left");
        self.check_events();
        self.check_movements();

        // Past a day the same `Idempotency-Key` makes another call.
        let (first, last) = self.shown;
        let is_known_again = last.since(first) < REPEAT;
        let mut first_calls = HashMap::new();
        let mut answers = HashMap::new();
        for received in &self.answers {
            let id = received.payment;
            // Whoever heard of a payment heard of one that is there.
            at_once(self.app.store.look_up(&self.meter, move |tx| payments::find(tx, owner, id)))
                .unwrap();
            if received.is_new {
                let first = first_calls.entry(id).or_insert(received.call);
                assert_eq!(*first, received.call, "{id} was called new to two calls");
            }
            let answer = (id, received.is_new);
            let first = *answers.entry(received.call).or_insert(answer);
            assert!(first == answer || !is_known_again, "not the same answer");
        }
        // What paid a link is new to nobody; that each link has a payment of its own, the audit saw.
        let paid = usize::try_from(GRANTED - state.balance).unwrap() - self.links_paid();
        assert!(first_calls.len() <= paid, "more was called new than was paid for");
        if all_asked {
            assert_eq!(first_calls.len(), paid, "nobody will ever hear that a payment is new");
        }
    }
}
