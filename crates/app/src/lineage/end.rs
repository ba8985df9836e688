//! Ending a key or a person, and with it what that has issued.

use std::sync::Arc;

use domain::access::{
    Caller, Guarded, Operation as _, RemoveClientEmployee, RemoveEmployee, RevokeKey,
};
use domain::ids::{ActorId, AuditId, IdSource, OwnerId};
use domain::refusal::{IssuedThing, LineageRefusal, Refusal};
use domain::rights::{Area, Right, Rights};
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::employees::{self, Employee};
use store::fault::Fault;
use store::keys::{self, Locked};
use store::lineage::{self, Issued, LIVING_MAX, Lineage};
use store::tx::Tx;
use store::{
    audit, email_changes, mails, password_resets, second_factors, sessions, sign_in_networks,
};

use super::{EVER, IssuedKind, Reader, WithIssued};
use crate::audit_entry::audited;
use crate::locator::Locator;
use crate::outcome::Outcome;
use crate::{Act, App, changes, emails};

/// How many of what lives a refusal names.
const NAMED_MAX: usize = 100;

/// Rights that an employee must hold to invite a person of a client, as that person may do as much with what is the
/// client's.
pub(crate) const INVITERS_OF_CLIENTS: [Right; 5] = [
    Area::Clients.write(),
    Area::Payments.write(),
    Area::PaymentLinks.write(),
    Area::BankAccounts.write(),
    Area::Integrations.write(),
];

/// An act that ends a key or a person, and maybe what that has issued.
pub(crate) struct Ending {
    pub(crate) caller: Caller,
    pub(crate) entry: audit::Entry,
    pub(crate) now: Timestamp,
    with: WithIssued,
    ids: Arc<dyn IdSource>,
}

impl Ending {
    /// The act, about the key or person of that name.
    pub(crate) fn of<O: Guarded>(
        app: &App,
        act: &Act<O>,
        subject: String,
        with: WithIssued,
    ) -> Self {
        Self {
            caller: act.caller().clone(),
            entry: audited(app, act, subject),
            now: act.now,
            with,
            ids: Arc::clone(&app.ids),
        }
    }

    /// Finds what else ends, before anything does: what lives that was issued by that one, or by what it has issued.
    ///
    /// # Errors
    /// Something lives, and nothing was chosen; more lives than is ended at once, or what the caller may not end; a
    /// fault of the store.
    pub(crate) fn chosen(
        &self,
        tx: &mut Tx<'_>,
        owner: OwnerId,
        of: ActorId,
    ) -> Outcome<Vec<Issued>> {
        if self.with == WithIssued::Stays {
            return Ok(Vec::new());
        }
        let Lineage { mut living, is_cut } = lineage::follow(tx, owner, of, EVER)?;
        let reader = Reader { owner, client: self.caller.client() };
        living.retain(|issued| !is_default(issued) && reader.knows(issued));
        if self.with == WithIssued::Unsaid && !living.is_empty() {
            return Err(self.lives(&living).into());
        }
        // Of what was not followed something may live, also where nothing was found that does.
        if is_cut {
            let limit = i64::try_from(LIVING_MAX).unwrap_or(i64::MAX);
            return Err(Refusal::Lineage(LineageRefusal::TooMany { limit }).into());
        }
        if living.iter().all(|issued| may_end(&self.caller, issued)) {
            Ok(living)
        } else {
            Err(Refusal::Outranked.into())
        }
    }

    /// Ends all of these, each with its line in the audit trail, and answers the people among them.
    ///
    /// # Errors
    /// A fault of the store.
    pub(crate) fn end(
        &self,
        tx: &mut Tx<'_>,
        owner: OwnerId,
        issued: Vec<Issued>,
    ) -> Result<Vec<Employee>, Fault> {
        let mut removed = Vec::new();
        if issued.iter().any(|one| matches!(one, Issued::Key(_))) {
            keys::lock_default(tx, owner)?;
        }
        for one in issued {
            match one {
                Issued::Key(locked) => {
                    let entry = self.entry(RevokeKey::NAME, locked.key.id.to_string());
                    end_key(tx, owner, locked, &entry, self.now)?;
                }
                Issued::Person(person) => {
                    let action = match person.client {
                        Some(_) => RemoveClientEmployee::NAME,
                        None => RemoveEmployee::NAME,
                    };
                    let entry = self.entry(action, person.id.to_string());
                    end_person(tx, owner, &person, &entry, self.now)?;
                    removed.push(person);
                }
            }
        }
        Ok(removed)
    }

