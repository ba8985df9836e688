//! Webhooks on their way: what was written with the events is sent until it has been heard.
//!
//! Every node runs the same loop. It finds what is due, takes each delivery by a lease that is
//! longer than any attempt, sends outside any transaction, and writes what came of it and what
//! follows under the lease's fence. Wherever a process ends, the row is still due, or will be once
//! the lease is over: a receiver hears every event at least once.
//!
//! A receiver has a few places, an owner more, and all together more still, so that one that is slow or
//! dead holds up nobody but itself.

mod attempt;
mod looking;
mod places;
mod repeat;
mod signing;

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{IdSource, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{self, HeaderWord};
use egress::{DEADLINE, Wait, WebhookClient};
use store::Store;
use tokio::sync::Notify;

use crate::places::{Limits, Places};

/// How long a node has a delivery before another may take it: more than an attempt may take, with
/// room for the writes around it.
pub const LEASE: Duration = Duration::from_secs(30);

// An attempt must be over before anybody else may begin the next.
const _: () = assert!(LEASE.as_secs() >= 2 * DEADLINE.as_secs());

/// How often is looked without having been told to: what another node has written, and what is due
/// again. A little less than a second, so that it is not at one with others who look every second.
pub const EVERY: Duration = Duration::from_millis(900);

/// How many attempts go on at once in this process.
pub const UNDER_WAY_MAX: usize = 256;

/// How many of them are of one owner, however many receivers it names.
pub const OF_ONE_OWNER_MAX: usize = 64;

/// How many of them go to one receiver.
pub const TO_ONE_RECEIVER_MAX: usize = 8;

/// Work that somebody else runs to its end.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Starts work: handed in, since only the binary starts tasks.
pub type Spawn = Arc<dyn Fn(Work) + Send + Sync>;

/// What [`Secrets`] answers.
pub type Telling = Pin<
    Box<dyn Future<Output = Result<webhooks::Secrets, Box<dyn StdError + Send + Sync>>> + Send>,
>;

/// Who knows what owners' webhooks are signed with.
pub trait Secrets: Send + Sync {
    /// What this owner's are signed with from now on. It is asked for every attempt, so that what was
    /// rotated away before an attempt began signs nothing of it: an answer is not to be kept.
    fn of(&self, owner: OwnerId) -> Telling;
}

/// Time and tasks, which are others'.
#[derive(Clone)]
pub struct Outside {
    /// What time it is.
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// How to wait.
    pub wait: Wait,
    /// How to start work.
    pub spawn: Spawn,
    /// Where chance comes from.
    pub ids: Arc<dyn IdSource>,
}

/// What sends webhooks.
pub struct Deliveries {
    store: Store,
    client: Arc<WebhookClient>,
    secrets: Arc<dyn Secrets>,
    outside: Outside,
    bell: Arc<Notify>,
    word: HeaderWord,
    places: Arc<Places>,
}

impl Deliveries {
    /// Sends what `store` has, signed by what `secrets` tells, in headers with that `word`. Whoever
    /// rings the `bell` after a commit has the delivery begin at once.
    #[must_use]
    pub fn new(
        store: Store,
        client: Arc<WebhookClient>,
        secrets: Arc<dyn Secrets>,
        outside: Outside,
        bell: Arc<Notify>,
        word: HeaderWord,
    ) -> Self {
        let places = Places::new(Limits {
            in_all: UNDER_WAY_MAX,
            of_one_owner: OF_ONE_OWNER_MAX,
            to_one_receiver: TO_ONE_RECEIVER_MAX,
        });
        Self { store, client, secrets, outside, bell, word, places: Arc::new(places) }
    }
}

impl fmt::Debug for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliveries").field("places", &self.places).finish_non_exhaustive()
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outside")
    }
}

#[cfg(test)]
mod tests;
