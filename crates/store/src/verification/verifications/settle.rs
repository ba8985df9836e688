//! What the end of a verification begins with: everything that decides it, locked and read in one
//! wait.

use domain::ids::{IdentityId, LinkId, OwnerId, VerificationId};
use domain::matching::Movement;

use super::Verification;
use crate::fault::Fault;
use crate::movements::ReferenceQuery;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::Value;
use crate::{accounts, links, movements};

/// A verification and the movements that may be meant, nobody else claiming any of them meanwhile.
#[derive(Debug)]
pub struct LockedForSettlement {
    /// The row, held until the transaction ends.
    pub verification: Verification,
    /// The account's movements that were sought, claimed or not.
    pub candidates: Vec<Movement>,
}

/// Holds the link that is checked, if one is, the real account, then the verification, and reads
/// the movements that are sought. A transaction that claims a movement holds its account, so that what is read
/// here as unclaimed stays so until this one ends.
///
/// # Errors
/// A fault of the store; no such verification is one.
pub fn lock_for_settlement(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    verification: VerificationId,
    link: Option<LinkId>,
    sought: &[ReferenceQuery],
) -> Result<LockedForSettlement, Fault> {
    if let Some(link) = link {
        links::hold(tx, owner, link)?;
    }
    accounts::hold_identity(tx, owner, identity)?;
    let (lock_row, row_params) = super::lock(owner, verification);
    let searches: Vec<(&'static Sql, Vec<Value>)> =
        sought.iter().map(|sought| movements::candidates(owner, identity, sought)).collect();
    let mut statements: Vec<(&'static Sql, &[Value])> = vec![(lock_row, &row_params)];
    statements.extend(searches.iter().map(|(sql, params)| (*sql, params.as_slice())));
    let mut answers = tx.query_all(&statements)?.into_iter();

    let row = answers.next().and_then(|mut rows| rows.pop());
    let row = row.ok_or_else(|| Fault::broken("the verification is missing"))?;
    let candidates = movements::read_each(answers.flatten())?;
    Ok(LockedForSettlement { verification: super::read(&row)?, candidates })
}
