//! Claims that another system accepted before a shop came here, read in so that none of them is new here; and taken back.

use domain::ids::BankId;
use domain::imported_claims::ImportedClaim;
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, Meter, accounts, audit, imported_claims, owners};

use super::create_owner::TEST_BANK;
use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::changes::{self, ClaimsCounted};

/// Purpose of the work on claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimsWork {
    /// They are kept.
    Import,
    /// They are forgotten, since they were imported by mistake.
    Withdraw,
}

/// Claims of one account, so many as one transaction may take.
#[derive(Clone, Debug)]
pub struct ClaimsRequest {
    /// The owner of the account.
    pub owner: OwnerName,
    /// The account as it is linked.
    pub account: BankId,
    /// The claims, each once.
    pub claims: Vec<ImportedClaim>,
    /// The purpose.
    pub work: ClaimsWork,
    /// Whether money of the account is known not to exist.
    pub is_test: bool,
    /// Whether nothing is written, and only counted.
    pub is_dry_run: bool,
}

/// Numbers of claims, by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimsDone {
    /// Those that were written or forgotten; in a dry run, those that would be.
    pub done: u64,
    /// Those that were as they are to be before.
    pub unchanged: u64,
}

/// End of it inside the transaction: how many claims were changed.
type End = Result<u64, AdminError>;

/// Imports claims of an account, or withdraws them, in one transaction: all of them, or none. Doing it again changes
/// nothing. Nothing is charged or counted as a payment.
///
/// # Errors
/// No such owner or account, or one of the other kind of money; or a failure of the store.
pub async fn work_on_claims(
    operator: &Operator<'_>,
    request: ClaimsRequest,
) -> Result<ClaimsDone, AdminError> {
    let owner = locate(operator, &request.owner).await?;
    let (now, meter) = (operator.now, Meter::default());
    let of_all = u64::try_from(request.claims.len()).unwrap_or(u64::MAX);
    let action = match request.work {
        ClaimsWork::Import => "ImportClaims",
        ClaimsWork::Withdraw => "WithdrawClaims",
    };
    let entry = audit_entry(operator, action, &request.account);
    let (work, is_dry_run) = (request.work, request.is_dry_run);
    let job = move |tx: &mut Tx<'_>| -> Result<End, Fault> {
        let ClaimsRequest { claims, account: id, .. } = &request;
        if owners::find(tx, owner)?.is_none() {
            return Ok(Err(AdminError::NoSuchOwner(request.owner.clone())));
        }
        let account = accounts::find(tx, owner, *id)?.filter(|account| !account.is_trashed);
        let Some(account) = account else { return Ok(Err(AdminError::NoSuchAccount(*id))) };
        match (account.provider == TEST_BANK, request.is_test) {
            (true, false) => return Ok(Err(AdminError::TestAccount(*id))),
            (false, true) => return Ok(Err(AdminError::RealAccount(*id))),
            (true, true) | (false, false) => {}
        }
        let identity = account.identity;
        if request.is_dry_run {
            return imported_claims::count_kept(tx, owner, identity, claims).map(Ok);
        }
        let changed = match request.work {
            ClaimsWork::Import => imported_claims::insert(tx, owner, identity, claims, now)?,
            ClaimsWork::Withdraw => imported_claims::delete(tx, owner, identity, claims)?,
        };
        if changed > 0 {
            let change = changes::made(&ClaimsCounted(changed));
            audit::insert_change(tx, owner, &entry, &change, now)?;
        }
        Ok(Ok(changed))
    };
    let number = if is_dry_run {
        operator.store.read(&meter, job).await??
    } else {
        operator.store.write(&meter, Lane::Maintenance, owner, job).await??
    };
    // A dry run counts those that are kept.
    let is_done = !is_dry_run || work == ClaimsWork::Withdraw;
    let done = if is_done { number } else { of_all.saturating_sub(number) };
    Ok(ClaimsDone { done, unchanged: of_all.saturating_sub(done) })
}
