//! Who begins and when, looks, and attempts that end in the middle, as in a process that is killed.

use std::future::poll_fn;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use domain::ids::EventId;
use domain::webhooks::{DeliveryState, EventKind, Previous, WebhookSecret};
use egress::Reach;
use futures_util::future::join;
use store::deliveries::{self, Delivery, Event};
use store::due::Lease;
use store::tx::Tx;
use store::{Engine, Lane, Meter, OnFatal, Options, SqliteSettings, owners};
use testkit::scripted::{Play, Scripted};
use tokio::task::yield_now;

use super::*;
use crate::looking::{Cursors, OVERLAP, PAGES_MAX, REST};
use crate::taking::Taken;
use crate::turns::{Added, Candidate};

const START: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);
const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const OTHER: OwnerId = OwnerId::from_bytes([2; 16]);

/// Counts, so that no two ids are alike.
struct Counting(AtomicU64);

impl IdSource for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let number = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            chunk.copy_from_slice(&number.to_be_bytes()[..chunk.len()]);
        }
    }
}

/// A secret that has just been rotated, which takes so long to tell.
struct Rotated {
    takes: Duration,
    now: Arc<Mutex<Timestamp>>,
}

impl Secrets for Rotated {
    fn of(&self, _: OwnerId) -> Telling {
        let mut now = self.now.lock().unwrap();
        *now = now.plus(self.takes);
        let until = START.plus(Duration::from_secs(24 * 60 * 60));
        let previous = Some(Previous { secret: WebhookSecret::kept("former".into()), until });
        let current = WebhookSecret::kept("made up".into());
        Box::pin(std::future::ready(Ok(webhooks::Secrets { current, previous })))
    }
}

/// A store in a file, whose every answer has to be waited for, and what delivers from it.
struct World {
    deliveries: Arc<Deliveries>,
    /// What was begun, and goes no further.
    begun: Arc<Mutex<Vec<Work>>>,
    now: Arc<Mutex<Timestamp>>,
    folder: PathBuf,
}

impl World {
    async fn new(takes: Duration) -> Self {
        Self::waiting(takes, Arc::new(|_| Box::pin(std::future::pending()))).await
    }

