//! Whose checks are under way.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use domain::ids::OwnerId;
use domain::refusal::Refusal;

/// How many go on at once in a process. Each is a connection and a request that waits.
const CHECKS_MAX: usize = 32;

/// The owners whose receivers are being checked.
#[derive(Debug, Default)]
pub(in crate::webhooks) struct Checks(Mutex<HashSet<OwnerId>>);

/// An owner's turn, until it is dropped.
pub(super) struct Turn<'a> {
    checks: &'a Checks,
    owner: OwnerId,
}

impl Checks {
    /// Begins one of that owner.
    pub(super) fn begin(&self, owner: OwnerId) -> Result<Turn<'_>, Refusal> {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.contains(&owner) {
            return Err(Refusal::RequestInProgress);
        }
        if owners.len() >= CHECKS_MAX {
            return Err(Refusal::ServiceUnavailable);
        }
        owners.insert(owner);
        Ok(Turn { checks: self, owner })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut owners = self.checks.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.remove(&self.owner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(number: u8) -> OwnerId {
        OwnerId::from_bytes([number; 16])
    }

    #[test]
    fn an_owner_has_one_at_a_time_and_all_together_a_few() {
        let checks = Checks::default();
        let first = checks.begin(owner(0)).ok().unwrap();
        assert_eq!(checks.begin(owner(0)).err(), Some(Refusal::RequestInProgress));
        let others: Vec<_> =
            (1..32).map(|number| checks.begin(owner(number)).ok().unwrap()).collect();
        assert_eq!(checks.begin(owner(32)).err(), Some(Refusal::ServiceUnavailable));
        drop(first);
        assert!(checks.begin(owner(32)).is_ok());
        drop(others);
        assert!(checks.begin(owner(0)).is_ok() && checks.0.lock().unwrap().is_empty());
    }
}
