//! Webhooks on their way: what was written with the events is sent until it has been heard.
//!
//! Every node does the same. It is handed what was written in its own process, and looks for what
//! else is due; takes deliveries by a lease that is longer than any attempt, those of an owner
//! together; sends outside any transaction; and writes what came of it and what follows under the
//! lease's fence. Wherever a process ends, the row is still due, or will be once the lease is over: a
//! receiver hears every event at least once.
//!
//! Places are shared by what is free, among owners and at each receiver, and those that wait take
//! turns: whoever is slow or dead holds up nobody but itself, and however many want all they can get at
//! once, they leave places to whoever comes next.

mod ahead;
mod attempt;
mod gathering;
mod keeping;
mod looking;
mod refilling;
mod repeat;
mod shared_time;
mod signing;
mod taking;
mod turns;

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use domain::ids::{IdSource, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{self, HeaderWord};
use egress::{DEADLINE, Wait, WebhookClient};
use store::Store;
use store::webhook_secrets::Sealed;
use tokio::sync::Notify;

use crate::gathering::Gathering;
use crate::keeping::Made;
use crate::shared_time::SharedTime;
use crate::taking::Ticket;
use crate::turns::{Limits, Share, Turns};

pub use crate::keeping::AGAIN_AFTER;
pub use crate::shared_time::{Comparing, Skew};

/// How long a node has a delivery before another may take it: more than an attempt may take, with
/// room for the writes around it.
pub const LEASE: Duration = Duration::from_secs(30);

// An attempt must be over before anybody else may begin the next.
const _: () = assert!(LEASE.as_secs() >= 2 * DEADLINE.as_secs());

/// How often is looked without having been told to: what another node has written, and what is due
/// again. A little less than a second, so that it is not at one with others who look every second.
pub const EVERY: Duration = Duration::from_millis(900);

/// How long what came of attempts gathers before it is kept: the receiver is free by then, and the more
/// shares a commit, the less each costs.
pub const GATHERING: Duration = Duration::from_millis(2);

/// How many attempts go on at once in this process.
pub const UNDER_WAY_MAX: usize = 256;

/// How many of them are of one owner, however many receivers it names.
pub const OF_ONE_OWNER_MAX: usize = 64;

/// An attempt that takes longer makes its receiver a slow one.
pub const QUICK_MAX: Duration = Duration::from_secs(1);

/// After how many quick attempts in a row a slow receiver is a quick one again: one that is quick now
/// and then, to be given more places, remains what it is.
pub const QUICK_AGAIN: u8 = 8;

/// How many of them go to receivers that are not known to be quick: the rest is for those that are.
pub const NOT_QUICK_MAX: usize = 192;

/// How many of those are of one owner.
pub const NOT_QUICK_OF_ONE_OWNER_MAX: usize = 48;

/// How many of those go to receivers that were slow when last heard, so that others are soon known.
pub const SLOW_MAX: usize = 128;

/// How many of those are of one owner.
pub const SLOW_OF_ONE_OWNER_MAX: usize = 32;

/// How many of them go to one receiver, which has as few connections from here at most.
pub const TO_ONE_RECEIVER_MAX: usize = 16;

/// How many of those are of one owner.
pub const OF_ONE_OWNER_TO_ONE_RECEIVER_MAX: usize = 8;

/// How many deliveries wait here for a place. What has no room is in the database alone.
const WAITING_MAX: usize = 8_192;

/// How many of them are of one owner.
const WAITING_OF_ONE_OWNER_MAX: usize = 2_048;

/// How many of those go to one receiver.
const WAITING_IN_A_LINE_MAX: usize = 1_024;

/// How many events wait to be handed over by the transactions that wrote them.
const HANDED_MAX: usize = 1_024;

/// How many receivers are known by how quickly they answer.
const RECEIVERS_MAX: usize = 4_096;

/// All that is shared.
const LIMITS: Limits = Limits {
    places: [
        Share { in_all: UNDER_WAY_MAX, of_one: OF_ONE_OWNER_MAX },
        Share { in_all: NOT_QUICK_MAX, of_one: NOT_QUICK_OF_ONE_OWNER_MAX },
        Share { in_all: SLOW_MAX, of_one: SLOW_OF_ONE_OWNER_MAX },
    ],
    at_a_receiver: Share { in_all: TO_ONE_RECEIVER_MAX, of_one: OF_ONE_OWNER_TO_ONE_RECEIVER_MAX },
    room: Share { in_all: WAITING_MAX, of_one: WAITING_OF_ONE_OWNER_MAX },
    in_a_line: WAITING_IN_A_LINE_MAX,
    receivers: RECEIVERS_MAX,
};

/// Work that somebody else runs to its end.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Waits for as long as what came of attempts gathers: [`GATHERING`], or not at all where time is held
/// still.
pub type Gather = Arc<dyn Fn() -> Work + Send + Sync>;

/// Starts work: handed in, since only the binary starts tasks.
pub type Spawn = Arc<dyn Fn(Work) + Send + Sync>;

/// What [`Secrets`] answers.
pub type Telling = Pin<
    Box<dyn Future<Output = Result<webhooks::Secrets, Box<dyn StdError + Send + Sync>>> + Send>,
>;

/// Who knows what owners' webhooks are signed with.
pub trait Secrets: Send + Sync {
    /// What this owner's webhooks are signed with: what was read when deliveries were taken, `taken_with`,
    /// signs those alone. Where nothing is given it is looked up now, and made where there is none yet.
    fn of(&self, owner: OwnerId, taken_with: Option<Sealed>) -> Telling;
}

/// Time and tasks, which are others'.
#[derive(Clone)]
pub struct Runtime {
    /// What time it is.
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// How far the clock is off the database's.
    pub skew: Skew,
    /// How to wait.
    pub wait: Wait,
    /// How what came of attempts gathers before it is kept.
    pub gather: Gather,
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
    runtime: Runtime,
    bell: Arc<Notify>,
    word: HeaderWord,
    turns: Arc<Turns>,
    shared_time: SharedTime,
    /// What has a place and is to be taken.
    to_take: Arc<Gathering<Ticket>>,
    /// What came of attempts and is to be kept.
    to_keep: Arc<Gathering<Arc<Made>>>,
    /// Nothing more begins.
    is_stopping: AtomicBool,
}

impl Deliveries {
    /// Sends what `store` has, signed by what `secrets` tells, in headers with that `word`. Whoever
    /// rings the `bell` has it looked for at once: what is due again, since of what is written it hears
    /// by itself.
    #[must_use]
    pub fn new(
        store: Store,
        client: Arc<WebhookClient>,
        secrets: Arc<dyn Secrets>,
        runtime: Runtime,
        bell: Arc<Notify>,
        word: HeaderWord,
    ) -> Self {
        let turns = Arc::new(Turns::new(LIMITS));
        Self {
            store,
            client,
            secrets,
            runtime,
            bell,
            word,
            turns,
            shared_time: SharedTime::default(),
            to_take: Arc::default(),
            to_keep: Arc::default(),
            is_stopping: AtomicBool::new(false),
        }
    }
}

impl fmt::Debug for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliveries").field("turns", &self.turns).finish_non_exhaustive()
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}

#[cfg(test)]
mod tests;
