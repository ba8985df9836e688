//! The operations on an owner's employees: inviting, accepting, listing, changing and removing them; and on the people
//! of its clients, in [`of_client`].

mod accept;
mod change;
mod invite;
mod list;
pub mod of_client;
mod remove;
mod renew;

use domain::access::Caller;
use domain::ids::{ClientId, EmployeeId, OwnerId};
use domain::invitation::{INVITATION_LIFETIME, InvitationHash, InvitationToken};
use domain::refusal::Refusal;
use domain::text::Text;
use domain::time::Timestamp;
pub use store::employees::Employee;
use store::employees::{self, Invitation};
use store::fault::Fault;
use store::locators::{self, Kind, Located};
use store::tx::Tx;
use store::{Meter, Store};

pub use accept::{Acceptance, Invited, accept, look};
pub use change::{EmployeeChange, change};
pub use invite::{EmployeeRequest, invite};
pub use list::list;
pub use remove::remove;
pub use renew::renew;

use crate::{App, Error};

/// An employee's name.
pub type EmployeeName = Text<1, 120>;

const NOT_FOUND: Refusal = Refusal::NotFound("employee");

/// An employee who was invited, and the only time that the address is told by which to accept.
#[derive(Debug)]
pub struct Invitee {
    /// The employee.
    pub employee: Employee,
    /// The secret of the invitation.
    pub token: InvitationToken,
}

impl Invitee {
    /// The one-time address by which the person accepts.
    #[must_use]
    pub fn url(&self, base_url: &str) -> String {
        format!("{base_url}/invitation/{}", self.token.expose())
    }
}

/// An invitation that begins now.
fn invitation(token: &InvitationToken, now: Timestamp) -> Invitation {
    Invitation { hash: token.hash(), expires_at: now.plus(INVITATION_LIFETIME) }
}

/// Makes an invitation's secret lead to its employee. Written before the row, so that every order of failure leaves at
/// worst a locator that leads to nothing.
async fn claim_locator(
    app: &App,
    meter: &Meter,
    hash: InvitationHash,
    to: Located,
) -> Result<(), Error> {
    let hash = hash.to_bytes();
    let claim = move |tx: &mut Tx<'_>| locators::claim(tx, Kind::Invitation, &hash, to).map(drop);
    Ok(app.store.write_shared(meter, claim).await?)
}

/// Removes the locator of an invitation that is over. One that stays behind opens nothing, so that a failure is noted
/// and no more.
async fn remove_locator(store: &Store, meter: &Meter, hash: InvitationHash) {
    let hash = hash.to_bytes();
    let remove = move |tx: &mut Tx<'_>| locators::remove(tx, Kind::Invitation, &hash);
    if let Err(error) = store.write_shared(meter, remove).await {
        tracing::warn!(?error, "the locator of an invitation that is over could not be deleted");
    }
}

/// Of whom an operation is: employees of the owner's own, or people of that client of it.
type Whose = (OwnerId, Option<ClientId>);

/// An employee whom the caller may change. One that was removed counts.
///
/// # Errors
/// A fault of the store.
fn find_to_change(
    tx: &mut Tx<'_>,
    (owner, client): Whose,
    caller: &Caller,
    id: EmployeeId,
) -> Result<Result<Employee, Refusal>, Fault> {
    let found = employees::find(tx, owner, id)?.filter(|employee| employee.client == client);
    let Some(employee) = found else { return Ok(Err(NOT_FOUND)) };
    Ok(if caller.outranks(employee.rights) { Ok(employee) } else { Err(Refusal::Outranked) })
}
