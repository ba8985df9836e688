//! A time that stands still until a test moves it.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use app::ports::{Clock, Task};
use domain::time::Timestamp;
use futures_util::future::{Either, select};
use tokio::sync::watch;

/// When a held clock begins: eight in the morning of 20 November 2026 in Caracas.
pub(crate) const START: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);

/// How far the clock moves at a time while it follows the wall's.
const TICK: Duration = Duration::from_millis(2);

/// A clock that tests hold still and push on. Clones are one clock.
#[derive(Clone)]
pub struct VirtualClock {
    state: Arc<Mutex<State>>,
    /// Notified whenever somebody begins to wait.
    waiters: watch::Sender<()>,
}

struct State {
    now: Timestamp,
    /// How long it has run, whatever it was set to meanwhile.
    uptime: Duration,
    next: u64,
    sleepers: BTreeMap<u64, Sleeper>,
}

struct Sleeper {
    /// The instant that it waits for, as it was when it began.
    until: Timestamp,
    end: End,
    waker: Waker,
}

/// Condition that ends a wait.
#[derive(Clone, Copy)]
enum End {
    /// The clock shows that instant.
    At(Timestamp),
    /// It has run that long.
    After(Duration),
}

impl State {
    fn has_come(&self, end: End) -> bool {
        match end {
            End::At(at) => self.now >= at,
            End::After(uptime) => self.uptime >= uptime,
        }
    }

    /// Returns the wakers of sleepers whose wait is over.
    fn awake(&self) -> Vec<Waker> {
        let due = self.sleepers.values().filter(|sleeper| self.has_come(sleeper.end));
        due.map(|sleeper| sleeper.waker.clone()).collect()
    }
}

impl VirtualClock {
    /// A clock that shows this instant.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        let state = State { now, uptime: Duration::ZERO, next: 0, sleepers: BTreeMap::new() };
        Self { state: Arc::new(Mutex::new(state)), waiters: watch::Sender::new(()) }
    }

    /// Moves the clock on, and wakes those that waited for that.
    pub fn advance(&self, by: Duration) {
        let mut state = self.lock();
        state.now = state.now.plus(by);
        state.uptime += by;
        let wakers = state.awake();
        drop(state);
        wakers.iter().for_each(Waker::wake_by_ref);
    }

    /// Sets the clock to that instant, earlier or later, as somebody does who corrects it: no time passes.
    pub fn set_to(&self, to: Timestamp) {
        let mut state = self.lock();
        state.now = to;
        let wakers = state.awake();
        drop(state);
        wakers.iter().for_each(Waker::wake_by_ref);
    }

    /// Moves the clock on to that instant; it never goes back.
    pub fn advance_to(&self, to: Timestamp) {
        let by = to.since(self.now());
        self.advance(by);
    }

    /// Returns once somebody waits for exactly that instant: by then that task has done all that
    /// comes before.
    pub async fn is_awaited(&self, until: Timestamp) {
        self.is_awaited_by(1, until).await;
    }

    /// Returns once somebody waits for exactly that instant who began after this call: not a loop of the service whose
    /// wait happens to end then.
    pub fn is_awaited_anew(&self, until: Timestamp) -> impl Future<Output = ()> + '_ {
        let (mut waiters, first) = (self.waiters.subscribe(), self.lock().next);
        async move {
            let is_theirs =
                |(number, sleeper): (&u64, &Sleeper)| *number >= first && sleeper.until == until;
            while !self.lock().sleepers.iter().any(is_theirs) {
                waiters.changed().await.expect("the clock is there, and with it the sender");
            }
        }
    }

    /// Returns once so many wait for exactly that instant.
    pub async fn is_awaited_by(&self, count: usize, until: Timestamp) {
        let mut waiters = self.waiters.subscribe();
        let is_theirs = |sleeper: &&Sleeper| sleeper.until == until;
        while self.lock().sleepers.values().filter(is_theirs).count() < count {
            waiters.changed().await.expect("the clock is there, and with it the sender");
        }
    }

    /// Lets the clock follow the wall's while the work goes on.
    #[expect(clippy::disallowed_methods, reason = "this is where the wall's clock is followed")]
    pub async fn flow<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            let tick = pin!(tokio::time::sleep(TICK));
            match select(work.as_mut(), tick).await {
                Either::Left((done, _)) => return done,
                Either::Right(_) => self.advance(TICK),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        self.lock().now
    }

    fn uptime(&self) -> Duration {
        self.lock().uptime
    }

    fn sleep_until(&self, until: Timestamp) -> Task {
        self.sleeping(|_| (until, End::At(until)))
    }

    fn sleep(&self, duration: Duration) -> Task {
        // In whole microseconds, as the instants are that tests push it to.
        self.sleeping(|state| {
            let until = state.now.plus(duration);
            (until, End::After(state.uptime + until.since(state.now)))
        })
    }
}

impl VirtualClock {
    fn sleeping(&self, what: impl FnOnce(&State) -> (Timestamp, End)) -> Task {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        let (until, end) = what(&state);
        Box::pin(Sleep { clock: self.clone(), until, end, number })
    }
}

impl fmt::Debug for VirtualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VirtualClock").field(&self.now()).finish()
    }
}

struct Sleep {
    clock: VirtualClock,
    until: Timestamp,
    end: End,
    number: u64,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.clock.lock();
        if state.has_come(self.end) {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let sleeper = Sleeper { until: self.until, end: self.end, waker };
        let is_new = state.sleepers.insert(self.number, sleeper).is_none();
        drop(state);
        if is_new {
            self.clock.waiters.send_replace(());
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.lock().sleepers.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_000_000);

    #[tokio::test]
    async fn nobody_wakes_before_the_clock_is_moved() {
        let clock = VirtualClock::at(START);
        let until = START.plus(Duration::from_secs(12));
        let mut sleep = clock.sleep_until(until);
        assert_eq!((&mut sleep).now_or_never(), None);
        clock.advance(Duration::from_secs(11));
        assert_eq!((&mut sleep).now_or_never(), None);
        clock.advance_to(until);
        sleep.await;
    }

    #[tokio::test]
    async fn a_waiter_is_seen_until_it_no_longer_waits() {
        let clock = VirtualClock::at(START);
        let until = START.plus(Duration::from_secs(1));
        let sleep = clock.sleep_until(until);
        assert_eq!(clock.is_awaited(until).now_or_never(), None);
        let seen = pin!(clock.is_awaited(until));
        let Either::Right(((), sleep)) = select(sleep, seen).await else { panic!("slept") };
        drop(sleep);
        assert_eq!(clock.is_awaited(until).now_or_never(), None);
    }

    #[tokio::test]
    async fn a_sleep_for_a_while_does_not_notice_that_the_clock_is_set() {
        let clock = VirtualClock::at(START);
        let second = Duration::from_secs(1);
        let (mut sleep, mut until) = (clock.sleep(second), clock.sleep_until(START.plus(second)));
        clock.set_to(START.minus(Duration::from_secs(3_600)));
        clock.advance(second);
        assert_eq!((&mut sleep).now_or_never(), Some(()));
        assert_eq!((&mut until).now_or_never(), None);
        assert_eq!(clock.uptime(), second);
    }

    #[tokio::test]
    async fn it_flows_while_work_goes_on() {
        let clock = VirtualClock::at(START);
        let until = START.plus(Duration::from_millis(20));
        clock.flow(clock.sleep_until(until)).await;
        assert!(clock.now() >= until);
    }
}
