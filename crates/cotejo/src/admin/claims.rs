//! Claims of another system as a file says them, on the way to the one who writes them.

use app::admin::{ClaimsDone, ClaimsRequest, ClaimsWork, Operator, OwnerName, work_on_claims};
use domain::ids::BankId;
use domain::imported_claims::{ImportedClaim, InvalidClaim};
use domain::time::CaracasDate;
use serde::{Deserialize, Serialize};

use super::{CommandOutcome, failed};

/// A claim of an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimRow {
    pub(crate) reference: String,
    /// Empty where it is not known.
    pub(crate) amount: String,
    /// Empty where it is not known.
    pub(crate) date: String,
}

impl ClaimRow {
    /// The claim that the texts say.
    ///
    /// # Errors
    /// Why they say none.
    pub(crate) fn read(&self, today: CaracasDate) -> Result<ImportedClaim, InvalidClaim> {
        ImportedClaim::parse(&self.reference, &self.amount, &self.date, today)
    }
}

/// Numbers of claims, by their outcome.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct ClaimsCounted {
    /// Those that were written or forgotten, or would be.
    pub(crate) done: u64,
    /// Those that were so before.
    pub(crate) unchanged: u64,
}

impl From<ClaimsDone> for ClaimsCounted {
    fn from(counted: ClaimsDone) -> Self {
        let ClaimsDone { done, unchanged } = counted;
        Self { done, unchanged }
    }
}

/// Terms of the work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    pub(super) withdraws: bool,
    pub(super) is_test: bool,
    pub(super) is_dry_run: bool,
}

/// Imports claims of an account, or withdraws them.
pub(super) async fn work(
    operator: &Operator<'_>,
    (owner, account): (&str, &str),
    claims: &[ClaimRow],
    flags: Flags,
) -> anyhow::Result<CommandOutcome> {
    let today = CaracasDate::of(operator.now);
    let claims = claims.iter().map(|claim| claim.read(today)).collect::<Result<_, _>>()?;
    let Flags { withdraws, is_test, is_dry_run } = flags;
    let work = if withdraws { ClaimsWork::Withdraw } else { ClaimsWork::Import };
    let (owner, account): (OwnerName, BankId) = (owner.parse()?, account.parse()?);
    let request = ClaimsRequest { owner, account, claims, work, is_test, is_dry_run };
    let done = work_on_claims(operator, request).await.map_err(failed)?;
    Ok(CommandOutcome::Claims(done.into()))
}
