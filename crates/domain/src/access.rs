//! Who calls, and what they may do.
//!
//! Every operation is a type with a rule, and what it does takes a [`Permit`] of that type. Only
//! the check makes permits, so that an operation which nobody checked does not compile.

mod demand;
mod rule;
mod table;

use std::marker::PhantomData;

pub use demand::{ProofDemand, Reason};
pub use rule::Rule;
pub use table::*;

use crate::ids::{ActorId, BankId, ClientId, EmployeeId, KeyId, OwnerId, SessionId};
use crate::keys::KeyHash;
use crate::permissions::{Permission, Permissions};
use crate::refusal::{BadCredentials, Refusal};
use crate::rights::{Area, Right, Rights};
use crate::second_factor::Proof;
use crate::time::Timestamp;

/// The sender of a request, known and active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Nobody: the request has no credentials.
    Nobody,
    /// The owner, signed in.
    Owner(OwnerCaller),
    /// An employee of the owner, signed in.
    Employee(EmployeeCaller),
    /// A person of one of the owner's clients, signed in.
    Client(ClientCaller),
    /// An API key.
    Key(KeyCaller),
}

/// An owner's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerCaller {
    /// The owner.
    pub owner: OwnerId,
    /// The session.
    pub session: SessionId,
    /// The latest proof that its person is there.
    pub proof: Proof,
}

/// An employee's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmployeeCaller {
    /// Whose employee it is.
    pub owner: OwnerId,
    /// The session.
    pub session: SessionId,
    /// The employee.
    pub employee: EmployeeId,
    /// What it may do.
    pub rights: Rights,
    /// The latest proof that its person is there.
    pub proof: Proof,
}

impl EmployeeCaller {
    fn require(&self, right: Right) -> Result<(), Refusal> {
        if self.rights.contains(right) { Ok(()) } else { Err(Refusal::RightMissing(right)) }
    }
}

/// The session of a client's person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientCaller {
    /// Whose client it is.
    pub owner: OwnerId,
    /// The session.
    pub session: SessionId,
    /// The person.
    pub employee: EmployeeId,
    /// The client.
    pub client: ClientId,
    /// Whether the owner lets the client verify payments and make links.
    pub payments_enabled: bool,
    /// The latest proof that its person is there.
    pub proof: Proof,
}

impl ClientCaller {
    fn require(&self, permission: Permission) -> Result<(), Refusal> {
        if client_permissions(self.payments_enabled).contains(permission) {
            Ok(())
        } else {
            Err(Refusal::ClientPermissionMissing(permission))
        }
    }
}

/// An API key, with what its record says of its reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCaller {
    /// Whose key it is.
    pub owner: OwnerId,
    /// The key.
    pub key: KeyId,
    /// Of the text that it was shown by.
    pub hash: KeyHash,
    /// The client that it is bound to.
    pub client: Option<ClientId>,
    /// Whether the owner lets that client verify payments and make links.
    pub payments_enabled: bool,
    /// The accounts that it is limited to; empty means all of its scope.
    pub selection: Vec<BankId>,
    /// The permissions of its record; see [`KeyCaller::allowed`] for those that count.
    pub permissions: Permissions,
    /// Whether it is the owner's default key.
    pub is_default: bool,
    /// Whether a monthly limit of its own is in force.
    pub has_monthly_limit: bool,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

impl KeyCaller {
    /// Answers whether it is the same key with the same reach, whatever limits it has.
    #[must_use]
    pub fn has_reach_of(&self, other: &Self) -> bool {
        // Each field is named, so that it is decided about a new one.
        let Self {
            owner,
            key,
            hash,
            client,
            payments_enabled,
            selection,
            permissions,
            is_default,
            has_monthly_limit: _,
            expires_at,
        } = self;
        (*owner, *key, *hash, *client) == (other.owner, other.key, other.hash, other.client)
            && *payments_enabled == other.payments_enabled
            && *selection == other.selection
            && *permissions == other.permissions
            && *is_default == other.is_default
            && *expires_at == other.expires_at
    }

    /// Returns what the key may do: everything for the default key, the fixed permissions for a client's key, else what
    /// its owner chose.
    #[must_use]
    pub fn allowed(&self) -> Permissions {
        if self.client.is_some() {
            client_permissions(self.payments_enabled)
        } else if self.is_default {
            Permissions::ALL
        } else {
            self.permissions
        }
    }

    /// Tells whether the key reaches only some accounts of its scope.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        !self.selection.is_empty()
    }

    fn require(&self, permission: Permission) -> Result<(), Refusal> {
        if self.allowed().contains(permission) {
            Ok(())
        } else if self.allowed().is_empty() {
            Err(Refusal::PermissionsNotConfigured)
        } else if self.client.is_some() {
            Err(Refusal::ClientPermissionMissing(permission))
        } else {
            Err(Refusal::PermissionMissing(permission))
        }
    }
}

