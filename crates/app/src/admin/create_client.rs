//! Making a client of an owner.

use domain::ids::ClientId;
use domain::text::Text;
use store::{Lane, Meter, audit, clients, owners};

use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::changes::made;

/// Data from which a client is made.
#[derive(Clone, Debug)]
pub struct NewClient {
    /// Whose client it is.
    pub owner: OwnerName,
    /// Its name.
    pub name: Text<1, 120>,
    /// Whether its keys may verify payments on its accounts.
    pub payments_enabled: bool,
}

/// Makes a client without a quota.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::ClientNameTaken`], and what the store fails with.
pub async fn create_client(
    operator: &Operator<'_>,
    new: NewClient,
) -> Result<ClientId, AdminError> {
    let owner = locate(operator, &new.owner).await?;
    let now = operator.now;
    let id = ClientId::new(operator.ids, now);
    let client = clients::NewClient::named(id, new.name.as_str(), new.payments_enabled);
    let entry = audit_entry(operator, "CreateClient", &id);
    let meter = Meter::default();
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        if owners::find(tx, owner)?.is_none() {
            return Ok(End::NoOwner);
        }
        let whole = client.made(now);
        if let Some(other) = clients::namesake(tx, owner, &whole)? {
            return Ok(End::NameTaken(other));
        }
        clients::insert(tx, owner, &client, now)?;
        audit::insert_change(tx, owner, &entry, &made(&whole), now)?;
        Ok(End::Made)
    });
    match write.await? {
        End::Made => Ok(id),
        End::NoOwner => Err(AdminError::NoSuchOwner(new.owner)),
        End::NameTaken(other) => Err(AdminError::ClientNameTaken(other)),
    }
}

/// Result of the write.
enum End {
    Made,
    NoOwner,
    NameTaken(ClientId),
}
