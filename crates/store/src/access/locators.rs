//! Locators: from what arrives without an owner to the owner and the row that decide.
//!
//! A locator only routes. It is written before the row it leads to and removed after it, so that
//! every order of failure leaves at worst a locator that leads to nothing.

use domain::ids::OwnerId;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    FIND = Sql::shared("select owner_id, subject_id from locators where kind = $1 and hash = $2");

    LOCK = Sql::shared(
        "select owner_id, subject_id from locators where kind = $1 and hash = $2 for no key update",
    );

    CLAIM = Sql::shared(
        "insert into locators (kind, hash, owner_id, subject_id) values ($1, $2, $3, $4) \
         on conflict do nothing returning kind",
    );

    REMOVE = Sql::shared("delete from locators where kind = $1 and hash = $2");

    RELEASE = Sql::shared("delete from locators where kind = $1 and hash = $2 and subject_id = $3");
}

/// Kind of thing that a locator leads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The SHA-256 of an API key's text; leads to the key.
    ApiKey,
    /// The SHA-256 of an e-mail address that somebody signs in with; leads to the owner, or to an employee.
    Email,
    /// The SHA-256 of a payment link's id; leads to the link.
    PaymentLink,
    /// The SHA-256 of the id of a linked account whose bank reports payments; leads to the account.
    BankPush,
    /// The SHA-256 of an invitation's secret; leads to the employee who was invited.
    Invitation,
    /// What a logo's address has; leads to the owner.
    Logo,
}

impl Kind {
    const fn number(self) -> i64 {
        match self {
            Self::ApiKey => 1,
            Self::Email => 2,
            Self::PaymentLink => 3,
            Self::BankPush => 4,
            Self::Invitation => 5,
            Self::Logo => 6,
        }
    }
}

/// Target of a locator: an owner, and a row of that owner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The owner.
    pub owner: OwnerId,
    /// The id of the row, of the kind that the locator is about.
    pub subject: [u8; 16],
}

/// Finds where `hash` leads, if anywhere.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, kind: Kind, hash: &[u8; 32]) -> Result<Option<Located>, Fault> {
    let row = tx.query_opt(&FIND, &[kind.number().into(), hash.into()])?;
    row.as_ref().map(located).transpose()
}

/// Finds as [`find`] does, and locks the locator: nobody else locks or removes it before the transaction ends.
///
/// # Errors
/// A fault of the store.
pub fn lock(tx: &mut Tx<'_>, kind: Kind, hash: &[u8; 32]) -> Result<Option<Located>, Fault> {
    let row = tx.query_opt(&LOCK, &[kind.number().into(), hash.into()])?;
    row.as_ref().map(located).transpose()
}

/// Finds where each of these leads, if anywhere, with one wait for all of them.
///
/// # Errors
/// A fault of the store.
pub fn find_all(
    tx: &mut Tx<'_>,
    wanted: &[(Kind, [u8; 32])],
) -> Result<Vec<Option<Located>>, Fault> {
    let params = wanted.iter().map(|(kind, hash)| [kind.number().into(), hash.into()]);
    let params: Vec<[Value; 2]> = params.collect();
    let finds: Vec<_> = params.iter().map(|params| (&FIND, params.as_slice())).collect();
    if finds.is_empty() {
        return Ok(Vec::new());
    }
    let read = |rows: Vec<Row>| rows.first().map(located).transpose();
    tx.query_all(&finds)?.into_iter().map(read).collect()
}

/// The statement that [`find`] runs, and its parameters, for a caller that runs it with others.
pub(crate) fn finding(kind: Kind, hash: &[u8; 32]) -> (&'static Sql, [Value; 2]) {
    (&FIND, [kind.number().into(), hash.into()])
}

/// Reads what [`finding`] answers.
pub(crate) fn located(row: &Row) -> Result<Located, Fault> {
    Ok(Located { owner: row.get("owner_id")?, subject: row.get("subject_id")? })
}

/// Writes a locator, unless `hash` leads somewhere already; answers whether it was written.
///
/// # Errors
/// A fault of the store.
pub fn claim(tx: &mut Tx<'_>, kind: Kind, hash: &[u8; 32], to: Located) -> Result<bool, Fault> {
    let params = [kind.number().into(), hash.into(), to.owner.into(), to.subject.as_slice().into()];
    Ok(!tx.query(&CLAIM, &params)?.is_empty())
}

/// Removes a locator whose row is gone or has another hash now.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, kind: Kind, hash: &[u8; 32]) -> Result<(), Fault> {
    tx.defer(&REMOVE, [kind.number().into(), hash.into()], Expect::Any)
}

/// Removes a locator if it still leads to `subject`: a subject that has claimed it meanwhile keeps it.
///
/// # Errors
/// A fault of the store.
pub fn release(
    tx: &mut Tx<'_>,
    kind: Kind,
    hash: &[u8; 32],
    subject: [u8; 16],
) -> Result<(), Fault> {
    let params = [kind.number().into(), hash.into(), subject.as_slice().into()];
    tx.defer(&RELEASE, params, Expect::Any)
}
