//! One flight: looks for a token that may be used, and else takes the lease, obtains one and keeps it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bank::{IssuedToken, Obtaining, Token};
use domain::secret::{SecretBytes, SecretText};
use domain::time::Timestamp;
use domain::verification::Failure;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, select};
use store::bank_tokens::{self, Reached, TokenState};
use store::fault::WriteError;
use store::{Lane, Meter};

use super::{SharedAccount, SharedFlight, place};
use crate::App;

/// How long a bank may take to give a token.
pub(super) const OBTAIN_MAX: Duration = Duration::from_secs(20);

/// How long a node may obtain a token before another takes the lease: longer than the bank may take, so that two hold
/// it only where one of them stood still.
pub(super) const LEASE: Duration = Duration::from_secs(30);

/// How far the clocks of two nodes may be apart: the login ends so long before the lease.
const CLOCKS_APART: Duration = Duration::from_secs(4);

/// How long a flight waits before it looks again for what another node obtains.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// How long before its end a token is used no more; of one that lives shortly, a tenth of its life.
const MARGIN: Duration = Duration::from_secs(30);
const MARGIN_PART: u32 = 10;

/// How many bytes a token may have.
pub(super) const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// A flight and what it holds. Dropped before its end, which is when nobody waits for it any more, it releases its lease.
pub(super) struct Flight {
    app: Arc<App>,
    account: SharedAccount,
    /// Its number among those of this process.
    number: u64,
    /// The generation that the bank refuses.
    stale: Option<i64>,
    /// The write by which it takes the lease, while nobody knows how that ends.
    taking: Option<Taking>,
    /// The fence of the lease that it holds.
    held: Option<i64>,
}

/// Takes the lease; answers its fence.
type Taking = BoxFuture<'static, Result<Option<i64>, WriteError>>;

/// Start of a flight: a token that was found, or the lease to obtain one.
enum Begun {
    /// There is a token.
    Found(Token),
    /// It has the lease of this fence, until then.
    Taken(i64, Timestamp),
}

impl Flight {
    /// The flight of that number, which brings a token of another generation than `stale`.
    pub(super) fn begin(
        app: &Arc<App>,
        account: Reached<'_>,
        (number, stale): (u64, Option<i64>),
        obtain: Obtaining,
    ) -> SharedFlight {
        let (app, account) = (Arc::clone(app), SharedAccount::of(account));
        let flight = Self { app, account, number, stale, taking: None, held: None };
        flight.run(obtain).boxed().shared()
    }

    async fn run(mut self, obtain: Obtaining) -> Result<Token, Failure> {
        let (fence, until) = match self.find_or_take().await? {
            Begun::Found(token) => return Ok(token),
            Begun::Taken(fence, until) => (fence, until),
        };
        self.held = Some(fence);
        match self.obtain(obtain, until).await {
            Ok(issued) => {
                self.keep(fence, &issued).await;
                Ok(Token::new(issued.secret, fence))
            }
            Err(failure) => {
                tracing::warn!(bank = %self.account.bank, ?failure, "a bank issued no token");
                release(Arc::clone(&self.app), self.account.clone(), fence).await;
                self.held = None;
                Err(failure)
            }
        }
    }

    /// Looks for a token until there is one, or the lease is free and taken.
    async fn find_or_take(&mut self) -> Result<Begun, Failure> {
        loop {
            let state = self.look().await?;
            let now = self.app.clock.now();
            if let Some(token) = self.usable(&state, now) {
                return Ok(Begun::Found(token));
            }
            if let Some(left) = lease_left(&state, now) {
                self.app.clock.sleep(left.min(LOOK_AGAIN)).await;
            } else if let Some(fence) = self.take(state.fence, now.plus(LEASE)).await? {
                return Ok(Begun::Taken(fence, now.plus(LEASE)));
            }
        }
    }

    async fn look(&mut self) -> Result<TokenState, Failure> {
        let account = self.account.clone();
        let job = move |tx: &mut store::tx::Tx<'_>| bank_tokens::find(tx, account.reached());
        match self.app.store.look_up(&Meter::default(), job).await {
            Ok(Some(state)) => Ok(state),
            // The next question asks by those that there are now.
            Ok(None) => {
                tracing::info!(bank = %self.account.bank, "credentials were changed meanwhile");
                Err(Failure::Unavailable)
            }
            Err(error) => Err(self.unavailable(&error)),
        }
    }

