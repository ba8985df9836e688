//! Whether what let a call in is still so when its verification reserves. Between the two a key may be rotated, bound
//! to a client or limited to other accounts; what was let in then may be under no limit that is in force now.

use domain::access::{Caller, ClientCaller, EmployeeCaller, OwnerCaller};
use domain::time::Timestamp;
use store::accounts::Account;
use store::admission::{self, AdmissionState, Credential};
use store::fault::Fault;
use store::point_query::PointQuery;
use store::tx::Tx;

use super::Call;
use crate::access::{same_key, session_caller};

/// What let a call in.
#[derive(Clone, Debug)]
pub(super) enum AdmittedBy {
    /// Who calls.
    Caller(Caller),
    /// A payment link, which outlives its key.
    Link,
    /// What the transaction that reserves has looked at itself.
    Here {
        /// Whether who acts may hear of the owner's credits.
        knows_credits: bool,
    },
}

impl Call {
    /// What decides about it now; nothing where that has been looked at.
    pub(super) fn deciding(&self) -> Option<PointQuery<Option<AdmissionState>>> {
        let (owner, bank) = (self.owner, self.account.id);
        match &self.admitted {
            AdmittedBy::Caller(Caller::Key(key)) => Some(admission::of_key(owner, key.key, bank)),
            AdmittedBy::Caller(
                Caller::Owner(OwnerCaller { session, .. })
                | Caller::Employee(EmployeeCaller { session, .. })
                | Caller::Client(ClientCaller { session, .. }),
            ) => Some(admission::of_session(owner, *session, bank)),
            AdmittedBy::Link => Some(admission::of_link(owner, bank)),
            AdmittedBy::Caller(Caller::Nobody) | AdmittedBy::Here { .. } => None,
        }
    }

    /// Whether all that let it in is as it was, as this transaction sees it. What ended meanwhile is told nothing.
    ///
    /// # Errors
    /// A fault of the store.
    pub(super) fn stands(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<bool, Fault> {
        let Some(deciding) = self.deciding() else { return Ok(true) };
        Ok(self.is_still_admitted(deciding.run(tx)?, now))
    }

    /// Whether all that let it in is as it was.
    pub(super) fn is_still_admitted(
        &self,
        present: Option<AdmissionState>,
        now: Timestamp,
    ) -> bool {
        let Some(AdmissionState { by, account }) = present else { return false };
        if !is_same_account(&self.account, &account) {
            return false;
        }
        match (&self.admitted, by) {
            (AdmittedBy::Caller(Caller::Key(key)), Credential::Key(standing)) => {
                same_key(key, standing, now)
            }
            (AdmittedBy::Caller(caller), Credential::Session(standing)) => {
                caller.session().is_some_and(|session| {
                    let present = session_caller((self.owner, session), Some(standing), now);
                    present.is_ok_and(|present| present.has_reach_of(caller))
                })
            }
            (AdmittedBy::Link, Credential::Link(owner_is_active)) => owner_is_active,
            _ => false,
        }
    }
}

/// Whether an account is as it was, as far as that lets anybody in or says who is charged.
fn is_same_account(was: &Account, is: &Account) -> bool {
    let deciding = |account: &Account| {
        let Account { identity, client, is_trashed, is_disabled, client_is_active, .. } = account;
        (*identity, *client, *is_trashed, *is_disabled, *client_is_active)
    };
    deciding(was) == deciding(is) && was.provider == is.provider
}
