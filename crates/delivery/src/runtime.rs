//! What comes from outside of this crate: time, tasks, chance, and the secrets of owners and their clients.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use domain::ids::{ClientId, IdSource, OwnerId};
use domain::time::Timestamp;
use domain::webhooks;
use egress::Wait;
use store::fault::Fault;
use store::webhook_secrets::Sealed;

/// Work that somebody else runs to its end.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Waits for as long as results of attempts gather: [`crate::GATHERING`], or not at all where time is held
/// still.
pub type Gather = Arc<dyn Fn() -> Work + Send + Sync>;

/// Starts work: handed in, since only the binary starts tasks.
pub type Spawn = Arc<dyn Fn(Work) + Send + Sync>;

/// A secret that could not be read.
pub type SecretError = Box<dyn StdError + Send + Sync>;

/// Future of [`Secrets::of`].
pub type Telling = Pin<Box<dyn Future<Output = Result<webhooks::Secrets, SecretError>> + Send>>;

/// Future of [`Secrets::of_client`].
pub type TellingOfClient =
    Pin<Box<dyn Future<Output = Result<Option<webhooks::Secrets>, SecretError>> + Send>>;

/// Source of the secrets that owners' webhooks are signed with, and besides for their clients.
pub trait Secrets: Send + Sync {
    /// Returns what this owner's webhooks are signed with. `taken_with` is what was read when deliveries were claimed;
    /// it signs those alone. Where nothing is given, the secrets are looked up now, and made where there are none yet.
    fn of(&self, owner: OwnerId, taken_with: Option<Sealed>) -> Telling;

    /// Returns what the webhooks of this client's links are signed with besides, if there is anything. `taken_with` is
    /// as in [`Secrets::of`]; none is made.
    fn of_client(
        &self,
        owner: OwnerId,
        client: ClientId,
        taken_with: Option<Sealed>,
    ) -> TellingOfClient;
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
    /// How results of attempts gather before they are recorded.
    pub gather: Gather,
    /// How to start work.
    pub spawn: Spawn,
    /// Where chance comes from.
    pub ids: Arc<dyn IdSource>,
}

/// Future of [`Skew`].
pub type Comparing = Pin<Box<dyn Future<Output = Result<i64, Fault>> + Send>>;

/// How many microseconds the database's clock is ahead of this instant.
pub type Skew = Arc<dyn Fn(Timestamp) -> Comparing + Send + Sync>;

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}
