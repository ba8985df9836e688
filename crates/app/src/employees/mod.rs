//! The operations on an owner's employees: inviting, accepting, listing, changing and removing them; and on the people
//! of its clients, in [`of_client`].

mod accept;
mod change;
mod invite;
mod list;
pub mod of_client;
mod remove;
mod renew;

use domain::access::{Caller, Guarded};
use domain::ids::{ClientId, EmployeeId, OwnerId};
use domain::invitation::{INVITATION_LIFETIME, InvitationToken};
use domain::mail::Letter;
use domain::refusal::Refusal;
use domain::rights::{Area, Rights};
use domain::secret::SecretText;
use domain::text::Text;
use domain::time::Timestamp;
use store::clients;
pub use store::employees::Employee;
use store::employees::{self, Invitation};
use store::fault::Fault;
use store::mails::NewMail;
use store::owners;
use store::tx::Tx;

pub use accept::{Acceptance, Invited, accept, look};
pub use change::{EmployeeChange, change};
pub use invite::{EmployeeRequest, invite};
pub use list::{find, list};
pub use remove::remove;
pub use renew::renew;

use crate::lineage::INVITERS_OF_CLIENTS;
use crate::outcome::Outcome;
use crate::people::merchant_name;
use crate::{Act, App, Error, mails};

/// An employee's name.
pub type EmployeeName = Text<1, 120>;

const NOT_FOUND: Refusal = Refusal::NotFound("employee");

/// An employee who was invited, and how the person learns the address by which to accept.
#[derive(Debug)]
pub struct Invitee {
    /// The employee.
    pub employee: Employee,
    /// The secret of the invitation; nothing where the person gets it by mail.
    pub token: Option<InvitationToken>,
}

impl Invitee {
    /// The one-time address by which the person accepts, where the inviter is to hand it over.
    #[must_use]
    pub fn url(&self, base_url: &str) -> Option<String> {
        self.token.as_ref().map(|token| format!("{base_url}/invitation/{}", token.expose()))
    }
}

/// An invitation that begins now.
fn invitation(token: &InvitationToken, now: Timestamp) -> Invitation {
    Invitation { hash: token.hash(), expires_at: now.plus(INVITATION_LIFETIME) }
}

/// The mail that invites, where the service sends mail.
async fn mail<O: Guarded>(
    app: &App,
    act: &Act<O>,
    (id, email, client): (EmployeeId, &str, Option<ClientId>),
    token: &InvitationToken,
    invitation: Invitation,
) -> Result<Option<NewMail>, Error> {
    if app.mail.is_none() {
        return Ok(None);
    }
    let (owner, now) = (act.owner(), app.clock.now());
    let find = move |tx: &mut Tx<'_>| {
        let merchant = match owners::find(tx, owner)? {
            Some(merchant) => merchant_name(tx, owner, &merchant)?,
            None => String::new(),
        };
        let client = client.map(|client| clients::find(tx, owner, client)).transpose()?.flatten();
        Ok((merchant, client.map(|client| client.name)))
    };
    let (merchant, client) = app.store.look_up(act.meter(), find).await?;
    let letter = Letter::Invitation { merchant, client, token: SecretText::from(token.expose()) };
    let language = act.request.language;
    let ends = (now, invitation.expires_at);
    Ok(mails::draft(app, (owner, id.into()), email, (&letter, language), ends))
}

/// Group that an operation is about: employees of the owner's own, or people of that client of it.
type Whose = (OwnerId, Option<ClientId>);

/// Returns the rights that an employee must hold to invite somebody with these rights, or a person of that client.
fn needed_to_invite(client: Option<ClientId>, rights: Rights) -> Rights {
    match client {
        Some(_) => INVITERS_OF_CLIENTS.into_iter().collect(),
        None => rights.iter().chain([Area::Team.write()]).collect(),
    }
}

/// Tells whether the caller may invite somebody with these rights, or a person of that client.
fn may_invite(caller: &Caller, client: Option<ClientId>, rights: Rights) -> bool {
    caller.outranks(needed_to_invite(client, rights))
}

/// Tells whether the person who invited somebody still may: an invitation ends with its inviter's right.
///
/// # Errors
/// A fault of the store.
fn inviter_may(tx: &mut Tx<'_>, owner: OwnerId, invited: &Employee) -> Result<bool, Fault> {
    let Some(inviter) = invited.inviter.employee else { return Ok(true) };
    let needed = needed_to_invite(invited.client, invited.rights);
    let inviter = employees::find(tx, owner, inviter)?;
    Ok(inviter.is_some_and(|it| {
        it.removed_at.is_none() && it.is_active && needed.is_subset_of(it.rights)
    }))
}

/// An employee whom the caller may change. One that was removed counts.
///
/// # Errors
/// Not found, a refusal where the caller may do less than the employee, or a fault of the store.
fn find_to_change(
    tx: &mut Tx<'_>,
    (owner, client): Whose,
    caller: &Caller,
    id: EmployeeId,
) -> Outcome<Employee> {
    let found = employees::find(tx, owner, id)?.filter(|employee| employee.client == client);
    let employee = found.ok_or(NOT_FOUND)?;
    if caller.outranks(employee.rights) { Ok(employee) } else { Err(Refusal::Outranked.into()) }
}
