//! The operation: `GET /me`.

use domain::access::Me;
use domain::ids::OwnerId;
use domain::money::Credits;
use store::clients::{self, Client};
use store::fault::Fault;
use store::owners::{self, Owner};
use store::tx::Tx;

use crate::{Act, App, Error};

/// Who a caller works for: the owner, or to a client's callers the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The owner's id, for every caller of the owner's.
    pub id: OwnerId,
    /// The owner's e-mail address, or the client's, which may have none.
    pub email: Option<String>,
    /// The merchant's name, or the client's.
    pub name: String,
    /// The balance; not told to a client's callers.
    pub credits: Option<Credits>,
}

impl User {
    fn of_client(owner: OwnerId, client: Client) -> Self {
        let email = client.email.map(|email| email.as_str().to_owned());
        Self { id: owner, email, name: client.name, credits: None }
    }

    pub(crate) fn of_owner(id: OwnerId, owner: Owner) -> Self {
        let credits = Some(Credits::new(owner.balance));
        Self { id, email: Some(owner.email), name: owner.name, credits }
    }
}

/// Tells the caller whose it is. A client's callers are told of their client, and of the owner nothing but its id.
///
/// # Errors
/// A failure of the store.
pub async fn show(app: &App, act: &Act<Me>) -> Result<User, Error> {
    let owner = act.owner();
    let client = act.caller().client();
    let find = move |tx: &mut Tx<'_>| match client {
        Some(client) => Ok(clients::find(tx, owner, client)?.map(|it| User::of_client(owner, it))),
        None => Ok(owners::find(tx, owner)?.map(|it| User::of_owner(owner, it))),
    };
    let found = app.store.look_up(act.meter(), find).await?;
    Ok(found.ok_or_else(|| Fault::broken("whom a caller works for is missing"))?)
}
