//! The tokens that banks give for a while: kept sealed, and obtained in a single flight.
//!
//! A token is read from its row for each question, so that what one node has obtained or forgotten holds on every node.
//! Where none is kept that may be used, all questions of this process about the account wait for one *flight*, which
//! takes the *lease* in the row, obtains the token and keeps it. Other nodes see the lease and wait for what it brings.
//! A former holder changes nothing by a late result: each lease has a higher *fence*.
//!
//! No task owns a flight. Those who wait for it drive it: when the one that began it leaves, the others go on.

mod flight;
mod flights;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use bank::{Getting, Obtaining, Token, Tokens};
use domain::ids::{BankId, OwnerId};
use domain::verification::Failure;
use store::bank_tokens::Reached;

use self::flight::Flight;
pub use self::flights::TokenFlights;
use self::flights::{Joined, SharedFlight};
use crate::App;
use crate::vault::Place;

/// Returns the place to which the token of an account is sealed.
fn place(owner: OwnerId, bank: &[u8; 16]) -> Place<'_> {
    Place { table: "bank_tokens", column: "token", owner: Some(owner), row: bank }
}

/// The place of an account's token, for one question.
#[derive(Clone, Copy)]
pub(crate) struct AccountTokens<'a> {
    app: &'a Arc<App>,
    /// The account; `None` where it was linked without credentials.
    account: Option<Reached<'a>>,
}

impl<'a> AccountTokens<'a> {
    /// That of the account, which is reached with these credentials, as they are sealed.
    pub(crate) fn new(
        app: &'a Arc<App>,
        (owner, bank): (OwnerId, BankId),
        credentials: Option<&'a [u8]>,
    ) -> Self {
        let account = credentials.map(|credentials| Reached { owner, bank, credentials });
        Self { app, account }
    }

    /// The token that is not of generation `stale`.
    async fn get(self, stale: Option<i64>, obtain: Obtaining) -> Result<Token, Failure> {
        let account = self.account.ok_or(Failure::RejectedCredentials)?;
        let mut obtain = obtain;
        loop {
            match self.join(account, stale, obtain) {
                Joined::Own(flight) => return flight.await,
                Joined::Other(flight, ours) => {
                    let token = flight.await?;
                    if stale != Some(token.generation()) {
                        return Ok(token);
                    }
                    // That flight did not know that the token is stale. It is over.
                    obtain = ours;
                }
            }
        }
    }

    /// The flight that is under way for the account, or else one that `obtain` makes.
    fn join(
        &self,
        account: Reached<'a>,
        stale: Option<i64>,
        obtain: Obtaining,
    ) -> Joined<Obtaining> {
        let begin = |number, obtain| Flight::begin(self.app, account, (number, stale), obtain);
        self.app.token_flights.join(account, obtain, begin)
    }
}

impl fmt::Debug for AccountTokens<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AccountTokens").field(&self.account).finish()
    }
}

impl Tokens for AccountTokens<'_> {
    fn current(&self, obtain: Obtaining) -> Getting<'_> {
        Box::pin(self.get(None, obtain))
    }

    fn renew(&self, stale: &Token, obtain: Obtaining) -> Getting<'_> {
        Box::pin(self.get(Some(stale.generation()), obtain))
    }

    fn share(&self) -> Arc<dyn Tokens> {
        let account = self.account.map(SharedAccount::of);
        Arc::new(SharedTokens { app: Arc::clone(self.app), account })
    }
}

/// An account and its credentials, for what outlives a question.
#[derive(Clone, Debug)]
struct SharedAccount {
    owner: OwnerId,
    bank: BankId,
    credentials: Arc<Sealed>,
}

/// Sealed credentials, which `Debug` does not show.
struct Sealed(Vec<u8>);

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl SharedAccount {
    fn of(Reached { owner, bank, credentials }: Reached<'_>) -> Self {
        Self { owner, bank, credentials: Arc::new(Sealed(credentials.to_vec())) }
    }

    fn reached(&self) -> Reached<'_> {
        let Self { owner, bank, credentials } = self;
        Reached { owner: *owner, bank: *bank, credentials: &credentials.0 }
    }
}

/// The place of an account's token, for what outlives a question.
struct SharedTokens {
    app: Arc<App>,
    account: Option<SharedAccount>,
}

impl SharedTokens {
    fn borrowed(&self) -> AccountTokens<'_> {
        let account = self.account.as_ref().map(SharedAccount::reached);
        AccountTokens { app: &self.app, account }
    }
}

impl fmt::Debug for SharedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.borrowed(), f)
    }
}

impl Tokens for SharedTokens {
    fn current(&self, obtain: Obtaining) -> Getting<'_> {
        Box::pin(self.borrowed().get(None, obtain))
    }

    fn renew(&self, stale: &Token, obtain: Obtaining) -> Getting<'_> {
        Box::pin(self.borrowed().get(Some(stale.generation()), obtain))
    }

    fn share(&self) -> Arc<dyn Tokens> {
        self.borrowed().share()
    }
}
