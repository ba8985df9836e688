//! The operation: `GET /me`.

use domain::access::Me;
use domain::ids::OwnerId;
use domain::money::Credits;
use store::fault::Fault;
use store::owners;
use store::owners::Owner;
use store::tx::Tx;

use crate::{Act, App, Error};

/// An owner as its callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The owner's id, for every caller of the owner's.
    pub id: OwnerId,
    /// Its e-mail address.
    pub email: String,
    /// The merchant's name.
    pub name: String,
    /// The balance; not told to a client's callers.
    pub credits: Option<Credits>,
}

impl User {
    pub(crate) fn of_owner(id: OwnerId, owner: Owner) -> Self {
        let credits = Some(Credits::new(owner.balance));
        Self { id, email: owner.email, name: owner.name, credits }
    }
}

/// Tells the caller whose it is.
///
/// # Errors
/// A failure of the store.
pub async fn show(app: &App, act: &Act<Me>) -> Result<User, Error> {
    let owner = act.owner();
    let find = move |tx: &mut Tx<'_>| owners::find(tx, owner);
    let found = app.store.look_up(act.meter(), find).await?;
    let found = found.ok_or_else(|| Fault::broken("a caller's owner is missing"))?;
    let tells_credits = act.caller().client().is_none();
    let user = User::of_owner(owner, found);
    Ok(User { credits: user.credits.filter(|_| tells_credits), ..user })
}
