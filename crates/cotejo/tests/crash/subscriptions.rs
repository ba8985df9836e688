//! Subscriptions that many programs of a merchant make, whose clocks they set ahead and whose cycles are paid, all at once,
//! while the service is killed again and again: what recurs, under load.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::Engine;
use testkit::scripted::Play;

use crate::cast::Owner;
use crate::chance::Chance;
use crate::episode::{Outcome, kill_again_and_again};
use crate::http::{Answer, Connection};
use crate::patience::now;
use crate::payer::{self, Said};
use crate::program::Site;
use crate::sales::{CREDITS, let_an_hour_pass};
use crate::shop::{Receiver, Shop};
use crate::stage::Stage;
use crate::subscriptions_audit::violations;

/// How many programs are at work at once, on the same subscriptions.
const PROGRAMS: usize = 6;

/// How many subscriptions live at once, about: where there are fewer, another is made.
const LIVING: usize = 24;

/// How many cycles a subscription has, of a day each.
pub(crate) const CYCLES: i32 = 8;

/// By how many days a clock is set ahead at once, at the most; and in the end, by more than a subscription lasts.
const DAYS_MAX: usize = 2;
const DAYS_TO_THE_END: usize = 30;

/// How often a clock is set ahead in the end: once so that each cycle opens, and once more when all are paid.
const ROUNDS_MAX: usize = 4;

/// How long a payer looks at the page.
const LOOKING_MAX: Duration = Duration::from_secs(2);

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Statuses of answers: it was done, it was refused since somebody else was faster, or it is to be tried again.
const EXPECTED: [u16; 3] = [200, 409, 503];

/// Statuses of pages: how the check stands, or that too many were tried.
const EXPECTED_OF_PAGES: [u16; 4] = [200, 303, 429, 503];

/// Request for a subscription.
#[derive(Clone)]
pub(crate) struct Request {
    /// Its `Idempotency-Key`: sent again, it makes nothing else.
    once: String,
    body: Value,
}

/// Merchant whose customers pay again and again.
pub(crate) struct Club {
    stage: Stage,
    pub(crate) shop: Shop,
    pub(crate) receiver: Receiver,
    requests: AtomicUsize,
    references: AtomicUsize,
    pub(crate) notes: Mutex<Notes>,
}

/// Notes of what was answered. Whatever the service forgets afterwards, its callers do not.
#[derive(Default)]
pub(crate) struct Notes {
    /// Every subscription that was made.
    pub(crate) made: Vec<String>,
    /// Those that have not ended, as far as anybody knows.
    living: Vec<String>,
    /// Steps that were done: of which subscription, what, and of which cycle.
    steps: HashSet<(String, String, i64)>,
    /// Links whose page has said that they are paid.
    pub(crate) said_paid: HashSet<String>,
    pub(crate) violations: Vec<String>,
    /// How often calls ended how.
    ends: BTreeMap<String, usize>,
}

/// Lets programs work for so long, with a service that is killed all the while; then looks at everything.
pub(crate) fn of_subscriptions(engine: Engine, seed: u64, lasting: Duration) -> Outcome {
    let mut chance = Chance::new(seed);
    let mut site = Site::on(engine);
    site.settings = vec![
        ("COTEJO_WEBHOOKS_ALLOW_PRIVATE", "true".to_owned()),
        ("COTEJO_HTTP_ATTEMPTS_PER_MINUTE", "0".to_owned()),
    ];
    let owner = Owner::make(&site, "ana", CREDITS);
    let node = site.start();
    let shop = Shop::on_the_sandbox(owner, node.addr);
    node.stop();
    let receiver = Receiver::open(&shop.secret, |_| Play::ok("{}"));
    let club = Arc::new(Club {
        stage: Stage::default(),
        shop,
        receiver,
        requests: AtomicUsize::new(0),
        references: AtomicUsize::new(0),
        notes: Mutex::default(),
    });

    let programs = programs(&club, &mut chance);
    let blows = kill_again_and_again(&site, &club.stage, &mut chance, lasting, |chance| {
        if chance.below(2) == 0 {
            let_an_hour_pass(&site);
        }
    });
    let unanswered: Vec<Request> =
        programs.into_iter().filter_map(|program| program.join().unwrap()).collect();
    let violations = violations(&site, &club, &unanswered);
    Outcome { blows, summary: club.summary(), violations }
}

/// Programs at work, until the stage is over. Each answers the request that has no answer by then.
fn programs(club: &Arc<Club>, chance: &mut Chance) -> Vec<JoinHandle<Option<Request>>> {
    let program = |_| {
        let (club, chance) = (Arc::clone(club), chance.fork());
        thread::spawn(move || Program { club, chance, unanswered: None }.work())
    };
    (0..PROGRAMS).map(program).collect()
}

