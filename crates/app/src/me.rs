//! The operation: `GET /me`.

use domain::access::Me;
use domain::ids::OwnerId;
use domain::money::Credits;
use store::fault::Fault;
use store::owners;
use store::owners::Owner;
use store::question::Question;

use crate::access::Look;
use crate::{Act, Error};

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

impl Look for Me {
    type Seen = Option<Owner>;

    fn look(owner: OwnerId) -> Question<Option<Owner>> {
        owners::finding(owner)
    }
}

/// Tells the caller whose it is.
///
/// # Errors
/// Where nobody is, which is a fault of the store.
pub fn show(act: &Act<Me>, seen: Option<Owner>) -> Result<User, Error> {
    let tells_credits = act.caller().client().is_none();
    let owner = seen.ok_or_else(|| Fault::broken("a caller's owner is missing"))?;
    let user = User::of_owner(act.owner(), owner);
    Ok(User { credits: user.credits.filter(|_| tells_credits), ..user })
}