    /// A write goes on when nobody waits for it any more, so it is kept where [`Drop`] finds it.
    async fn take(&mut self, found: i64, until: Timestamp) -> Result<Option<i64>, Failure> {
        let (app, account) = (Arc::clone(&self.app), self.account.clone());
        let taking = self.taking.insert(Box::pin(async move {
            let owner = account.owner;
            let job = move |tx: &mut store::tx::Tx<'_>| {
                bank_tokens::take(tx, account.reached(), found, until)
            };
            app.store.write(&Meter::default(), Lane::Completion, owner, job).await
        }));
        let taken = taking.await;
        self.taking = None;
        taken.map_err(|error| self.unavailable(&error))
    }

    /// The token of the row, unless it is refused, about to end, or does not open.
    fn usable(&self, state: &TokenState, now: Timestamp) -> Option<Token> {
        let sealed = state.token.as_ref()?;
        let is_over = state.usable_until.is_some_and(|until| until <= now);
        if is_over || self.stale == Some(state.fence) {
            return None;
        }
        let SharedAccount { owner, bank, .. } = self.account;
        match self.app.vault.open(place(owner, &bank.to_bytes()), sealed) {
            Ok(plain) => {
                let plain = SecretBytes::new(plain);
                let text = std::str::from_utf8(plain.expose()).ok()?;
                Some(Token::new(SecretText::from(text), state.fence))
            }
            // It can be had again.
            Err(error) => {
                tracing::warn!(%bank, %error, "a bank token could not be opened");
                None
            }
        }
    }

    /// Asks the bank, while nothing here is held but the lease, and no longer than that lasts on any node's clock. A login
    /// that panics is a failure like others, so that it ends one flight and not all who wait for it.
    async fn obtain(
        &mut self,
        obtain: Obtaining,
        until: Timestamp,
    ) -> Result<IssuedToken, Failure> {
        let left = until.since(self.app.clock.now()).saturating_sub(CLOCKS_APART);
        let limit = OBTAIN_MAX.min(left);
        if limit.is_zero() {
            return Err(Failure::TimedOut);
        }
        let obtain = AssertUnwindSafe(obtain).catch_unwind();
        let issued = match select(obtain, self.app.clock.sleep(limit)).await {
            Either::Left((Ok(issued), _)) => issued?,
            Either::Left((Err(_), _)) => {
                tracing::error!(bank = %self.account.bank, "obtaining a bank token panicked");
                return Err(Failure::Unavailable);
            }
            Either::Right(_) => return Err(Failure::TimedOut),
        };
        let is_too_long = issued.secret.expose().len() > TOKEN_BYTES_MAX;
        if is_too_long { Err(Failure::BadResponse) } else { Ok(issued) }
    }

    /// Keeps the token and ends the lease. Those who wait get the token in any case.
    async fn keep(&mut self, fence: i64, issued: &IssuedToken) {
        let SharedAccount { owner, bank, .. } = self.account;
        let app = &self.app;
        let plain = issued.secret.expose().as_bytes();
        let sealed = app.vault.seal(&*app.ids, place(owner, &bank.to_bytes()), plain);
        let now = app.clock.now();
        let until = issued.expires_at.map(|end| usable_until(end, now));
        let account = self.account.clone();
        let job = move |tx: &mut store::tx::Tx<'_>| {
            bank_tokens::keep(tx, account.reached(), fence, &sealed, until)
        };
        match app.store.write_again(&Meter::default(), Lane::Completion, owner, job).await {
            Ok(is_kept) => {
                if !is_kept {
                    tracing::warn!(%bank, fence, "a bank token was dropped: lease expired or credentials changed");
                }
                self.held = None;
            }
            Err(error) => tracing::error!(%bank, ?error, "a bank token could not be written"),
        }
    }

    fn unavailable(&self, error: &dyn std::fmt::Debug) -> Failure {
        tracing::error!(bank = %self.account.bank, ?error, "a bank token could not be read");
        Failure::Unavailable
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let SharedAccount { owner, bank, .. } = self.account;
        self.app.token_flights.end(owner, bank, self.number);
        let (taking, held) = (self.taking.take(), self.held.take());
        if taking.is_none() && held.is_none() {
            return;
        }
        let (app, account) = (Arc::clone(&self.app), self.account.clone());
        self.app.tasks.spawn(Box::pin(async move {
            let taken = match taking {
                Some(taking) => taking.await.ok().flatten(),
                None => held,
            };
            if let Some(fence) = taken {
                release(app, account, fence).await;
            }
        }));
    }
}

/// Ends the lease. Where that fails, it ends by itself.
async fn release(app: Arc<App>, account: SharedAccount, fence: i64) {
    let (owner, bank) = (account.owner, account.bank);
    let job = move |tx: &mut store::tx::Tx<'_>| bank_tokens::release(tx, account.reached(), fence);
    let released = app.store.write_again(&Meter::default(), Lane::Completion, owner, job).await;
    if let Err(error) = released {
        tracing::warn!(%bank, ?error, "the lease of a bank token could not be released");
    }
}

/// How long another holds the lease, if one does. What a clock ahead has written is not waited for.
fn lease_left(state: &TokenState, now: Timestamp) -> Option<Duration> {
    let until = state.lease_until?;
    (until > now && !until.is_beyond(now, LEASE)).then(|| until.since(now))
}

/// Until when a token is used that was given just now.
fn usable_until(expires_at: Timestamp, now: Timestamp) -> Timestamp {
    let margin = MARGIN.min(expires_at.since(now) / MARGIN_PART);
    expires_at.minus(margin)
}