struct Program {
    club: Arc<Club>,
    chance: Chance,
    unanswered: Option<Request>,
}

impl Program {
    fn work(mut self) -> Option<Request> {
        let mut served = 0;
        while let Some((addr, server)) = self.club.stage.server_after(served) {
            // A call that fails on its connection has met a kill: on to the next server.
            if let Ok(mut line) = Connection::to(addr) {
                while !self.club.stage.is_over() && self.turn(&mut line).is_ok() {}
            }
            served = server;
        }
        self.unanswered
    }

    /// Makes a subscription if there are too few, or else sets the clock of one ahead, or pays a cycle of it.
    fn turn(&mut self, line: &mut Connection) -> io::Result<()> {
        if self.unanswered.is_some() || self.club.living() < LIVING {
            return self.subscribe(line);
        }
        let club = Arc::clone(&self.club);
        let Some(of) = club.any(&mut self.chance) else { return Ok(()) };
        if self.chance.below(2) == 0 {
            let days = 1 + self.chance.below(DAYS_MAX);
            return club.set_ahead(line, &of, days).map(drop);
        }
        match club.owed(line, &of)?.as_slice() {
            [] => Ok(()),
            owed => club.pay(line, &of, *self.chance.among(owed)),
        }
    }

    /// Sends a request until it is answered, from one server to the next.
    fn subscribe(&mut self, line: &mut Connection) -> io::Result<()> {
        let request = match self.unanswered.take() {
            Some(request) => request,
            None => self.request(),
        };
        self.unanswered = Some(request.clone());
        if self.club.subscribe(line, &request)? {
            self.unanswered = None;
        }
        Ok(())
    }

    fn request(&mut self) -> Request {
        let Club { shop, receiver, requests, .. } = &*self.club;
        let number = requests.fetch_add(1, Ordering::Relaxed);
        let reminders = if self.chance.below(2) == 0 { json!([]) } else { json!([0]) };
        let body = json!({
            "user_bank_id": shop.accounts[0].id,
            "webhook_url": receiver.url(),
            "pay_first": self.chance.below(3) == 0,
            "subscriptionPeriodType": "day",
            "cycles": CYCLES,
            "graceDays": 1 + self.chance.below(3),
            "reminderDays": reminders,
            "uniqueProduct": { "productName": "Almuerzo", "productPrice": 150.75 },
            "uniqueClient": { "clientName": "Cliente de prueba", "clientPhone": "0412-0000000" },
        });
        Request { once: format!("almuerzo-{number}"), body }
    }
}

impl Club {
    fn living(&self) -> usize {
        self.notes.lock().unwrap().living.len()
    }

    /// One of those that live.
    fn any(&self, chance: &mut Chance) -> Option<String> {
        let notes = self.notes.lock().unwrap();
        (!notes.living.is_empty()).then(|| chance.among(&notes.living).clone())
    }

    pub(crate) fn key(&self) -> &str {
        &self.shop.owner.keys[0].text
    }

    /// Asks for a subscription; answers whether it was made.
    fn subscribe(&self, line: &mut Connection, request: &Request) -> io::Result<bool> {
        let target = ("POST", "/v1/subscription/make");
        let answer = line.call_once(target, self.key(), &request.once, &request.body)?;
        self.note(target, &answer);
        if answer.status != 200 {
            return Ok(false);
        }
        let id = answer.body["subscription"]["id"].as_str().unwrap().to_owned();
        let mut notes = self.notes.lock().unwrap();
        notes.made.push(id.clone());
        notes.living.push(id);
        Ok(true)
    }

    /// Sets the clock of a subscription ahead; answers whether it goes on.
    fn set_ahead(&self, line: &mut Connection, of: &str, days: usize) -> io::Result<bool> {
        let path = format!("/v1/subscriptions/{of}/clock");
        let answer = self.call(line, ("POST", &path), Some(&json!({ "days": days })))?;
        let mut notes = self.notes.lock().unwrap();
        if answer.status == 200 {
            notes.note_steps(of, &answer.body);
        }
        let status = answer.body["subscription"]["status"].as_str();
        let has_ended =
            answer.code() == "CONFLICT" || matches!(status, Some("completed" | "cancelled"));
        if has_ended {
            notes.living.retain(|living| living != of);
        }
        Ok(!has_ended)
    }

    /// Lists the cycles of a subscription, the latest first.
    pub(crate) fn cycles(&self, line: &mut Connection, of: &str) -> io::Result<Vec<Value>> {
        let path = format!("/v1/subscriptions/{of}/cycles?limit=100");
        let answer = self.call(line, ("GET", &path), None)?;
        Ok(answer.body["cycles"].as_array().cloned().unwrap_or_default())
    }

