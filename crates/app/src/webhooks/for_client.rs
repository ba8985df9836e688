//! Receivers of a client that somebody of the owner tries out: what they are sent is as of a link that the client's callers
//! have made.

use domain::access::{Caller, Operation, ShowClient};
use domain::ids::{ClientId, OwnerId};
use domain::refusal::Refusal;
use store::clients;
use store::tx::Tx;

use crate::outcome::Outcome;

/// Checks that the caller may name a client: it may see the owner's clients.
///
/// # Errors
/// The refusal that the caller gets who may not.
pub(super) fn check_permitted(caller: &Caller, client: Option<ClientId>) -> Result<(), Refusal> {
    client.map_or(Ok(()), |_| ShowClient::RULE.check(caller))
}

/// Checks that the client that is named is one of the owner's.
///
/// # Errors
/// Not found, or a fault of the store.
pub(super) fn check_known(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: Option<ClientId>,
) -> Outcome<()> {
    let Some(client) = client else { return Ok(()) };
    match clients::find(tx, owner, client)? {
        Some(_) => Ok(()),
        None => Err(Refusal::NotFound("client").into()),
    }
}
