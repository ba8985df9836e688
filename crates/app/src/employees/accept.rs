//! The operations `POST /auth/invitations/accept` and of the page `/invitation/{token}`: becoming an employee.

use std::sync::Arc;

use domain::access::Operation;
use domain::ids::{AuditId, EmployeeId, OwnerId};
use domain::invitation::InvitationToken;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::audit::Change;
use store::clients::Client;
use store::employees::{self, Employee};
use store::fault::Fault;
use store::locators::{self, Kind, Located};
use store::tx::Tx;
use store::{Lane, Meter, audit, clients, owners};

use super::{EmployeeName, inviter_may};
use crate::changes::{PersonsName, changed};
use crate::locator::Locator;
use crate::outcome::{Outcome, as_answer};
use crate::passwords::check_new;
use crate::people::merchant_name;
use crate::{Act, App, Error, emails};

/// Name of the action in the audit trail, by whichever way the request came.
const ACTION: &str = "AcceptInvitation";

/// Answer of the invited person.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// The person's name, where it is not the one that the inviter gave.
    pub name: Option<EmployeeName>,
    /// The password that the person chose.
    pub password: SecretText,
}

/// Facts that an invitation shows to the person who has it.
#[derive(Clone, Debug)]
pub struct Invited {
    /// The merchant that invites.
    pub merchant: String,
    /// The client for which the person will work, where that is not the merchant itself.
    pub client: Option<String>,
    /// What the person will sign in with.
    pub email: String,
    /// The person's name, as the inviter gave it.
    pub name: String,
}

/// Shows an invitation that can be accepted.
///
/// # Errors
/// One refusal for every invitation that cannot be, or a failure of the store.
pub async fn look<O: Operation>(
    app: &App,
    act: &Act<O>,
    token: &InvitationToken,
) -> Result<Invited, Error> {
    let Found { merchant, client, employee, .. } = find(app, act.meter(), token).await?;
    let email = employee.email.as_str().to_owned();
    Ok(Invited { merchant, client, email, name: employee.name })
}

/// Accepts an invitation: the invited person can sign in from now on. Of two that come at once, one is too late.
///
/// # Errors
/// One refusal for every invitation that never was, was used or is over; a conflict where somebody signs in with the
/// address; a failure of the store.
pub async fn accept<O: Operation>(
    app: &App,
    act: &Act<O>,
    token: &InvitationToken,
    acceptance: Acceptance,
) -> Result<(), Error> {
    check_new("password", &acceptance.password)?;
    let Found { owner, employee, .. } = find(app, act.meter(), token).await?;
    let password_hash = app.passwords.hash(acceptance.password, Arc::clone(&app.ids)).await?;
    let email = EmailAddress::parse(employee.email.as_str())
        .map_err(|_| Fault::broken("the address of an invitation is none"))?;
    let to = Located { owner, subject: employee.id.to_bytes() };
    if emails::claim(&app.store, act.meter(), &email, to).await? != to {
        return Err(Refusal::EmailTaken.into());
    }
    // The password took its time, and the invitation may be over by now.
    let (id, now) = (employee.id, app.clock.now());
    let accepted = employees::Acceptance {
        invitation: token.hash(),
        name: acceptance.name.map_or(employee.name, EmployeeName::into_string),
        password_hash,
    };
    let entry = audit::Entry {
        id: AuditId::new(&*app.ids, now),
        actor: id.to_string(),
        employee: Some(id),
        action: ACTION,
        subject: id.to_string(),
        address: act.request.address_shown(),
    };
    let write = move |tx: &mut Tx<'_>| as_answer(write(tx, (&email, to), &accepted, &entry, now));
    app.store.write_again(act.meter(), Lane::Admission, owner, write).await??;
    Locator::of_invitation(token.hash()).remove(&app.store, act.meter()).await;
    Ok(())
}

fn write(
    tx: &mut Tx<'_>,
    (email, to): (&EmailAddress, Located),
    accepted: &employees::Acceptance,
    entry: &audit::Entry,
    now: Timestamp,
) -> Outcome<()> {
    let (owner, id) = (to.owner, EmployeeId::from_bytes(to.subject));
    let employee = employees::find(tx, owner, id)?.ok_or(Refusal::InvitationInvalid)?;
    if employee.password_hash.as_ref() == Some(&accepted.password_hash) {
        // The same write again: its answer was lost. No other has that salt.
        return Ok(());
    }
    let is_good =
        is_good(&employee, now) && owners::find(tx, owner)?.is_some_and(|it| it.is_active);
    if is_good {
        emails::check_claim(tx, email, to)?;
    }
    if !is_good
        || client_of(tx, owner, &employee)?.is_none()
        || !inviter_may(tx, owner, &employee)?
        || !employees::accept(tx, owner, id, accepted, now)?
    {
        return Err(Refusal::InvitationInvalid.into());
    }
    let change = if accepted.name == employee.name {
        Change::default()
    } else {
        changed(&PersonsName(&employee.name), &PersonsName(&accepted.name))
    };
    audit::insert_change(tx, owner, entry, &change, now)?;
    Ok(())
}

/// Tells whether the employee has an invitation that can be accepted.
fn is_good(employee: &Employee, now: Timestamp) -> bool {
    employee.is_active && employee.invitation.is_some_and(|it| now < it.expires_at)
}

/// The client whose person it is, if it is one's; nothing where that client is not active.
fn client_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    employee: &Employee,
) -> Result<Option<Option<Client>>, Fault> {
    let Some(client) = employee.client else { return Ok(Some(None)) };
    let client = clients::find(tx, owner, client)?.filter(|client| client.is_active);
    Ok(client.map(Some))
}

/// Whom a secret invites, and the names of those that it is invited by.
struct Found {
    owner: OwnerId,
    merchant: String,
    client: Option<String>,
    employee: Employee,
}

async fn find(app: &App, meter: &Meter, token: &InvitationToken) -> Result<Found, Error> {
    let (hash, now) = (token.hash(), app.clock.now());
    let find = move |tx: &mut Tx<'_>| {
        let located = locators::find(tx, Kind::Invitation, &hash.to_bytes())?;
        let Some(Located { owner, subject }) = located else { return Ok(None) };
        let employee = employees::find(tx, owner, EmployeeId::from_bytes(subject))?;
        // A locator only routes; the row says which invitation is good.
        let is_this = |employee: &Employee| {
            employee.invitation.is_some_and(|it| it.hash == hash) && is_good(employee, now)
        };
        let Some(employee) = employee.filter(is_this) else { return Ok(None) };
        let Some(client) = client_of(tx, owner, &employee)? else { return Ok(None) };
        if !inviter_may(tx, owner, &employee)? {
            return Ok(None);
        }
        let merchant = owners::find(tx, owner)?.filter(|merchant| merchant.is_active);
        let Some(merchant) = merchant else { return Ok(None) };
        let merchant = merchant_name(tx, owner, &merchant)?;
        Ok(Some(Found { owner, merchant, client: client.map(|client| client.name), employee }))
    };
    let found = app.store.look_up(meter, find).await?;
    Ok(found.ok_or(Refusal::InvitationInvalid)?)
}
