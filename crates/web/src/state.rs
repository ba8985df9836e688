//! What every request is served with.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use app::{App, RequestContext};
use domain::ids::{ActorId, LinkId, OwnerId};
use domain::network::Network;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::Failure;
use crate::client_address::ProxyWarning;
use crate::observer::Observer;
use crate::rate_limit::{Attempts, TooMany};
use crate::sign_ins::{SignIn, SignIns};
use crate::streams::{OpenStream, Streams};

/// How often an address may look for each time that it may do something: a page that shows how
/// things go is loaded again every few seconds, by several people behind one address.
const LOOKS: NonZeroU32 = NonZeroU32::new(30).expect("thirty is not zero");

/// Settings of the operator about requests.
#[derive(Clone)]
pub struct Settings {
    /// Whose word about the client's address is taken.
    pub trusted_proxies: Vec<Network>,
    /// How often one address may try to sign in, how often it may send a page's form, and how often
    /// it may fail to be admitted, each in a minute; `None`: as often as it likes.
    pub attempts_per_minute: Option<NonZeroU32>,
    /// How many requests of one key are allowed in a minute; `None`: all.
    pub key_requests_per_minute: Option<NonZeroU32>,
    /// Who is notified of every answer.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            trusted_proxies: Vec::new(),
            attempts_per_minute: NonZeroU32::new(10),
            key_requests_per_minute: None,
            observer: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("trusted_proxies", &self.trusted_proxies)
            .field("attempts_per_minute", &self.attempts_per_minute)
            .field("key_requests_per_minute", &self.key_requests_per_minute)
            .finish_non_exhaustive()
    }
}

/// State that every request is served with. Clones share it.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The use cases.
    pub app: Arc<App>,
    pub(crate) shared: Arc<Shared>,
}

/// State that is of requests alone.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    /// Calls of operations that anybody may call.
    pub(crate) open_calls: Attempts,
    /// Sign-ins.
    sign_ins: SignIns,
    /// Refreshes that failed. Those of good tokens have no limit.
    wrong_refreshes: Attempts,
    /// Whether the operator was warned that somebody forwards for others without being believed.
    pub(crate) proxy_warning: ProxyWarning,
    /// What people send by a page. Counted by itself: behind the one address of a carrier sit many
    /// payers and the merchant, whom they must not keep from signing in.
    pub(crate) page_tries: Attempts,
    /// Looks at what anybody may see.
    pub(crate) open_looks: Attempts,
    /// Forms that were sent about one link, or one payer's page.
    link_tries: Attempts,
    /// Credentials that were wrong.
    pub(crate) wrong_credentials: Attempts,
    /// Requests of keys, by key.
    pub(crate) key_requests: Attempts,
    /// Keys of banks that owners had tried, by owner.
    bank_trials: Attempts,
    /// Pictures that were sent, by owner.
    pictures: Attempts,
    /// Places for bodies that are longer than others.
    long_bodies: Arc<Semaphore>,
    /// Places of those who have something printed.
    prints: Arc<Semaphore>,
    /// Changes of passwords that were tried, by person.
    password_changes: Attempts,
    /// Streams of events that pages listen to.
    streams: Streams,
}

/// How often in a quarter of an hour a person may try to change its password: a caller who has no more than a
/// session of it guesses that often.
const PASSWORD_CHANGES_MAX: NonZeroU32 = NonZeroU32::new(5).unwrap();
const PASSWORD_CHANGES_WINDOW: Duration = Duration::from_secs(15 * 60);

/// How often in a minute one owner may have a bank asked whether it takes a key. A bank blocks the
/// address that tries too many, and it is the address of every owner here.
const BANK_TRIALS_MAX: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// How many bodies that are longer than others are read at once: each takes megabytes for as long as its line is slow.
const LONG_BODIES_MAX: usize = 16;

/// How many are printed for at once: each takes a processor for some milliseconds, beside payers who are checked.
const PRINTS_MAX: usize = 2;

/// How many pictures of one owner are drawn in a minute: each takes a second or so, and they are drawn one by one.
const PICTURES_MAX: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// How many forms about one link a process takes in a minute, from all addresses. What the link itself refuses
/// costs the store a write, and where credits refuse that write stays.
const LINK_TRIES_MAX: NonZeroU32 = NonZeroU32::new(60).unwrap();

impl AppState {
    /// Serves `app` with these settings.
    #[must_use]
    pub fn new(app: Arc<App>, settings: Settings) -> Self {
        let limit = settings.attempts_per_minute;
        let key_limit = settings.key_requests_per_minute;
        let shared = Shared {
            settings,
            open_calls: Attempts::new(limit),
            sign_ins: SignIns::new(limit),
            wrong_refreshes: Attempts::new(limit),
            proxy_warning: ProxyWarning::default(),
            page_tries: Attempts::new(limit),
            open_looks: Attempts::new(limit.map(|limit| limit.saturating_mul(LOOKS))),
            link_tries: Attempts::new(Some(LINK_TRIES_MAX)),
            wrong_credentials: Attempts::new(limit),
            key_requests: Attempts::of_requests(key_limit),
            bank_trials: Attempts::new(Some(BANK_TRIALS_MAX)),
            pictures: Attempts::new(Some(PICTURES_MAX)),
            long_bodies: Arc::new(Semaphore::new(LONG_BODIES_MAX)),
            prints: Arc::new(Semaphore::new(PRINTS_MAX)),
            password_changes: Attempts::within(Some(PASSWORD_CHANGES_MAX), PASSWORD_CHANGES_WINDOW),
            streams: Streams::default(),
        };
        Self { app, shared: Arc::new(shared) }
    }

