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

/// The rows of some accounts: of what banks tell those `since` an instant, of what callers make those of a `client`. Each
/// account has its rows in order by an index, so that whoever reaches few rows reads few, however many their owner has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountScope {
    /// The accounts, in the order in which they were linked.
    pub accounts: Vec<ScopedAccount>,
    /// Of what callers make (links, verifications) that alone which callers of this client made; `None`: all.
    pub client: Option<ClientId>,
}

/// An account that somebody is confined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopedAccount {
    /// Its id.
    pub id: BankId,
    /// From when on what was recorded of it is seen; `None`: all of it. A client sees nothing of before it got the account.
    pub since: Option<Timestamp>,
}

impl Scope {
    /// Whether everything of the owner is in it.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// Whether that account is in it.
    #[must_use]
    pub fn has(&self, bank: BankId) -> bool {
        match self {
            Self::All => true,
            Self::Accounts(scope) => scope.accounts.iter().any(|account| account.id == bank),
        }
    }
}
