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
use crate::{links, movements, statements};

statements! {
    // The real account first, then the verification: both rows are held.
    LOCK_WITH_ACCOUNT = Sql::new(
        "select v.id, v.actor_id, v.bank_id, v.identity_id, v.client_id, v.month, v.cost, v.fingerprint, v.query, \
         v.state, v.calls, v.reported_by, v.error_code, v.bank_amount, v.digits_needed, v.payment_id, v.asked_at, \
         v.deadline, v.ended_at, v.caller_client_id, v.link_id, v.same_bank, v.review_since, v.review_until \
         from bank_identities i join verifications v on v.owner_id = $1 and v.id = $3 \
         where i.owner_id = $1 and i.id = $2 for no key update",
    );
}

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
    let row_params = [owner.into(), identity.into(), verification.into()];
    let searches: Vec<(&'static Sql, Vec<Value>)> =
        sought.iter().map(|sought| movements::candidates(owner, identity, sought)).collect();
    let mut statements: Vec<(&'static Sql, &[Value])> = vec![(&LOCK_WITH_ACCOUNT, &row_params)];
    statements.extend(searches.iter().map(|(sql, params)| (*sql, params.as_slice())));
    let mut answers = tx.query_all(&statements)?.into_iter();

    let row = answers.next().and_then(|mut rows| rows.pop());
    let row = row.ok_or_else(|| Fault::broken("the verification is missing"))?;
    let candidates = movements::read_each(answers.flatten())?;
    Ok(LockedForSettlement { verification: super::read(&row)?, candidates })
}