    /// A line of the audit trail of its own, for one more that ends.
    fn entry(&self, action: &'static str, subject: String) -> audit::Entry {
        let id = AuditId::new(&*self.ids, self.now);
        audit::Entry { id, action, subject, ..self.entry.clone() }
    }

    /// The refusal that names what lives, as far as the caller may end it.
    fn lives(&self, living: &[Issued]) -> Refusal {
        let own = living.iter().filter(|issued| may_end(&self.caller, issued));
        let issued = own.take(NAMED_MAX).map(thing).collect();
        let total = i64::try_from(living.len()).unwrap_or(i64::MAX);
        Refusal::Lineage(LineageRefusal::Lives { issued, total })
    }
}

/// Ends a key, its owner held. Nothing where it is the default one, which does not end. Doing it again changes nothing.
///
/// # Errors
/// A fault of the store.
pub(crate) fn end_key(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    mut locked: Locked,
    entry: &audit::Entry,
    now: Timestamp,
) -> Result<Option<Locked>, Fault> {
    if locked.key.is_default {
        return Ok(None);
    }
    if locked.revoked_at.is_none() {
        keys::revoke(tx, owner, locked.key.id, now)?;
        audit::insert_change(tx, owner, entry, &changes::gone(&locked.key), now)?;
        locked.key.updated_at = now;
    }
    locked.key.is_active = false;
    Ok(Some(locked))
}

/// Takes a person's access away for good, with everything that could bring it back.
///
/// # Errors
/// A fault of the store.
pub(crate) fn end_person(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    person: &Employee,
    entry: &audit::Entry,
    now: Timestamp,
) -> Result<(), Fault> {
    let id = person.id;
    employees::remove(tx, owner, id, now)?;
    sessions::end_of_employee(tx, owner, id, now)?;
    second_factors::delete(tx, (owner, id.into()))?;
    password_resets::remove(tx, (owner, id.into()))?;
    for kind in ["invitation", "password_reset"] {
        mails::drop_waiting(tx, owner, (person.email.as_str(), kind), now)?;
    }
    if let Some(wanted) = email_changes::wanted(tx, (owner, id.into()))? {
        mails::drop_waiting(tx, owner, (wanted.as_str(), "email_change"), now)?;
        email_changes::remove(tx, (owner, id.into()))?;
    }
    sign_in_networks::forget(tx, (owner, id.into()))?;
    audit::insert_change(tx, owner, entry, &changes::gone(person), now)
}

/// Frees what leads to people who were removed: their invitations and their addresses, as they were before.
pub(crate) async fn release<O: Guarded>(app: &App, act: &Act<O>, removed: &[Employee]) {
    let owner = act.owner();
    for person in removed {
        if let Some(invitation) = person.invitation {
            Locator::of_invitation(invitation.hash).remove(&app.store, act.meter()).await;
        }
        if person.accepted_at.is_some() {
            let emails: Vec<_> = EmailAddress::parse(person.email.as_str()).into_iter().collect();
            emails::settle(&app.store, act.meter(), (owner, person.id.into()), &emails).await;
        }
    }
}

/// Tells whether it is the default key, which goes on whoever has rotated it.
fn is_default(issued: &Issued) -> bool {
    matches!(issued, Issued::Key(locked) if locked.key.is_default)
}

/// Tells whether the caller could end this by itself. An employee who may invite people of a client may do as that
/// client does, and so end the client's keys.
fn may_end(caller: &Caller, issued: &Issued) -> bool {
    match (caller, issued) {
        (Caller::Owner(_) | Caller::Client(_), _) => true,
        (Caller::Employee(_), Issued::Key(locked)) => {
            let needed: Rights = INVITERS_OF_CLIENTS.into_iter().collect();
            locked.key.client.is_some() && caller.outranks(needed)
        }
        (Caller::Employee(_), Issued::Person(person)) => {
            let needed: Rights = match person.client {
                Some(_) => [Area::Clients.write()].into_iter().collect(),
                None => person.rights.iter().chain([Area::Team.write()]).collect(),
            };
            caller.outranks(needed)
        }
        (Caller::Nobody | Caller::Key(_), _) => false,
    }
}

/// The name of one in a refusal.
fn thing(issued: &Issued) -> IssuedThing {
    let (kind, id, name) = match issued {
        Issued::Key(locked) => (IssuedKind::Key, locked.key.id.to_string(), &locked.key.name),
        Issued::Person(person) => (IssuedKind::Person, person.id.to_string(), &person.name),
    };
    IssuedThing { kind: kind.as_str(), id, name: name.clone() }
}
