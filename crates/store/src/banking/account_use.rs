//! Whether a client has something open on an account: it is taken from nobody who has.

use domain::ids::{BankId, ClientId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    // Of the open verifications, which are few, as their own index has them.
    VERIFICATION = Sql::new(
        "select id from verifications where owner_id = $1 and state = 0 and bank_id = $2 \
         and (client_id <> $3 or caller_client_id <> $3) order by fingerprint asc limit 1",
    );

    LINK = Sql::new(
        "select id from payment_links where owner_id = $1 and bank_id = $2 \
         and client_id is not null and client_id <> $3 \
         and state = 0 and (expires_at is null or expires_at > $4) order by id asc limit 1",
    );

    SUBSCRIPTION = Sql::new(
        "select id from subscriptions where owner_id = $1 and bank_id = $2 \
         and client_id is not null and client_id <> $3 and ended_as is null \
         order by client_id asc, created_at asc, id asc limit 1",
    );
}

/// Tells whether a client other than `client` has something open on the account: a verification of its callers, or one
/// that its quota is charged for, a link that can still be paid at `now`, or a subscription that lives.
///
/// # Errors
/// A fault of the store.
pub fn is_in_use_by_another(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    client: Option<ClientId>,
    now: Timestamp,
) -> Result<bool, Fault> {
    // No client has this id.
    let client = client.unwrap_or(ClientId::from_bytes([0; 16]));
    let verification = [owner.into(), bank.into(), client.into()];
    let link = [owner.into(), bank.into(), client.into(), now.into()];
    let subscription = [owner.into(), bank.into(), client.into()];
    let found = tx.query_all(&[
        (&VERIFICATION, &verification),
        (&LINK, &link),
        (&SUBSCRIPTION, &subscription),
    ])?;
    Ok(found.iter().any(|rows| !rows.is_empty()))
}
