//! What a caller is confined to, of an owner's rows.

use domain::ids::{BankId, ClientId};
use domain::time::Timestamp;

/// Which of an owner's rows somebody sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All that the owner ever had.
    All,
    /// Those of some accounts alone.
    Accounts(AccountScope),
}

/// The rows of some accounts. Each account has its rows in order by an index, so that a caller of few rows reads few,
/// however many their owner has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountScope {
    /// The accounts, in the order in which they were linked.
    pub accounts: Vec<ScopedAccount>,
    /// Whose links and verifications: those that callers of this client made, or `None`: all. What banks report is
    /// decided by [`ScopedAccount::since`] instead.
    pub client: Option<ClientId>,
}

/// An account that somebody is confined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopedAccount {
    /// Its id.
    pub id: BankId,
    /// From when on the bank's reports of it are seen; `None`: all. A client sees none of before it got the account.
    pub since: Option<Timestamp>,
}

impl Scope {
    /// Tells whether everything of the owner is in the scope.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// Tells whether that account is in the scope.
    #[must_use]
    pub fn has(&self, bank: BankId) -> bool {
        match self {
            Self::All => true,
            Self::Accounts(scope) => scope.accounts.iter().any(|account| account.id == bank),
        }
    }
}