    async fn waiting(takes: Duration, wait: Wait) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("delivery-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let options = Options {
            engine: Engine::Sqlite(SqliteSettings::new(folder.join("test.sqlite"))),
            now: START,
            on_fatal: OnFatal::new(|reason| panic!("{reason}")),
        };
        let store = Store::open(&options).unwrap();
        let meter = Meter::default();
        for number in [1, 2, 10, 11, 12, 13] {
            let owner = OwnerId::from_bytes([number; 16]);
            let owner = store.write(&meter, Lane::Admission, owner, move |tx| {
                let email = format!("owner-{number}@example.com");
                owners::insert(tx, owner, &email, "Ana", "none", START)
            });
            owner.await.unwrap();
        }
        let now = Arc::new(Mutex::new(START));
        let begun = Arc::<Mutex<Vec<Work>>>::default();
        let kept = Arc::clone(&begun);
        let shown = Arc::clone(&now);
        let outside = Outside {
            now: Arc::new(move || *shown.lock().unwrap()),
            wait: Wait::clone(&wait),
            spawn: Arc::new(move |work| kept.lock().unwrap().push(work)),
            ids: Arc::new(Counting(AtomicU64::new(1))),
        };
        let client = Arc::new(WebhookClient::new(Reach::Anywhere, wait, Arc::clone(&outside.now)));
        let (bell, word) = (Arc::default(), HeaderWord::default());
        let secrets = Arc::new(Rotated { takes, now: Arc::clone(&now) });
        let deliveries = Deliveries::new(store, client, secrets, outside, bell, word);
        Self { deliveries: Arc::new(deliveries), begun, now, folder }
    }

    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }

    async fn write(&self, url: &str) -> EventId {
        self.write_all(OWNER, [url.to_owned()]).await[0]
    }

    /// Writes an event for each of these addresses, and lets a second pass.
    async fn write_all(
        &self,
        owner: OwnerId,
        urls: impl IntoIterator<Item = String>,
    ) -> Vec<EventId> {
        let ids = self.write_due_in(Duration::ZERO, owner, urls).await;
        self.pass(Duration::from_secs(1));
        ids
    }

    /// Writes events that are due so much later.
    async fn write_due_in(
        &self,
        wait: Duration,
        owner: OwnerId,
        urls: impl IntoIterator<Item = String>,
    ) -> Vec<EventId> {
        let due_at = self.now().plus(wait);
        let event = |url| {
            let id = EventId::new(&*self.deliveries.outside.ids, due_at);
            Event { id, kind: EventKind::LinkPaid, subject: [2; 16], url, body: b"{}".to_vec() }
        };
        let events: Vec<Event> = urls.into_iter().map(event).collect();
        let ids = events.iter().map(|event| event.id).collect();
        let job = move |tx: &mut Tx<'_>| {
            events.iter().try_for_each(|event| deliveries::enqueue(tx, owner, event, due_at))
        };
        let store = &self.deliveries.store;
        store.write(&Meter::default(), Lane::Admission, owner, job).await.unwrap();
        ids
    }

    fn pass(&self, duration: Duration) {
        let mut now = self.now.lock().unwrap();
        *now = now.plus(duration);
    }

    /// Looks, and has begin what may; answers whether there was more than a page.
    async fn look_and_begin(&self, cursors: &mut Cursors) -> bool {
        let is_long = self.deliveries.look(cursors).await.unwrap();
        self.deliveries.begin_all();
        is_long
    }

    /// How many of these have a place.
    fn under_way(&self, ids: &[EventId]) -> usize {
        ids.iter().filter(|id| self.is_under_way(**id)).count()
    }

    fn is_under_way(&self, id: EventId) -> bool {
        self.deliveries.turns.is_under_way(id)
    }

    /// Ends whatever was begun.
    fn end_all(&self) {
        let begun: Vec<Work> = self.begun.lock().unwrap().drain(..).collect();
        drop(begun);
    }

    /// Takes a delivery, as one that was found.
    async fn take(&self, id: EventId) -> Vec<Taken> {
        let candidate = || {
            let receiver = "receiver".into();
            Candidate { owner: OWNER, id, receiver, written: None }
        };
        // A write that nobody waits for any more goes on, and has its place until it is done.
        while self.deliveries.turns.add(candidate()) == Added::Known {
            yield_now().await;
        }
        let ticket = self.deliveries.turns.next().unwrap();
        self.deliveries.take(OWNER, vec![ticket]).await.unwrap()
    }

    async fn attempt(&self, id: EventId) {
        for taken in self.take(id).await {
            self.deliveries.attempt(taken).await;
        }
    }

    /// Makes an attempt that ends where it has had to wait so often; answers whether it was over.
    async fn attempt_up_to(&self, id: EventId, waits: usize) -> bool {
        let mut attempt = Box::pin(self.attempt(id));
        let mut left = waits;
        poll_fn(|context| match attempt.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending if left == 0 => Poll::Ready(false),
            Poll::Pending => {
                left -= 1;
                Poll::Pending
            }
        })
        .await
    }

    async fn look(&self, id: EventId) -> Delivery {
        let find = move |tx: &mut Tx<'_>| deliveries::find(tx, OWNER, id);
        self.deliveries.store.look_up(&Meter::default(), find).await.unwrap().unwrap()
    }

    fn end(self) {
        self.deliveries.store.close();
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

fn dead(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|_| "https://dead.example/".to_owned())
}

/// There is more of one receiver than a look reads, and nothing of it can begin.
#[tokio::test]
async fn a_long_row_of_one_receiver_holds_up_nobody_behind_it() {
    let world = World::new(Duration::ZERO).await;
    let many = world.write_all(OWNER, dead(PAGES_MAX * 500 + 100)).await;
    world.pass(OVERLAP);
    let last = world.write("https://well.example/").await;
    let mut cursors = Cursors::default();
    assert!(world.look_and_begin(&mut cursors).await, "there is more than a page");
    assert!(!world.is_under_way(last));
    world.look_and_begin(&mut cursors).await;
    assert!(world.is_under_way(last));
    assert_eq!(world.under_way(&many), OF_ONE_OWNER_TO_ONE_RECEIVER_MAX);
    // From then on whatever becomes due is found by one look, however much is before it.
    let next = world.write("https://well.example/").await;
    world.look_and_begin(&mut cursors).await;
    assert!(world.is_under_way(next));
    // And those that wait have their turn, as soon as there is a place.
    world.end_all();
    world.deliveries.begin_all();
    assert_eq!(world.under_way(&many), OF_ONE_OWNER_TO_ONE_RECEIVER_MAX);
    world.end();
}

/// What has no room to wait is passed over, and found again from behind.
#[tokio::test]
async fn what_was_passed_over_is_reached_again() {
    let world = World::new(Duration::ZERO).await;
    let first = world.write_all(OWNER, dead(WAITING_IN_A_LINE_MAX)).await;
    let later = world.write("https://dead.example/").await;
    world.pass(OVERLAP);
    let mut cursors = Cursors::default();
    world.look_and_begin(&mut cursors).await;
    assert_eq!(world.under_way(&first), OF_ONE_OWNER_TO_ONE_RECEIVER_MAX);
    // Had all of them ended, their rows would be gone.
    while world.under_way(&first) > 0 {
        world.end_all();
        world.deliveries.begin_all();
    }
    for _ in 0..2 {
        world.look_and_begin(&mut cursors).await;
    }
    let known =
        Candidate { owner: OWNER, id: later, receiver: "dead.example".into(), written: None };
    assert!(world.is_under_way(later) || world.deliveries.turns.add(known) == Added::Known);
    world.end();
}