/// Returns what every key and every person of a client may do, on the client's own accounts. These permissions are
/// fixed.
#[must_use]
pub fn client_permissions(payments_enabled: bool) -> Permissions {
    let always = [Permission::Movements, Permission::Notifications, Permission::BankAccountsManage];
    let payments =
        [Permission::PaymentVerifications, Permission::PaymentLinks, Permission::Subscriptions];
    always.into_iter().chain(payments.into_iter().filter(|_| payments_enabled)).collect()
}

impl Caller {
    /// Returns the owner whose data the caller works on; `None` for [`Caller::Nobody`].
    #[must_use]
    pub const fn owner(&self) -> Option<OwnerId> {
        match self {
            Self::Nobody => None,
            Self::Owner(caller) => Some(caller.owner),
            Self::Employee(caller) => Some(caller.owner),
            Self::Client(caller) => Some(caller.owner),
            Self::Key(caller) => Some(caller.owner),
        }
    }

    /// The session that it calls by.
    #[must_use]
    pub const fn session(&self) -> Option<SessionId> {
        match self {
            Self::Owner(caller) => Some(caller.session),
            Self::Employee(caller) => Some(caller.session),
            Self::Client(caller) => Some(caller.session),
            Self::Nobody | Self::Key(_) => None,
        }
    }

    /// The employee that it is, of the owner or of a client.
    #[must_use]
    pub const fn employee(&self) -> Option<EmployeeId> {
        match self {
            Self::Employee(caller) => Some(caller.employee),
            Self::Client(caller) => Some(caller.employee),
            Self::Nobody | Self::Owner(_) | Self::Key(_) => None,
        }
    }

    /// Returns the latest proof that the session's person is there. Keys are asked for no proof.
    #[must_use]
    pub const fn proof(&self) -> Proof {
        match self {
            Self::Owner(caller) => caller.proof,
            Self::Employee(caller) => caller.proof,
            Self::Client(caller) => caller.proof,
            Self::Nobody | Self::Key(_) => Proof::NotAsked,
        }
    }

    /// Answers whether it is the same caller with the same reach. A proof is no part of that, nor is whether a key has a limit:
    /// where they matter, they are looked at by themselves.
    #[must_use]
    pub fn has_reach_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Owner(one), Self::Owner(other)) => {
                OwnerCaller { proof: other.proof, ..*one } == *other
            }
            (Self::Employee(one), Self::Employee(other)) => {
                EmployeeCaller { proof: other.proof, ..*one } == *other
            }
            (Self::Client(one), Self::Client(other)) => {
                ClientCaller { proof: other.proof, ..*one } == *other
            }
            (Self::Key(one), Self::Key(other)) => one.has_reach_of(other),
            _ => self == other,
        }
    }

    /// Tells whether the caller may give back what was taken from somebody, or let payments flow. Only the owner may,
    /// whose word it was.
    #[must_use]
    pub const fn may_let_in(&self) -> bool {
        matches!(self, Self::Owner(_))
    }

    /// Tells whether the caller may do all of these to the owner's people, or give them to one of them. The owner may
    /// do everything, an employee what it may do itself.
    #[must_use]
    pub fn outranks(&self, rights: Rights) -> bool {
        match self {
            Self::Owner(_) => true,
            Self::Employee(caller) => rights.is_subset_of(caller.rights),
            Self::Nobody | Self::Client(_) | Self::Key(_) => false,
        }
    }

    /// Tells whether the caller may know how many credits the owner has.
    #[must_use]
    pub fn knows_credits(&self) -> bool {
        match self {
            Self::Nobody | Self::Client(_) => false,
            Self::Owner(_) => true,
            Self::Employee(caller) => caller.rights.contains(Area::Billing.read()),
            Self::Key(caller) => caller.client.is_none(),
        }
    }

    /// Tells whether the caller sees whole account numbers, and who holds an account at the bank. Others see the last
    /// four digits.
    #[must_use]
    pub fn sees_account_numbers(&self) -> bool {
        match self {
            Self::Owner(_) => true,
            Self::Employee(caller) => caller.rights.contains(Area::BankAccounts.read()),
            Self::Nobody | Self::Client(_) | Self::Key(_) => false,
        }
    }

    /// The client that it is bound to.
    #[must_use]
    pub const fn client(&self) -> Option<ClientId> {
        match self {
            Self::Client(caller) => Some(caller.client),
            Self::Key(caller) => caller.client,
            Self::Nobody | Self::Owner(_) | Self::Employee(_) => None,
        }
    }

    /// Under which id its work is counted: the key's, the employee's, or the owner's for any session of the owner.
    #[must_use]
    pub fn actor(&self) -> Option<ActorId> {
        match self {
            Self::Nobody => None,
            Self::Owner(caller) => Some(caller.owner.into()),
            Self::Employee(caller) => Some(caller.employee.into()),
            Self::Client(caller) => Some(caller.employee.into()),
            Self::Key(caller) => Some(caller.key.into()),
        }
    }

    /// Tells whether the caller reaches an account of its owner, given the client that the account belongs to.
    #[must_use]
    pub fn reaches(&self, bank: BankId, client_of_bank: Option<ClientId>) -> bool {
        match self {
            Self::Nobody => false,
            Self::Owner(_) | Self::Employee(_) => true,
            Self::Client(caller) => client_of_bank == Some(caller.client),
            Self::Key(key) => {
                let in_scope = key.client.is_none() || key.client == client_of_bank;
                in_scope && (!key.is_limited() || key.selection.contains(&bank))
            }
        }
    }

    /// Tells whether the caller sees what a caller of that client made, or a caller of no client. A client's caller
    /// sees only what its own client made.
    #[must_use]
    pub fn sees_made_for(&self, client: Option<ClientId>) -> bool {
        self.client().is_none() || self.client() == client
    }

    /// Tells whether there may be accounts of an owner that the caller does not reach, as for a client's caller or a
    /// limited key.
    #[must_use]
    pub fn is_scoped(&self) -> bool {
        match self {
            Self::Nobody | Self::Client(_) => true,
            Self::Owner(_) | Self::Employee(_) => false,
            Self::Key(key) => key.client.is_some() || key.is_limited(),
        }
    }

    /// Tells whether the caller sees a key's record in listings, given the client which that key is bound to. A limited
    /// key sees itself, a client's caller the keys of its client, and others all keys of the owner.
    #[must_use]
    pub fn sees_key(&self, key: KeyId, client_of_key: Option<ClientId>) -> bool {
        match self {
            Self::Nobody => false,
            Self::Owner(_) | Self::Employee(_) => true,
            Self::Client(caller) => client_of_key == Some(caller.client),
            Self::Key(caller) if caller.is_limited() => caller.key == key,
            Self::Key(caller) => caller.client.is_none() || caller.client == client_of_key,
        }
    }
}

