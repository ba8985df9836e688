//! Anybody who signs in: an owner, one of its employees, or a person of one of its clients.

use domain::ids::{ActorId, ClientId, EmployeeId, OwnerId};
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use sha2::{Digest, Sha256};
use store::clients::Client;
use store::employees::{self, Employee};
use store::fault::Fault;
use store::locators::{self, Kind, Located};
use store::owners::{self, Owner};
use store::tx::Tx;
use store::{people, public_profiles};

use crate::me::{PersonRecord, User};
use crate::profile;
use crate::session_tokens::Person;

/// Location for an address that is nobody's: nobody has these ids.
const NOBODY: Located = Located { owner: OwnerId::from_bytes([0; 16]), subject: [0; 16] };

/// Somebody who signs in.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// Whose affairs it is about.
    pub(crate) owner_id: OwnerId,
    owner: Owner,
    /// Nobody where it is the owner.
    employee: Option<Employee>,
    /// Whose person the employee is, where it is not the owner's own.
    client: Option<Client>,
}

impl Account {
    /// Finds who signs in with that address. Runs the same statements for everybody, also where the address is
    /// nobody's.
    pub(crate) fn by_email(tx: &mut Tx<'_>, email: &EmailAddress) -> Result<Option<Self>, Fault> {
        let located = locators::find(tx, Kind::Email, &email_hash(email))?;
        let to = located.unwrap_or(NOBODY);
        let found = people::find(tx, (to.owner, ActorId::from_bytes(to.subject)), None)?;
        let account = found.and_then(|found| Self::of((to.owner, !leads_to_owner(&to)), found));
        // A locator only routes; the row decides whose address it is.
        Ok(account.filter(|account| account.has_email(email)))
    }

    /// The owner, or that employee of it who has accepted and was not removed.
    pub(crate) fn find(
        tx: &mut Tx<'_>,
        owner_id: OwnerId,
        employee: Option<EmployeeId>,
    ) -> Result<Option<Self>, Fault> {
        let person = employee.map_or_else(|| owner_id.into(), ActorId::from);
        let found = people::find(tx, (owner_id, person), None)?;
        Ok(found.and_then(|found| Self::of((owner_id, employee.is_some()), found)))
    }

    /// Returns who signs in with that address, from what was read about it.
    pub(crate) fn asked(asked: people::Asked, email: &EmailAddress) -> Option<Self> {
        let (located, person) = asked.found?;
        let is_employee = !leads_to_owner(&located);
        Self::of((located.owner, is_employee), person).filter(|account| account.has_email(email))
    }

    fn of((owner_id, is_employee): (OwnerId, bool), found: people::Person) -> Option<Self> {
        let people::Person { owner, employee, client, .. } = found;
        let signs_in = |employee: &Employee| employee.password_hash.is_some();
        let employee = employee.filter(signs_in);
        // Whose row is gone, or who has not accepted, is nobody: not the owner.
        let is_there = employee.is_some() == is_employee;
        is_there.then_some(Self { owner_id, owner, employee, client })
    }

    /// Returns the e-mail address that the account signs in with.
    pub(crate) fn email(&self) -> &str {
        self.employee.as_ref().map_or(&self.owner.email, |employee| employee.email.as_str())
    }

    /// Tells whether the account signs in with that address.
    pub(crate) fn has_email(&self, email: &EmailAddress) -> bool {
        self.email() == email.as_str()
    }

    /// The hash of its password.
    pub(crate) fn password_hash(&self) -> Option<&str> {
        match &self.employee {
            Some(employee) => employee.password_hash.as_deref(),
            None => Some(&self.owner.password_hash),
        }
    }

    /// The name of the merchant whose affairs it is about; empty where that has none.
    pub(crate) fn merchant(&self, tx: &mut Tx<'_>) -> Result<String, Fault> {
        merchant_name(tx, self.owner_id, &self.owner)
    }

    /// The employee that it is.
    pub(crate) fn employee(&self) -> Option<EmployeeId> {
        self.employee.as_ref().map(|employee| employee.id)
    }

