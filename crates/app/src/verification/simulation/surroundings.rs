//! What a simulation puts in the place of chance, ids, the clock and the tasks of the process.

use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bank::Banks;
use domain::ids::IdSource;
use domain::time::Timestamp;
use egress::{Reach, WebhookClient};
use store::Store;

use crate::access::KeyLocationCache;
use crate::bank_tokens::TokenFlights;
use crate::key_uses::KeyUses;
use crate::logos::drawing::Drawing;
use crate::passwords::Passwords;
use crate::ports::Task;
use crate::refusals::Refusals;
use crate::session_tokens::SessionTokens;
use crate::settings::PasswordCost;
use crate::sign_in_failures::SignInFailures;
use crate::statement::Statements;
use crate::vault::{MasterKey, Vault};
use crate::webhooks::Webhooks;
use crate::{App, Clock, Settings, Tasks};

/// Chance, all of it from one seed (SplitMix64).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Ids that differ, and nothing else.
pub(crate) struct Ids(pub(crate) AtomicU64);

impl IdSource for Ids {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        for (byte, value) in bytes.iter_mut().rev().zip(number.iter().rev().cycle()) {
            *byte = *value;
        }
    }
}

/// The present, which moves only when the world says so.
#[derive(Clone, Default)]
pub(crate) struct VirtualClock {
    /// What it shows, in microseconds.
    present: Arc<AtomicI64>,
    /// How many microseconds have passed, whatever it was set to.
    uptime: Arc<AtomicI64>,
}

impl VirtualClock {
    /// Time passes.
    pub(crate) fn advance(&self, by: Duration) {
        let micros = i64::try_from(by.as_micros()).unwrap();
        self.present.fetch_add(micros, Ordering::Relaxed);
        self.uptime.fetch_add(micros, Ordering::Relaxed);
    }

    /// Somebody sets it, and no time passes.
    pub(crate) fn set_to(&self, to: Timestamp) {
        self.present.store(to.as_micros(), Ordering::Relaxed);
    }
}

/// Waits until a reading comes to `end`.
fn until(reading: &Arc<AtomicI64>, end: i64) -> Task {
    let reading = Arc::clone(reading);
    Box::pin(std::future::poll_fn(move |_| {
        let is_over = reading.load(Ordering::Relaxed) >= end;
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    }))
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.present.load(Ordering::Relaxed))
    }

    fn uptime(&self) -> Duration {
        Duration::from_micros(self.uptime.load(Ordering::Relaxed).unsigned_abs())
    }

    fn sleep_until(&self, at: Timestamp) -> Task {
        until(&self.present, at.as_micros())
    }

    fn sleep(&self, duration: Duration) -> Task {
        let end = self.uptime().saturating_add(duration).as_micros();
        until(&self.uptime, i64::try_from(end).unwrap())
    }
}

/// The tasks of the process: a crash empties it.
#[derive(Default)]
pub(crate) struct Running(pub(crate) Mutex<Vec<Task>>);

impl Tasks for Running {
    fn spawn(&self, task: Task) {
        self.0.lock().unwrap().push(task);
    }
}

/// Makes the `App` of these parts, with nobody outside but these banks.
pub(crate) fn app(
    store: &Store,
    clock: &VirtualClock,
    (ids, tasks): (Ids, Arc<dyn Tasks>),
    banks: Banks,
    master: &MasterKey,
) -> App {
    let signing = SessionTokens::generate().unwrap();
    App {
        store: store.clone(),
        key_locations: KeyLocationCache::default(),
        key_uses: KeyUses::default(),
        refusals: Refusals::default(),
        token_flights: TokenFlights::default(),
        statements: Statements::default(),
        sign_in_failures: SignInFailures::default(),
        review: None,
        clock: Arc::new(clock.clone()),
        ids: Arc::new(ids),
        tasks,
        banks: Arc::new(banks),
        vault: Vault::new(master, &[]),
        sessions: SessionTokens::from_pkcs8(&signing).unwrap(),
        passwords: Passwords::new(PasswordCost::RECOMMENDED),
        drawing: Drawing::default(),
        webhooks: Webhooks::by(WebhookClient::new(
            Reach::Internet,
            Arc::new(|_| Box::pin(std::future::pending())),
            Arc::new(|| Timestamp::from_micros(0)),
        )),
        mail: None,
        settings: Settings::default(),
    }
}

pub(crate) fn pick(chance: &mut Chance, end: usize) -> usize {
    usize::try_from(chance.below(end as u64)).unwrap()
}

pub(crate) fn poll<T>(future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// The result of a future that only talks to the inline store, which never makes anybody wait.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> T {
    poll(std::pin::pin!(future)).expect("the inline store answers at once")
}
