//! Whose quota a charge counts against.

use domain::ids::ClientId;
use store::fault::Fault;
use store::keys;
use store::tx::Tx;

use super::call::Call;

/// The client whose quota a charge counts against: the account's, else the caller's. A link may be older than what its
/// key is bound to now, and then the key has no limit of its own in force: it counts against the client of today.
pub(super) fn charged_client(tx: &mut Tx<'_>, call: &Call) -> Result<Option<ClientId>, Fault> {
    match call.account.client.or(call.caller_client) {
        None if call.link.is_some() => keys::client_of(tx, call.owner, call.actor),
        client => Ok(client),
    }
}
