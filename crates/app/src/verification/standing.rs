//! Whether what let a call in is still so when its verification reserves. Between the two a key may be rotated, bound
//! to a client or limited to other accounts; what was let in then may be under no limit that is in force now.

use domain::access::{Caller, OwnerCaller};
use domain::time::Timestamp;
use store::accounts::Account;
use store::admitting::{self, By, Present};
use store::question::Question;

use super::Call;
use crate::access::{check_session, same_key};

/// What let a call in.
#[derive(Clone, Debug)]
pub(super) enum Admitted {
    /// Who calls.
    Caller(Caller),
    /// A payment link, which outlives its key.
    Link,
    /// What the transaction that reserves has looked at itself.
    Here,
}

impl Call {
    /// What decides about it now; nothing where that has been looked at.
    pub(super) fn deciding(&self) -> Option<Question<Option<Present>>> {
        let (owner, bank) = (self.owner, self.account.id);
        match &self.admitted {
            Admitted::Caller(Caller::Key(key)) => Some(admitting::of_key(owner, key.key, bank)),
            Admitted::Caller(Caller::Owner(OwnerCaller { session, .. })) => {
                Some(admitting::of_session(owner, *session, bank))
            }
            Admitted::Link => Some(admitting::of_link(owner, bank)),
            Admitted::Caller(Caller::Nobody) | Admitted::Here => None,
        }
    }

    /// Whether all that let it in is as it was.
    pub(super) fn still_stands(&self, present: Option<Present>, now: Timestamp) -> bool {
        let Some(Present { by, account }) = present else { return false };
        if !is_same_account(&self.account, &account) {
            return false;
        }
        match (&self.admitted, by) {
            (Admitted::Caller(Caller::Key(key)), By::Key(standing)) => same_key(key, standing, now),
            (Admitted::Caller(Caller::Owner(_)), By::Session(session, is_active)) => {
                check_session(Some((session, is_active)), now).is_ok()
            }
            (Admitted::Link, By::Link(owner_is_active)) => owner_is_active,
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
