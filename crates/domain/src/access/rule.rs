//! The rules: who may call an operation, by kind of caller.

use super::{Caller, ClientCaller, EmployeeCaller, KeyCaller};
use crate::permissions::Permission;
use crate::refusal::{BadCredentials, Refusal};
use crate::rights::Right;

/// Rule of who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Anybody, with or without credentials.
    Public,
    /// A caller that shows the secret of what it is about, which the operation itself checks, in a
    /// header of its own: no key and no session.
    Hook,
    /// Any active caller.
    Anyone,
    /// The owner's session alone.
    OwnerSession,
    /// Any session: an employee's or a client's for what is its own.
    Session,
    /// The owner's session, and a client's for what is its client's.
    OwnerOrClient,
    /// The owner's session, and employees with this right.
    OwnerOrEmployee(Right),
    /// The owner's session, a client's for what is its client's, and employees with this right.
    OwnerEmployeeOrClient(Right),
    /// The owner's session, keys with this permission, employees with the right, if there is one for it, and sessions
    /// of a client that has the permission.
    Permission(Permission, Option<Right>),
    /// As [`Rule::Permission`], but no key with a selection of accounts, which would widen its reach.
    Unlimited(Permission, Right),
    /// As [`Rule::Unlimited`], and any session of a client, for what its client's callers did: none of a client's keys.
    UnlimitedOrClient(Permission, Right),
    /// As [`Rule::Unlimited`] with `integrations`, and sessions of a client that makes links, for what was sent about
    /// these.
    Deliveries(Right),
    /// The owner's session, a client's for its client, and keys that issue keys: no selection, and no monthly limit,
    /// which a key could escape by issuing another.
    Issuing,
    /// The owner's session, employees with this right, and every key that is not a client's.
    OwnersKeys(Right),
    /// The owner's session, employees with this right, sessions of a client, and keys that see keys: with
    /// `integrations`, those of a client, and a limited one, which sees itself.
    Listing(Right),
}

impl Rule {
    /// Checks that `caller` may call an operation of this rule.
    ///
    /// # Errors
    ///
    /// The refusal that the caller gets.
    pub fn check(self, caller: &Caller) -> Result<(), Refusal> {
        match (self, caller) {
            (Self::Public | Self::Hook, _) => Ok(()),
            (_, Caller::Nobody) => Err(Refusal::Unauthorized(BadCredentials::Missing)),
            (_, Caller::Owner(_)) | (Self::Anyone, _) => Ok(()),
            (_, Caller::Employee(employee)) => self.check_employee(employee),
            (_, Caller::Client(client)) => self.check_client(client),
            (_, Caller::Key(key)) => self.check_key(key, caller.is_scoped()),
        }
    }

    /// The right that lets an employee call it, for whom there is one.
    #[must_use]
    pub const fn right(self) -> Option<Right> {
        match self {
            Self::OwnerOrEmployee(right)
            | Self::OwnerEmployeeOrClient(right)
            | Self::Permission(_, Some(right))
            | Self::Unlimited(_, right)
            | Self::UnlimitedOrClient(_, right)
            | Self::Deliveries(right)
            | Self::OwnersKeys(right)
            | Self::Listing(right) => Some(right),
            _ => None,
        }
    }

    fn check_employee(self, employee: &EmployeeCaller) -> Result<(), Refusal> {
        match (self, self.right()) {
            (Self::Session, _) => Ok(()),
            (_, Some(right)) => employee.require(right),
            (_, None) => Err(Refusal::OwnerSessionRequired),
        }
    }

    fn check_client(self, client: &ClientCaller) -> Result<(), Refusal> {
        match self {
            Self::Public
            | Self::Hook
            | Self::Anyone
            | Self::Session
            | Self::OwnerOrClient
            | Self::OwnerEmployeeOrClient(_)
            | Self::UnlimitedOrClient(..)
            | Self::Issuing
            | Self::Listing(_) => Ok(()),
            Self::Permission(permission, _) | Self::Unlimited(permission, _) => {
                client.require(permission)
            }
            Self::Deliveries(_) => client.require(Permission::PaymentLinks),
            Self::OwnerSession | Self::OwnerOrEmployee(_) | Self::OwnersKeys(_) => {
                Err(Refusal::OwnerSessionRequired)
            }
        }
    }

    fn check_key(self, key: &KeyCaller, is_scoped: bool) -> Result<(), Refusal> {
        match self {
            Self::Public | Self::Hook | Self::Anyone => Ok(()),
            Self::OwnerSession
            | Self::Session
            | Self::OwnerOrClient
            | Self::OwnerOrEmployee(_)
            | Self::OwnerEmployeeOrClient(_) => Err(Refusal::OwnerSessionRequired),
            Self::Permission(permission, _) => key.require(permission),
            Self::Unlimited(permission, _) | Self::UnlimitedOrClient(permission, _) => {
                key.require(permission)?;
                if key.is_limited() { Err(Refusal::KeyScopeRestricted) } else { Ok(()) }
            }
            Self::Deliveries(right) => {
                Self::Unlimited(Permission::Integrations, right).check_key(key, is_scoped)
            }
            Self::Issuing => {
                key.require(Permission::ApiKeys)?;
                let is_restricted = key.is_limited() || key.has_monthly_limit;
                if is_restricted { Err(Refusal::KeyScopeRestricted) } else { Ok(()) }
            }
            Self::OwnersKeys(_) if key.client.is_some() => Err(Refusal::Forbidden),
            Self::OwnersKeys(_) => Ok(()),
            Self::Listing(_) if is_scoped => Ok(()),
            Self::Listing(_) => key.require(Permission::Integrations),
        }
    }
}
