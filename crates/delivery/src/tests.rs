//! Attempts that end in the middle, as in a process that is killed.

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
use store::tx::Tx;
use store::{Engine, Lane, Meter, OnFatal, Options, SqliteSettings, owners};
use testkit::scripted::{Play, Scripted};

use super::*;
use crate::looking::{PAGES_MAX, REST};
use crate::places::{Entry, Place};

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
        for (owner, email) in [(OWNER, "ana@example.com"), (OTHER, "eva@example.com")] {
            let owner = store.write(&meter, Lane::Admission, owner, move |tx| {
                owners::insert(tx, owner, email, "Ana", "none", START)
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
        let now = self.now();
        let event = |url| {
            let id = EventId::new(&*self.deliveries.outside.ids, now);
            Event { id, kind: EventKind::LinkPaid, subject: [2; 16], url, body: b"{}".to_vec() }
        };
        let events: Vec<Event> = urls.into_iter().map(event).collect();
        let ids = events.iter().map(|event| event.id).collect();
        let job = move |tx: &mut Tx<'_>| {
            events.iter().try_for_each(|event| deliveries::enqueue(tx, owner, event, now))
        };
        let store = &self.deliveries.store;
        store.write(&Meter::default(), Lane::Admission, owner, job).await.unwrap();
        *self.now.lock().unwrap() = now.plus(Duration::from_secs(1));
        ids
    }

    /// Whether an attempt of it has begun and is not over.
    fn is_under_way(&self, id: EventId) -> bool {
        matches!(self.deliveries.places.enter(id, OTHER, "nobody"), Entry::Known)
    }

    /// How many attempts are under way; ends them all.
    fn end_all(&self) -> usize {
        self.begun.lock().unwrap().drain(..).count()
    }

    fn place(&self, id: EventId) -> Place {
        match self.deliveries.places.enter(id, OWNER, "receiver") {
            Entry::In(place) => place,
            other => panic!("{other:?}"),
        }
    }

    /// Makes an attempt that ends where it has had to wait so often; answers whether it was over.
    async fn attempt_up_to(&self, id: EventId, waits: usize) -> bool {
        let mut attempt = Box::pin(self.deliveries.attempt(OWNER, id, self.place(id)));
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

/// There is more of one receiver than a look reads, and nothing of it can begin.
#[tokio::test]
async fn a_long_row_of_one_receiver_holds_up_nobody_behind_it() {
    let world = World::new(Duration::ZERO).await;
    let many = (0..10_100).map(|_| "https://dead.example/".to_owned());
    let many = world.write_all(OWNER, many).await;
    let last = world.write("https://well.example/").await;
    let mut at = None;
    assert!(world.deliveries.look(&mut at, PAGES_MAX).await.unwrap(), "some wait");
    assert!(!world.is_under_way(last));
    assert!(world.deliveries.look(&mut at, PAGES_MAX).await.unwrap(), "some wait");
    assert!(world.is_under_way(last));
    let begun = many.iter().filter(|id| world.is_under_way(**id)).count();
    assert_eq!(begun, TO_ONE_RECEIVER_MAX);
    // Those that wait have their turn too.
    assert_eq!(world.end_all(), TO_ONE_RECEIVER_MAX + 1);
    world.deliveries.look(&mut at, PAGES_MAX).await.unwrap();
    assert!(world.end_all() >= TO_ONE_RECEIVER_MAX);
    world.end();
}

/// Bells that ring while a long row waits have a page looked at each, and together one whole look,
/// once the rest is over.
#[tokio::test]
async fn a_long_row_is_not_read_anew_for_every_bell() {
    let (looked, rested) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (telling, resting) = (Arc::clone(&looked), Arc::clone(&rested));
    let wait: Wait = Arc::new(move |duration| {
        let resting = Arc::clone(&resting);
        // A look is over when the loop begins to wait for the next.
        if duration == EVERY {
            telling.notify_one();
        }
        Box::pin(async move {
            match duration {
                REST => resting.notified().await,
                _ => std::future::pending().await,
            }
        })
    });
    let world = World::waiting(Duration::ZERO, wait).await;
    let row = (0..600).map(|_| "https://dead.example/".to_owned());
    world.write_all(OWNER, row).await;
    let (ring, over) = (|| world.deliveries.bell.notify_one(), Notify::new());
    let script = async {
        looked.notified().await;
        let first = world.write("https://first.example/").await;
        ring();
        looked.notified().await;
        assert!(!world.is_under_way(first), "a page was read, and it is on the next");
        rested.notify_one();
        looked.notified().await;
        assert!(world.is_under_way(first), "looked for without another bell");
        // Rested by now, so that the next bell is heard with all that there is.
        rested.notify_one();
        let second = world.write("https://second.example/").await;
        ring();
        looked.notified().await;
        assert!(world.is_under_way(second));
        over.notify_one();
    };
    join(Arc::clone(&world.deliveries).run(over.notified()), script).await;
    world.end();
}

#[tokio::test]
async fn an_owner_with_many_receivers_leaves_places_to_others() {
    let world = World::new(Duration::ZERO).await;
    let ports = (0..UNDER_WAY_MAX + 4).map(|port| format!("https://dead.example:{}/", 1 + port));
    world.write_all(OWNER, ports).await;
    let other = world.write_all(OTHER, ["https://well.example/".to_owned()]).await[0];
    assert!(world.deliveries.look(&mut None, PAGES_MAX).await.unwrap(), "some wait");
    assert!(world.is_under_way(other));
    assert_eq!(world.end_all(), OF_ONE_OWNER_MAX + 1);
    world.end();
}

/// What is kept of an attempt is seen before its place is free, and it may be due again by then.
#[tokio::test]
async fn a_delivery_that_is_due_before_its_place_is_free_waits_for_that() {
    let world = World::new(Duration::ZERO).await;
    let id = world.write("https://well.example/").await;
    let place = world.place(id);
    assert!(world.deliveries.look(&mut None, PAGES_MAX).await.unwrap(), "it waits");
    drop(place);
    assert!(!world.deliveries.look(&mut None, PAGES_MAX).await.unwrap());
    assert!(world.is_under_way(id));
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
async fn nothing_is_sent_on_a_lease_that_is_nearly_over() {
    let world = World::new(LEASE - DEADLINE).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let id = world.write(&receiver.base_url()).await;
    assert!(world.attempt_up_to(id, usize::MAX).await);
    assert_eq!((receiver.connections(), world.look(id).await.attempts), (0, 0));
    world.end();
}
