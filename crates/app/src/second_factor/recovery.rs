//! The operation: `POST /auth/totp/recovery-codes`.

use domain::access::RenewRecoveryCodes;
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::second_factor::RecoveryCode;
use store::tx::Tx;
use store::{audit, second_factors};

use super::RecoveryCodes;
use crate::audit_entry::audited;
use crate::{Act, App, Error};

/// Gives the caller other recovery codes, which are shown this once; those of before are good for nothing.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn renew_codes(app: &App, act: &Act<RenewRecoveryCodes>) -> Result<RecoveryCodes, Error> {
    let whose = (act.owner(), act.actor());
    let codes = RecoveryCode::generate_all(&*app.ids);
    let (kept, now) = (codes.clone(), act.now);
    let entry = audited(app, act, whose.1.known_as(whose.0));
    let write = act.write(app, move |tx: &mut Tx<'_>| {
        let found = second_factors::find(tx, whose)?;
        if found.is_none_or(|found| found.confirmed_at.is_none()) {
            return Err(Refusal::SecondFactor(SecondFactorRefusal::Absent).into());
        }
        second_factors::replace_codes(tx, whose, &kept)?;
        audit::insert(tx, whose.0, &entry, now)?;
        Ok(())
    });
    write.await?;
    Ok(codes)
}
