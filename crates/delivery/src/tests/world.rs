//! A store in a file, and what delivers from it as far as a test lets it.

use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use domain::ids::{ClientId, EventId, IdSource, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{self, EventKind, HeaderWord, Previous, WebhookSecret};
use egress::{Reach, Wait, WebhookClient};
use store::deliveries::{self, Delivery, Event};
use store::due::{self, Kind};
use store::tx::Tx;
use store::webhook_secrets::Sealed;
use store::{Engine, Lane, Meter, OnFatal, Options, SqliteSettings, owners};
use tokio::task::yield_now;

use crate::claimed::Claimed;
use crate::poller::Cursors;
use crate::scheduler::{Added, Candidate};
use crate::{Deliveries, Gather, Runtime, Secrets, Telling, TellingOfClient, Work};

pub(super) const START: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);
pub(super) const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
pub(super) const OTHER: OwnerId = OwnerId::from_bytes([2; 16]);

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

/// A secret that has just been rotated, and takes so long to look up.
struct Rotated {
    takes: Duration,
    now: Arc<Mutex<Timestamp>>,
}

impl Secrets for Rotated {
    fn of(&self, _: OwnerId, _: Option<Sealed>) -> Telling {
        let mut now = self.now.lock().unwrap();
        *now = now.plus(self.takes);
        let until = START.plus(Duration::from_secs(24 * 60 * 60));
        let previous = Some(Previous { secret: WebhookSecret::kept("former".into()), until });
        let current = WebhookSecret::kept("made up".into());
        Box::pin(std::future::ready(Ok(webhooks::Secrets { current, previous })))
    }