    /// Lets a sign-in to that account be tried. A request that says no account is counted, too.
    ///
    /// # Errors
    /// [`TooMany`] where its address has tried too often.
    pub fn begin_sign_in(
        &self,
        request: &RequestContext,
        email: Option<&str>,
    ) -> Result<Option<SignIn>, TooMany> {
        let (sign_ins, now) = (&self.shared.sign_ins, request.received);
        let Some(email) = email else {
            return sign_ins.count(request.address, now).map(|()| None);
        };
        let has_room = self.app.passwords.has_room();
        sign_ins.begin(request.address, email, has_room, now).map(Some)
    }

    /// Counts the outcome of a sign-in.
    pub fn end_sign_in(&self, sign_in: SignIn, is_wrong: bool, now: Timestamp) {
        self.shared.sign_ins.end(sign_in, is_wrong, now);
    }

    /// Counts a refresh that failed.
    ///
    /// # Errors
    /// [`TooMany`] where too many of its address did.
    pub fn count_wrong_refresh(&self, request: &RequestContext) -> Result<(), TooMany> {
        self.shared.wrong_refreshes.take(request.address, request.received)
    }

    /// Counts that an owner has a bank asked whether it takes a key.
    ///
    /// # Errors
    /// [`TooMany`] where it did so too often.
    pub fn try_bank(&self, owner: OwnerId, now: Timestamp) -> Result<(), TooMany> {
        self.shared.bank_trials.take_of(u128::from_be_bytes(owner.to_bytes()), now)
    }

    /// Takes a place for a long body, until what this answers is dropped.
    ///
    /// # Errors
    /// All are taken.
    pub(crate) fn begin_long_body(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let place = Arc::clone(&self.shared.long_bodies).try_acquire_owned();
        place.map_err(|_| Refusal::ServiceUnavailable.into())
    }

    /// Counts that an owner sends a picture.
    ///
    /// # Errors
    /// [`TooMany`] where it did so too often.
    pub(crate) fn try_picture(&self, owner: OwnerId, now: Timestamp) -> Result<(), TooMany> {
        self.shared.pictures.take_of(u128::from_be_bytes(owner.to_bytes()), now)
    }

    /// Counts that a person tries to change its password.
    ///
    /// # Errors
    /// A refusal where it did so too often.
    pub fn try_password_change(&self, person: ActorId, now: Timestamp) -> Result<(), Refusal> {
        let taken =
            self.shared.password_changes.take_of(u128::from_be_bytes(person.to_bytes()), now);
        taken.map_err(|spent| Refusal::PasswordChangeTooFrequent {
            retry_after: Duration::from_secs(spent.retry_after_s),
        })
    }

    /// Counts that a person shows its password for something else than changing it: both together are limited.
    ///
    /// # Errors
    /// [`TooMany`] where it did so too often.
    pub fn try_password(&self, person: ActorId, now: Timestamp) -> Result<(), TooMany> {
        self.shared.password_changes.take_of(u128::from_be_bytes(person.to_bytes()), now)
    }

    /// Opens a stream of events for a person; nothing where it has too many open.
    #[must_use]
    pub fn open_stream(&self, person: ActorId) -> Option<OpenStream> {
        self.shared.streams.open(person)
    }

    /// Does work that takes a processor for some milliseconds, on a thread of its own.
    ///
    /// # Errors
    /// As many others as there may be do such work.
    pub async fn print<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let place = Arc::clone(&self.shared.prints).try_acquire_owned();
        let place = place.map_err(|_| Refusal::ServiceUnavailable)?;
        let done = spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        });
        done.await.map_err(Failure::internal)
    }

    /// Counts that somebody tries to pay a link.
    ///
    /// # Errors
    /// [`TooMany`] where that was tried too often.
    pub fn try_link(&self, link: LinkId, now: Timestamp) -> Result<(), TooMany> {
        self.shared.link_tries.take_of(u128::from_be_bytes(link.to_bytes()), now)
    }

    /// Counts that somebody asks for what costs some work at a page of that id.
    ///
    /// # Errors
    /// [`TooMany`] where that was done too often.
    pub fn try_page(&self, page: [u8; 16], now: Timestamp) -> Result<(), TooMany> {
        self.shared.link_tries.take_of(u128::from_be_bytes(page), now)
    }

    /// Counts a secret that was wrong, as a wrong credential of its address.
    ///
    /// # Errors
    /// Where the address has shown too many.
    pub fn count_wrong_secret(&self, request: &RequestContext) -> Result<(), Failure> {
        Ok(self.shared.wrong_credentials.take(request.address, request.received)?)
    }
}