    /// The numbers of the cycles that are owed.
    fn owed(&self, line: &mut Connection, of: &str) -> io::Result<Vec<i64>> {
        let cycles = self.cycles(line, of)?;
        let is_owed = |cycle: &&Value| matches!(cycle["status"].as_str(), Some("open" | "lapsed"));
        Ok(cycles.iter().filter(is_owed).filter_map(|cycle| cycle["cycle"].as_i64()).collect())
    }

    /// Pays a cycle by its link, or by another one where that has ended, and looks for a while.
    fn pay(&self, line: &mut Connection, of: &str, cycle: i64) -> io::Result<()> {
        let path = format!("/v1/subscriptions/{of}/cycles/{cycle}/link");
        let answer = self.call(line, ("POST", &path), Some(&json!({})))?;
        let Some(link) = answer.body["paymentlink"]["id"].as_str() else { return Ok(()) };
        let number = self.references.fetch_add(1, Ordering::Relaxed);
        let fields = format!("reference={}67890&seen=15075", 10_000 + number);
        let page = line.browse(&payer::page_of(link), Some(&fields))?;
        if !EXPECTED_OF_PAGES.contains(&page.status) {
            self.violation(format!("{link}: {} {}", page.status, page.text));
        }
        let (200 | 303, Some(place)) = (page.status, page.location) else { return Ok(()) };
        let begun = now();
        let mut said = payer::look(line, &place)?;
        while said.is_busy() && begun.elapsed() < LOOKING_MAX {
            thread::sleep(LOOK_EVERY);
            said = payer::look(line, &place)?;
        }
        if said == Said::Paid {
            self.notes.lock().unwrap().said_paid.insert(link.to_owned());
        }
        Ok(())
    }

    /// Brings every subscription to its end, with nobody in the way: those too whose making nobody has answered yet.
    pub(crate) fn finish(&self, addr: SocketAddr, unanswered: &[Request]) {
        let mut line = Connection::to(addr).unwrap();
        for request in unanswered {
            if !self.subscribe(&mut line, request).unwrap() {
                self.violation(format!("{} was not made", request.once));
            }
        }
        let made = self.notes.lock().unwrap().made.clone();
        let each = made.len().div_ceil(PROGRAMS).max(1);
        thread::scope(|scope| {
            for part in made.chunks(each) {
                scope.spawn(move || {
                    let mut line = Connection::to(addr).unwrap();
                    part.iter().for_each(|of| self.end(&mut line, of));
                });
            }
        });
    }

    fn end(&self, line: &mut Connection, of: &str) {
        for _ in 0..ROUNDS_MAX {
            if !self.set_ahead(line, of, DAYS_TO_THE_END).unwrap() {
                return;
            }
            for cycle in self.owed(line, of).unwrap() {
                self.pay(line, of, cycle).unwrap();
            }
        }
        self.violation(format!("{of} does not end"));
    }

    fn call(
        &self,
        line: &mut Connection,
        target: (&str, &str),
        body: Option<&Value>,
    ) -> io::Result<Answer> {
        let answer = line.call(target, self.key(), body)?;
        self.note(target, &answer);
        Ok(answer)
    }

    fn note(&self, target: (&str, &str), answer: &Answer) {
        let mut notes = self.notes.lock().unwrap();
        let end = format!("{} {}", answer.status, answer.code());
        *notes.ends.entry(end.trim_end().to_owned()).or_default() += 1;
        if !EXPECTED.contains(&answer.status) {
            notes.violations.push(format!("{target:?}: {answer:?}"));
        }
    }

    fn violation(&self, what: String) {
        self.notes.lock().unwrap().violations.push(what);
    }

    fn summary(&self) -> String {
        let notes = self.notes.lock().unwrap();
        let ends: Vec<String> =
            notes.ends.iter().map(|(end, count)| format!("{count} x {end}")).collect();
        let (made, steps, paid) = (notes.made.len(), notes.steps.len(), notes.said_paid.len());
        let webhooks = self.receiver.received().len();
        format!(
            "{made} subscriptions, {steps} steps, {paid} links paid, {webhooks} webhooks; {}",
            ends.join(", ")
        )
    }
}

impl Notes {
    /// Notes the steps of one answer: cycles open in their order, and nothing is done that was done before. A cycle is
    /// reminded of on several days.
    fn note_steps(&mut self, of: &str, answer: &Value) {
        let mut latest = 0;
        for step in answer["happened"].as_array().unwrap() {
            let what = step["what"].as_str().unwrap();
            let cycle = step["cycle"].as_i64().unwrap_or_default();
            if what == "opened" {
                if cycle <= latest {
                    self.violations.push(format!("{of}: {cycle} opened after {latest}"));
                }
                latest = cycle;
            }
            let step = (of.to_owned(), what.to_owned(), cycle);
            if what != "reminded" && !self.steps.insert(step) {
                self.violations.push(format!("{of}: {what} {cycle} was done twice"));
            }
        }
    }
}