/// Nobody looks here but once, before it is written, and there is more than a look reads.
#[tokio::test]
async fn what_was_written_here_begins_without_a_look() {
    let world = World::new(Duration::ZERO).await;
    world.write_all(OWNER, dead(PAGES_MAX * 500 + 100)).await;
    let over = Notify::new();
    let script = async {
        let fresh = world.write("https://fresh.example/").await;
        while !world.is_under_way(fresh) {
            yield_now().await;
        }
        let later = world.write_due_in(Duration::from_secs(9), OTHER, dead(1)).await[0];
        let other = world.write_all(OTHER, dead(1)).await[0];
        while !world.is_under_way(other) {
            yield_now().await;
        }
        assert!(!world.is_under_way(later), "nothing is sent before its time");
        over.notify_one();
    };
    join(Arc::clone(&world.deliveries).run(over.notified()), script).await;
    world.end();
}

/// Bells that ring after a long look are heard together, once the rest is over.
#[tokio::test]
async fn a_long_row_is_not_read_anew_for_every_bell() {
    let (looked, rested) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (telling, resting) = (Arc::clone(&looked), Arc::clone(&rested));
    let wait: Wait = Arc::new(move |duration| {
        // A look is over when the loop begins to wait.
        telling.notify_one();
        let resting = Arc::clone(&resting);
        Box::pin(async move {
            match duration {
                REST => resting.notified().await,
                _ => std::future::pending().await,
            }
        })
    });
    let world = World::waiting(Duration::ZERO, wait).await;
    world.write_all(OWNER, dead(600)).await;
    let (ring, over) = (|| world.deliveries.bell.notify_one(), Notify::new());
    let script = async {
        looked.notified().await;
        let due = world.write_due_in(Duration::from_secs(1), OTHER, dead(1)).await[0];
        world.pass(Duration::from_secs(1));
        for _ in 0..100 {
            ring();
            yield_now().await;
        }
        assert!(!world.is_under_way(due), "nobody looks");
        rested.notify_one();
        while !world.is_under_way(due) {
            yield_now().await;
        }
        over.notify_one();
    };
    join(Arc::clone(&world.deliveries).run(over.notified()), script).await;
    world.end();
}

/// A store that answers nothing any more is not asked without an end, however much was in front.
#[tokio::test]
async fn a_look_that_fails_is_not_repeated_at_once() {
    let world = World::new(Duration::ZERO).await;
    let many = (0..10_100).map(|_| "https://dead.example/".to_owned());
    world.write_all(OWNER, many).await;
    let mut cursors = Cursors::default();
    assert!(world.deliveries.look(&mut cursors).await.unwrap());
    assert!(cursors.has_more_in_front);
    world.deliveries.store.close();
    assert!(world.deliveries.look(&mut cursors).await.is_err());
    assert!(!cursors.has_more_in_front);
    world.end();
}

#[tokio::test]
async fn an_owner_with_many_receivers_leaves_places_to_others() {
    let world = World::new(Duration::ZERO).await;
    let ports = (0..UNDER_WAY_MAX + 4).map(|port| format!("https://dead.example:{}/", 1 + port));
    let many = world.write_all(OWNER, ports).await;
    let other = world.write_all(OTHER, ["https://well.example/".to_owned()]).await[0];
    world.look_and_begin(&mut Cursors::default()).await;
    assert!(world.is_under_way(other));
    assert_eq!(world.under_way(&many), OF_ONE_OWNER_MAX);
    world.end();
}

/// Four would fill all places, if each took all that it may have.
#[tokio::test]
async fn hostile_owners_leave_places_to_one_that_comes_later_and_is_well() {
    let world = World::new(Duration::ZERO).await;
    let mut hostile = Vec::new();
    for owner in (10..14).map(|number| OwnerId::from_bytes([number; 16])) {
        let ports = (0..1_000).map(|number| format!("https://dead.example:{}/", 1 + number % 99));
        hostile.extend(world.write_all(owner, ports).await);
    }
    let mut cursors = Cursors::default();
    world.look_and_begin(&mut cursors).await;
    let taken = world.under_way(&hostile);
    assert!(taken < UNDER_WAY_MAX - 40, "{taken} are taken");
    let mut overtaken = 0;
    for _ in 0..3 {
        let well = (0..10).map(|_| "https://well.example/".to_owned());
        let well = world.write_all(OWNER, well).await;
        world.look_and_begin(&mut cursors).await;
        overtaken += world.under_way(&well);
    }
    assert!(overtaken >= OF_ONE_OWNER_TO_ONE_RECEIVER_MAX, "{overtaken}");
    assert_eq!(world.under_way(&hostile), taken, "and takes none of theirs");
    world.end();
}

