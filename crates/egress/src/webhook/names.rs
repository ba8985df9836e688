//! Looking names up, by the system, which knows more than name servers do and has no way but to
//! block. A name server that never answers keeps a thread for as long as the system has patience,
//! so that there are places for look-ups, and an owner has a share of them.

use std::collections::HashMap;
use std::error::Error;
use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use domain::ids::OwnerId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// How many names are looked up at once so that an address may be kept.
const KEEPING_MAX: usize = 16;

/// How many are looked up at once for deliveries. Each takes a thread that may block, of which the
/// runtime has 512 for all purposes.
const DELIVERING_MAX: usize = 128;

/// How many of them for deliveries of one owner.
const OF_ONE_OWNER_MAX: usize = 8;

// A few owners whose names are slow leave places to the others.
const _: () = assert!(DELIVERING_MAX >= 8 * OF_ONE_OWNER_MAX);

/// Purpose for which a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To keep an address, which is kept without a look-up where there is no place: it is not waited for.
    Keeping,
    /// To deliver on behalf of that owner.
    Delivering(OwnerId),
}

/// The addresses of a name, from a source that knows.
pub(super) type Resolve = Arc<dyn Fn(Purpose, String) -> Resolving + Send + Sync>;

/// Future of a [`Resolve`].
pub(super) type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Asks the system.
pub(super) fn by_the_system() -> Resolve {
    bounded(Places::new(KEEPING_MAX, DELIVERING_MAX, OF_ONE_OWNER_MAX), look_up)
}

/// Runs `look_up`, which blocks, where there is a place for it. It keeps its place until it is over, also where nobody
/// waits for it any more, since it keeps its thread for as long.
fn bounded(
    places: Places,
    look_up: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
) -> Resolve {
    let (places, look_up) = (Arc::new(places), Arc::new(look_up));
    Arc::new(move |purpose, name| {
        let (places, look_up) = (Arc::clone(&places), Arc::clone(&look_up));
        Box::pin(async move {
            let place = places.enter(purpose).await.map_err(io::Error::other)?;
            let work = move || {
                let _place = place;
                look_up(&name)
            };
            spawn_blocking(work).await.map_err(io::Error::other)?
        })
    })
}

/// The places for look-ups.
struct Places {
    for_keeping: Arc<Semaphore>,
    for_delivering: Arc<Semaphore>,
    of_one_owner: usize,
    /// The shares of those owners that hold a place or wait for one; they alone keep them alive.
    shares: Mutex<HashMap<OwnerId, Weak<Semaphore>>>,
}

/// A place, until it is dropped.
struct Place {
    _in_all: OwnedSemaphorePermit,
    _of_its_owner: Option<OwnedSemaphorePermit>,
}

impl Places {
    fn new(for_keeping: usize, for_delivering: usize, of_one_owner: usize) -> Self {
        Self {
            for_keeping: Arc::new(Semaphore::new(for_keeping)),
            for_delivering: Arc::new(Semaphore::new(for_delivering)),
            of_one_owner,
            shares: Mutex::default(),
        }
    }

    /// Takes a place. A caller that waits for its owner's share takes none from others meanwhile.
    async fn enter(&self, purpose: Purpose) -> Result<Place, Box<dyn Error + Send + Sync>> {
        let (in_all, of_its_owner) = match purpose {
            Purpose::Keeping => (Arc::clone(&self.for_keeping).try_acquire_owned()?, None),
            Purpose::Delivering(owner) => {
                let of_its_owner = self.share(owner).acquire_owned().await?;
                (Arc::clone(&self.for_delivering).acquire_owned().await?, Some(of_its_owner))
            }
        };
        Ok(Place { _in_all: in_all, _of_its_owner: of_its_owner })
    }

    /// The share of an owner, and nothing of those who hold nothing any more.
    fn share(&self, owner: OwnerId) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| share.strong_count() > 0);
        let known = shares.get(&owner).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let share = Arc::new(Semaphore::new(self.of_one_owner));
            shares.insert(owner, Arc::downgrade(&share));
            share
        })
    }
}