    fn of_client(&self, _: OwnerId, _: ClientId, _: Option<Sealed>) -> TellingOfClient {
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// A store in a file, whose every answer has to be waited for, and what delivers from it.
pub(super) struct World {
    pub(super) deliveries: Arc<Deliveries>,
    /// What was begun, and goes no further.
    pub(super) begun: Arc<Mutex<Vec<Work>>>,
    pub(super) now: Arc<Mutex<Timestamp>>,
    folder: PathBuf,
}

impl World {
    pub(super) async fn new(takes: Duration) -> Self {
        Self::waiting(takes, Arc::new(|_| Box::pin(std::future::pending()))).await
    }

    pub(super) async fn waiting(takes: Duration, wait: Wait) -> Self {
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
        let store = store::open(&options).unwrap();
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
        let runtime = Runtime {
            now: Arc::new(move || *shown.lock().unwrap()),
            skew: Arc::new(|_| Box::pin(std::future::ready(Ok(0)))),
            wait: Wait::clone(&wait),
            gather: Arc::new(|| Box::pin(std::future::ready(()))),
            spawn: Arc::new(move |work| kept.lock().unwrap().push(work)),
            ids: Arc::new(Counting(AtomicU64::new(1))),
        };
        let client = Arc::new(WebhookClient::new(Reach::Anywhere, wait, Arc::clone(&runtime.now)));
        let (bell, word) = (Arc::default(), HeaderWord::default());
        let secrets = Arc::new(Rotated { takes, now: Arc::clone(&now) });
        let deliveries = Deliveries::new(store, client, secrets, runtime, bell, word);
        Self { deliveries: Arc::new(deliveries), begun, now, folder }
    }

    pub(super) fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }

    pub(super) async fn write(&self, url: &str) -> EventId {
        self.write_all(OWNER, [url.to_owned()]).await[0]
    }

    /// Writes an event for each of these addresses, and lets a second pass.
    pub(super) async fn write_all(
        &self,
        owner: OwnerId,
        urls: impl IntoIterator<Item = String>,
    ) -> Vec<EventId> {
        let ids = self.write_due_in(Duration::ZERO, owner, urls).await;
        self.pass(Duration::from_secs(1));
        ids
    }

    /// Writes events that are due so much later.
    pub(super) async fn write_due_in(
        &self,
        wait: Duration,
        owner: OwnerId,
        urls: impl IntoIterator<Item = String>,
    ) -> Vec<EventId> {
        let due_at = self.now().plus(wait);
        let event = |url| {
            let id = EventId::new(&*self.deliveries.runtime.ids, due_at);
            let (kind, body) = (EventKind::LinkPaid, b"{}".to_vec());
            Event { id, kind, subject: [2; 16], client: None, url, body }
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

    pub(super) fn pass(&self, duration: Duration) {
        let mut now = self.now.lock().unwrap();
        *now = now.plus(duration);
    }

    /// Looks, and has begin what may; answers whether there was more than a page.
    pub(super) async fn look_and_begin(&self, cursors: &mut Cursors) -> bool {
        let is_long = self.deliveries.look(cursors).await.unwrap();
        self.deliveries.begin_all();
        is_long
    }

    /// How many of these have a slot.
    pub(super) fn under_way(&self, ids: &[EventId]) -> usize {
        ids.iter().filter(|id| self.is_under_way(**id)).count()
    }

    pub(super) fn is_under_way(&self, id: EventId) -> bool {
        self.deliveries.scheduler.is_under_way(id)
    }

    /// How many of these wait for a slot or have one.
    pub(super) fn have_room(&self, ids: &[EventId]) -> usize {
        ids.iter().filter(|id| self.deliveries.scheduler.is_known(**id)).count()
    }

    /// Ends these as delivered, and begins others of the owner in their slots.
    pub(super) async fn deliver(&self, owner: OwnerId, ids: Vec<EventId>) {
        let end = move |tx: &mut Tx<'_>| {
            let end = |id: &EventId| due::remove(tx, owner, Kind::Delivery, id.to_bytes());
            ids.iter().try_for_each(end)
        };
        let store = &self.deliveries.store;
        store.write(&Meter::default(), Lane::Recording, owner, end).await.unwrap();
        self.end_all();
        self.deliveries.begin_all();
    }

    /// Ends whatever was begun.
    pub(super) fn end_all(&self) {
        let begun: Vec<Work> = self.begun.lock().unwrap().drain(..).collect();
        drop(begun);
    }

    /// Another node on the same store, whose clock is so many seconds ahead, as it knows or does not.
    pub(super) fn node_ahead(&self, seconds: i64, knows: bool) -> Deliveries {
        let (now, micros) = (Arc::clone(&self.now), seconds * 1_000_000);
        let ahead = move || Timestamp::from_micros(now.lock().unwrap().as_micros() + micros);
        let skew = if knows { -micros } else { 0 };
        self.node(Runtime {
            now: Arc::new(ahead),
            skew: Arc::new(move |_| Box::pin(std::future::ready(Ok(skew)))),
            ..self.deliveries.runtime.clone()
        })
    }

    /// Another node, on which results of attempts gather until this ends.
    pub(super) fn node_gathering(&self, gather: Gather) -> Deliveries {
        self.node(Runtime { gather, ..self.deliveries.runtime.clone() })
    }

    fn node(&self, runtime: Runtime) -> Deliveries {
        let Deliveries { store, client, secrets, bell, word, .. } = &*self.deliveries;
        let (client, secrets) = (Arc::clone(client), Arc::clone(secrets));
        Deliveries::new(store.clone(), client, secrets, runtime, Arc::clone(bell), word.clone())
    }

    /// Takes a delivery, as one that was found.
    pub(super) async fn take(&self, id: EventId) -> Vec<Claimed> {
        take_by(&self.deliveries, id).await
    }

    pub(super) async fn attempt(&self, id: EventId) {
        for taken in self.take(id).await {
            self.deliveries.attempt(taken).await;
        }
    }

    /// Makes an attempt that ends where it has had to wait so often; answers whether it was over.
    pub(super) async fn attempt_up_to(&self, id: EventId, waits: usize) -> bool {
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

    pub(super) async fn look(&self, id: EventId) -> Delivery {
        let find = move |tx: &mut Tx<'_>| deliveries::find(tx, OWNER, id);
        self.deliveries.store.look_up(&Meter::default(), find).await.unwrap().unwrap()
    }

    pub(super) fn end(self) {
        self.deliveries.store.close();
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

pub(super) fn dead(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|_| "https://dead.example/".to_owned())
}

/// Claims a delivery by that node, as one that was found.
pub(super) async fn take_by(node: &Deliveries, id: EventId) -> Vec<Claimed> {
    claim_all_by(node, &[id]).await
}

/// Claims these deliveries together by that node, in the order in which they were found.
pub(super) async fn claim_all_by(node: &Deliveries, ids: &[EventId]) -> Vec<Claimed> {
    let mut tickets = Vec::new();
    for &id in ids {
        let candidate = || {
            let receiver = "receiver".into();
            Candidate { owner: OWNER, id, receiver, written: None }
        };
        // A write that nobody waits for any more goes on, and has its slot until it is done.
        while node.scheduler.add(candidate()) == Added::Known {
            yield_now().await;
        }
        tickets.push(node.scheduler.next().unwrap());
    }
    node.claim_batch(OWNER, tickets).await.unwrap()
}