/// Facts that decide whether a key that was found still opens anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyStanding {
    /// Whether the key is active.
    pub is_active: bool,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// From when on it is no longer accepted.
    pub expires_at: Option<Timestamp>,
    /// Whether its owner is active.
    pub owner_is_active: bool,
    /// Whether the client that it is bound to is active, if it is bound.
    pub client_is_active: Option<bool>,
}

/// Checks that a key that was found may be used at `now`.
///
/// # Errors
///
/// The first refusal of: revoked or expired, which is answered like an unknown key; the key, its
/// owner, its client not active.
pub fn check_active(standing: &KeyStanding, now: Timestamp) -> Result<(), Refusal> {
    let has_expired = standing.expires_at.is_some_and(|expires_at| now >= expires_at);
    if standing.revoked_at.is_some() || has_expired {
        Err(Refusal::Unauthorized(BadCredentials::Unknown))
    } else if !standing.is_active {
        Err(Refusal::KeyNotActive)
    } else if !standing.owner_is_active {
        Err(Refusal::OwnerNotActive)
    } else if standing.client_is_active == Some(false) {
        Err(Refusal::ClientNotActive)
    } else {
        Ok(())
    }
}

/// Proof that a caller may call the operation `O`. It is made by [`Permit::check`] and [`Permit::check_view`] alone.
#[derive(Clone, Debug)]
pub struct Permit<O: Operation> {
    caller: Caller,
    operation: PhantomData<O>,
}

impl<O: Operation> Permit<O> {
    /// Checks the operation's row of the table.
    ///
    /// # Errors
    ///
    /// The refusal that the caller gets.
    pub fn check(caller: &Caller, now: Timestamp) -> Result<Self, Refusal> {
        O::ENTRY.check(caller, now)?;
        Ok(Self { caller: caller.clone(), operation: PhantomData })
    }

    /// Checks that the caller may see the page of the operation's form. What the operation writes checks the caller
    /// again, with its proof.
    ///
    /// # Errors
    ///
    /// The refusal that the caller gets.
    pub fn check_view(caller: &Caller, now: Timestamp) -> Result<Self, Refusal> {
        O::ENTRY.check_view(caller, now)?;
        Ok(Self { caller: caller.clone(), operation: PhantomData })
    }

    /// Returns who calls.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }
}

impl<O: Guarded> Permit<O> {
    /// Returns the owner whose data the operation works on.
    #[must_use]
    pub fn owner(&self) -> OwnerId {
        self.caller.owner().expect("the rule of a guarded operation admits nobody without an owner")
    }

    /// Under which id the operation is counted.
    #[must_use]
    pub fn actor(&self) -> ActorId {
        self.caller.actor().expect("the rule of a guarded operation admits nobody without an id")
    }
}

#[cfg(test)]
mod tests;