#[tokio::test]
async fn an_attempt_that_ends_anywhere_is_made_again_until_it_was_heard() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let mut waits = 0;
    loop {
        let id = world.write(&receiver.base_url()).await;
        let is_over = world.attempt_up_to(id, waits).await;
        // Nobody else has it as long as the lease runs.
        let before = world.look(id).await;
        let later = world.now().plus(LEASE);
        *world.now.lock().unwrap() = later;
        world.attempt_up_to(id, usize::MAX).await;
        let delivery = world.look(id).await;
        assert_eq!(delivery.state, DeliveryState::Delivered, "ended after {waits} waits");
        assert!(!is_over || before.state == DeliveryState::Delivered);
        let text = id.to_string();
        let heard = receiver
            .asked()
            .iter()
            .filter(|asked| asked.header("x-service-event-id") == Some(&*text))
            .count();
        assert!((1..=2).contains(&heard), "heard {heard} times after {waits} waits");
        if is_over {
            assert_eq!(heard, 1, "an attempt that was kept is not made again");
            break;
        }
        waits += 1;
    }
    assert!(waits >= 3, "taking, asking and keeping are waited for");
    world.end();
}

/// A receiver knows the former secret alone, so that every attempt is two, and a process may end
/// before, between and behind them.
#[tokio::test]
async fn a_repeat_that_ends_anywhere_is_made_again_until_it_was_heard() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|asked| {
        let seconds = asked.header("x-service-timestamp").unwrap().parse().unwrap();
        let former = WebhookSecret::kept("former".into());
        let known = webhooks::sign(&former, seconds, asked.body.as_bytes());
        let is_known = asked.header("x-service-signature") == Some(&*known);
        Play::Answer(if is_known { 204 } else { 401 }, Vec::new())
    });
    let mut waits = 0;
    loop {
        let id = world.write(&receiver.base_url()).await;
        let is_over = world.attempt_up_to(id, waits).await;
        let later = world.now().plus(LEASE);
        *world.now.lock().unwrap() = later;
        world.attempt_up_to(id, usize::MAX).await;
        let delivery = world.look(id).await;
        assert_eq!(delivery.state, DeliveryState::Delivered, "ended after {waits} waits");
        assert_eq!(delivery.step, 1, "one step, however often it was begun");
        let text = id.to_string();
        let asked = receiver.asked();
        let heard = asked.iter().filter(|one| one.header("x-service-event-id") == Some(&*text));
        let heard = heard.count();
        assert!((2..=4).contains(&heard), "heard {heard} times after {waits} waits");
        let find = move |tx: &mut Tx<'_>| deliveries::attempts(tx, OWNER, id);
        let kept = world.deliveries.store.look_up(&Meter::default(), find).await.unwrap();
        assert!(kept.len() <= heard && (1..).zip(&kept).all(|(place, one)| one.number == place));
        assert_eq!(kept.last().unwrap().status, Some(204));
        if is_over {
            assert_eq!((heard, kept.len()), (2, 2));
            break;
        }
        waits += 1;
    }
    assert!(waits >= 6, "taking, asking and keeping are waited for, twice");
    world.end();
}

/// Between taking and sending, most of the lease may pass, as in a process that was stopped.
#[tokio::test]
async fn nothing_is_sent_on_a_lease_that_is_nearly_over_and_it_is_given_back() {
    let world = World::new(LEASE - DEADLINE).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let id = world.write(&receiver.base_url()).await;
    world.attempt(id).await;
    assert_eq!((receiver.connections(), world.look(id).await.attempts), (0, 0));
    assert_eq!(world.take(id).await[0].held.lease.tries, Lease::FIRST.tries + 1, "not counted");
    world.end();
}

/// Another node need not wait for the lease of one that has stopped.
#[tokio::test]
async fn what_was_taken_and_not_begun_is_given_back_at_a_stop() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let id = world.write(&receiver.base_url()).await;
    let taken = world.take(id).await.pop().unwrap();
    Arc::clone(&world.deliveries).run(std::future::ready(())).await;
    world.deliveries.attempt(taken).await;
    assert_eq!((receiver.connections(), world.look(id).await.attempts), (0, 0));
    assert_eq!(world.take(id).await[0].held.lease.tries, Lease::FIRST.tries + 1, "not counted");
    world.end();
}