fn look_up(name: &str) -> io::Result<Vec<IpAddr>> {
    let mut addresses: Vec<IpAddr> =
        (name, 0).to_socket_addrs()?.map(|address| address.ip()).collect();
    addresses.dedup();
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver, Sender};

    use futures_util::FutureExt;

    use super::*;

    const ONE: Purpose = Purpose::Delivering(OwnerId::from_bytes([1; 16]));
    const OTHER: Purpose = Purpose::Delivering(OwnerId::from_bytes([2; 16]));

    /// Look-ups of which those of slow names are over when they are let go.
    struct Slow {
        resolve: Resolve,
        began: Receiver<String>,
        go: Sender<()>,
    }

    impl Slow {
        fn new(places: Places) -> Self {
            let (sender, began) = mpsc::channel();
            let (go, gate) = mpsc::channel::<()>();
            let gate = Mutex::new(gate);
            let resolve = bounded(places, move |name: &str| {
                sender.send(name.to_owned()).unwrap();
                if name.starts_with("slow") {
                    gate.lock().unwrap().recv().unwrap();
                }
                Ok(Vec::new())
            });
            Self { resolve, began, go }
        }

        fn ask(&self, purpose: Purpose, name: &str) -> Resolving {
            (self.resolve)(purpose, name.to_owned())
        }

        /// Begins a look-up that nobody waits for.
        fn begin(&self, purpose: Purpose, name: &str) {
            assert!(self.ask(purpose, name).now_or_never().is_none());
            assert_eq!(self.began.recv().unwrap(), name);
        }

        /// Runs a look-up from beginning to end.
        async fn pass(&self, purpose: Purpose, name: &str) {
            assert_eq!(self.ask(purpose, name).await.unwrap(), Vec::<IpAddr>::new());
            assert_eq!(self.began.recv().unwrap(), name);
        }

        /// Lets so many of the slow ones go.
        fn release(&self, count: usize) {
            (0..count).for_each(|_| self.go.send(()).unwrap());
        }
    }

    #[tokio::test]
    async fn a_look_up_has_its_place_until_it_is_over_even_when_it_was_given_up() {
        let names = Slow::new(Places::new(1, 2, 2));
        names.begin(ONE, "slow-a.example");
        names.begin(ONE, "slow-b.example");
        let mut third = names.ask(OTHER, "c.example");
        assert!((&mut third).now_or_never().is_none());
        assert!(names.began.try_recv().is_err(), "both places are taken");
        names.release(2);
        assert_eq!(third.await.unwrap(), Vec::<IpAddr>::new());
        assert_eq!(names.began.recv().unwrap(), "c.example");
    }

    #[tokio::test]
    async fn slow_names_of_one_owner_leave_slots_to_others() {
        let names = Slow::new(Places::new(1, 3, 2));
        names.begin(ONE, "slow-a.example");
        names.begin(ONE, "slow-b.example");
        let mut many: Vec<Resolving> = (0..9).map(|_| names.ask(ONE, "c.example")).collect();
        assert!(many.iter_mut().all(|one| one.now_or_never().is_none()));
        names.pass(OTHER, "d.example").await;
        assert!(names.began.try_recv().is_err(), "its share is taken");
        names.release(2);
        for one in many {
            one.await.unwrap();
        }
    }

    #[tokio::test]
    async fn keeping_an_address_and_delivering_do_not_wait_for_each_other() {
        let names = Slow::new(Places::new(1, 1, 1));
        names.begin(ONE, "slow-a.example");
        names.pass(Purpose::Keeping, "b.example").await;
        names.begin(Purpose::Keeping, "slow-c.example");
        let without = names.ask(Purpose::Keeping, "d.example").now_or_never();
        assert!(without.is_some_and(|result| result.is_err()), "it does not wait");
        let mut waiting = names.ask(OTHER, "e.example");
        assert!((&mut waiting).now_or_never().is_none());
        names.release(2);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn owners_that_hold_no_place_are_forgotten() {
        let places = Places::new(1, 2, 1);
        let held = places.enter(ONE).await.ok();
        for number in 0..=9 {
            let owner = Purpose::Delivering(OwnerId::from_bytes([number; 16]));
            if owner != ONE {
                places.enter(owner).await.unwrap();
            }
        }
        assert!(places.shares.lock().unwrap().len() <= 2);
        assert!(places.enter(ONE).now_or_never().is_none(), "its share is taken");
        drop(held);
        assert!(places.enter(ONE).now_or_never().is_some());
        assert_eq!(places.shares.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn the_system_knows_this_machine() {
        let found = by_the_system()(ONE, "localhost".to_owned()).await.unwrap();
        assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback), "{found:?}");
    }
}