    /// The client whose person it is.
    pub(crate) fn client(&self) -> Option<ClientId> {
        self.client.as_ref().map(|client| client.id)
    }

    /// Its id among all that work is counted under.
    pub(crate) fn actor(&self) -> ActorId {
        self.employee().map_or_else(|| self.owner_id.into(), Into::into)
    }

    /// Its id, as the audit trail names it.
    pub(crate) fn name(&self) -> String {
        self.employee().map_or_else(|| self.owner_id.to_string(), |employee| employee.to_string())
    }

    /// Returns the kind of person that the account's tokens name.
    pub(crate) fn person(&self) -> Person {
        match (&self.employee, &self.client) {
            (_, Some(_)) => Person::Client,
            (Some(_), None) => Person::Employee,
            (None, None) => Person::Owner,
        }
    }

    /// Checks that the account may use the service.
    pub(crate) fn check_active(&self) -> Result<(), Refusal> {
        if !self.owner.is_active {
            return Err(Refusal::OwnerNotActive);
        }
        if !self.employee.as_ref().is_none_or(|employee| employee.is_active) {
            return Err(Refusal::EmployeeNotActive);
        }
        let is_active = self.client.as_ref().is_none_or(|client| client.is_active);
        if is_active { Ok(()) } else { Err(Refusal::ClientNotActive) }
    }

    /// Puts another hash into the place of `former`, if that is still there.
    pub(crate) fn replace_password_hash(
        &self,
        tx: &mut Tx<'_>,
        former: &str,
        new: &str,
        now: Timestamp,
    ) -> Result<(), Fault> {
        match self.employee() {
            Some(employee) => {
                let hashes = (former, new);
                employees::replace_password_hash(tx, self.owner_id, employee, hashes, now)
            }
            None => owners::replace_password_hash(tx, self.owner_id, former, new, now),
        }
    }

    /// Sets the hash of its password, whichever is there.
    pub(crate) fn set_password_hash(
        &self,
        tx: &mut Tx<'_>,
        hash: &str,
        now: Timestamp,
    ) -> Result<(), Fault> {
        match self.employee() {
            Some(employee) => employees::set_password_hash(tx, self.owner_id, employee, hash, now),
            None => owners::set_password_hash(tx, self.owner_id, hash, now),
        }
    }

    /// Sets what it signs in with.
    pub(crate) fn set_email(
        &self,
        tx: &mut Tx<'_>,
        email: &EmailAddress,
        now: Timestamp,
    ) -> Result<(), Fault> {
        match self.employee() {
            Some(employee) => {
                employees::set_email(tx, self.owner_id, employee, email.as_str(), now)
            }
            None => owners::set_email(tx, self.owner_id, email.as_str(), now),
        }
    }

    /// Returns the person that it is, as that is shown itself.
    pub(crate) fn record(&self) -> PersonRecord {
        match &self.employee {
            Some(employee) => PersonRecord::of_employee(employee),
            None => PersonRecord::of_owner(self.owner_id, &self.owner),
        }
    }

    /// Converts the account into what its person is shown of whom it works for.
    pub(crate) fn into_user(self) -> User {
        match (self.employee, self.client) {
            (Some(employee), Some(client)) => {
                User::of_client(self.owner_id, client, Some(employee.id))
            }
            (Some(employee), None) => User::of_employee(self.owner_id, &self.owner, &employee),
            (None, _) => User::of_owner(self.owner_id, self.owner),
        }
    }
}

fn leads_to_owner(located: &Located) -> bool {
    located.subject == located.owner.to_bytes()
}

/// The hash by which an address leads to the account that signs in with it.
pub(crate) fn email_hash(email: &EmailAddress) -> [u8; 32] {
    Sha256::digest(email.as_str()).into()
}

/// The merchant's name for its people; empty where it has none.
pub(crate) fn merchant_name(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    merchant: &Owner,
) -> Result<String, Fault> {
    Ok(profile::merchant_name(merchant, &public_profiles::find(tx, owner)?))
}
