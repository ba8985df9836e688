//! The tokens that banks have given for linked accounts, and who obtains the next one.
//!
//! A row has a token or a lease. The node that takes the lease raises the fence, and under that fence alone a token is kept,
//! which is then of that generation. Every statement says by which credentials: what was obtained by former ones is
//! not kept, though the fence of the present ones may be the same number.

use domain::ids::{BankId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::new(
        "select t.fence, t.lease_until, t.token, t.usable_until from bank_access a \
         left join bank_tokens t on t.owner_id = $1 and t.bank_id = a.bank_id \
         where a.owner_id = $1 and a.bank_id = $2 and a.credentials = $3",
    );

    // While the row is as it was found. The former token is over: a node that looks now waits for the next one.
    TAKE = Sql::new(
        "insert into bank_tokens (owner_id, bank_id, fence, lease_until) \
         select a.owner_id, a.bank_id, 1, $5 from bank_access a \
         where a.owner_id = $1 and a.bank_id = $2 and a.credentials = $3 \
         on conflict (owner_id, bank_id) do update set fence = bank_tokens.fence + 1, \
         lease_until = excluded.lease_until, token = null, usable_until = null \
         where bank_tokens.owner_id = $1 and bank_tokens.fence = $4 returning fence",
    );

    KEEP = Sql::new(
        "update bank_tokens set token = $5, usable_until = $6, lease_until = null \
         where owner_id = $1 and bank_id = $2 and fence = $4 and exists (select 1 from bank_access a \
         where a.owner_id = $1 and a.bank_id = $2 and a.credentials = $3) returning fence",
    );

    RELEASE = Sql::new(
        "update bank_tokens set lease_until = null \
         where owner_id = $1 and bank_id = $2 and fence = $4 and exists (select 1 from bank_access a \
         where a.owner_id = $1 and a.bank_id = $2 and a.credentials = $3)",
    );

    REMOVE = Sql::new("delete from bank_tokens where owner_id = $1 and bank_id = $2");
}

/// The fence of an account that has had no token yet.
pub const NO_FENCE: i64 = 0;

/// An account, and the credentials that it was reached with when somebody looked, sealed.
#[derive(Clone, Copy)]
pub struct Reached<'a> {
    /// Whose account it is.
    pub owner: OwnerId,
    /// The account as it is linked.
    pub bank: BankId,
    /// Its credentials.
    pub credentials: &'a [u8],
}

/// State of an account's token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenState {
    /// The latest fence, which is the generation of a token that is kept.
    pub fence: i64,
    /// Until when somebody obtains the next one.
    pub lease_until: Option<Timestamp>,
    /// The token, sealed.
    pub token: Option<Vec<u8>>,
    /// Until when it is used, where its end is known.
    pub usable_until: Option<Timestamp>,
}

impl std::fmt::Debug for Reached<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reached").field("bank", &self.bank).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for TokenState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenState").field("fence", &self.fence).finish_non_exhaustive()
    }
}

/// Finds the state of the account's token. `None` where the account is reached with other credentials by now, or is in
/// the trash.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, account: Reached<'_>) -> Result<Option<TokenState>, Fault> {
    let Reached { owner, bank, credentials } = account;
    let row = tx.query_opt(&FIND, &[owner.into(), bank.into(), credentials.into()])?;
    row.map(|row| read(&row)).transpose()
}

/// Takes the lease until `until`, as long as `found` is still the latest fence; answers the next one. The former token
/// is forgotten.
///
/// # Errors
/// A fault of the store.
pub fn take(
    tx: &mut Tx<'_>,
    account: Reached<'_>,
    found: i64,
    until: Timestamp,
) -> Result<Option<i64>, Fault> {
    let Reached { owner, bank, credentials } = account;
    let params = [owner.into(), bank.into(), credentials.into(), found.into(), until.into()];
    tx.query_opt(&TAKE, &params)?.map(|row| row.get("fence")).transpose()
}

/// Keeps the token that the holder of the lease of that fence obtained, and ends the lease; answers whether it still was
/// the holder, and the credentials the same. Done again it answers the same.
///
/// # Errors
/// A fault of the store.
pub fn keep(
    tx: &mut Tx<'_>,
    account: Reached<'_>,
    fence: i64,
    sealed: &[u8],
    usable_until: Option<Timestamp>,
) -> Result<bool, Fault> {
    let Reached { owner, bank, credentials } = account;
    let params = [
        owner.into(),
        bank.into(),
        credentials.into(),
        fence.into(),
        sealed.into(),
        usable_until.into(),
    ];
    Ok(tx.query_opt(&KEEP, &params)?.is_some())
}

/// Ends the lease of that fence, so that the next may take it at once.
///
/// # Errors
/// A fault of the store.
pub fn release(tx: &mut Tx<'_>, account: Reached<'_>, fence: i64) -> Result<(), Fault> {
    let Reached { owner, bank, credentials } = account;
    let params = [owner.into(), bank.into(), credentials.into(), fence.into()];
    tx.defer(&RELEASE, params, Expect::Any)
}

/// Forgets the account's token and the lease. For `bank_access`, whenever the credentials change.
///
/// # Errors
/// A fault of the store.
pub(crate) fn remove(tx: &mut Tx<'_>, owner: OwnerId, bank: BankId) -> Result<(), Fault> {
    tx.defer(&REMOVE, [owner.into(), bank.into()], Expect::Any)
}

fn read(row: &Row) -> Result<TokenState, Fault> {
    Ok(TokenState {
        fence: row.get::<Option<i64>>("fence")?.unwrap_or(NO_FENCE),
        lease_until: row.get("lease_until")?,
        token: row.get("token")?,
        usable_until: row.get("usable_until")?,
    })
}
