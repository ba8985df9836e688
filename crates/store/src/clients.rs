//! Clients: the sub-customers of an owner. Their use of credits is in [`crate::credits`].

use domain::ids::{ClientId, OwnerId};
use domain::money::Credits;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    FIND = Sql::new(
        "select name, is_active, payments_enabled, monthly_credit_limit from clients \
         where owner_id = $1 and id = $2",
    );

    INSERT = Sql::new(
        "insert into clients (owner_id, id, name, is_active, payments_enabled, \
         monthly_credit_limit, created_at, updated_at) \
         values ($1, $2, $3, true, $4, null, $5, $5)",
    )
    .writes_auth();

    SET_LIMIT = Sql::new(
        "update clients set monthly_credit_limit = $2, updated_at = $3 \
         where owner_id = $1 and id = $4 returning id",
    )
    .writes_auth();
}

/// A client.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Whether its keys and sessions may use the service.
    pub is_active: bool,
    /// Whether its keys may verify payments and make payment links.
    pub payments_enabled: bool,
    /// The credits that all its keys together may use in a month; `None`: no limit.
    pub monthly_credit_limit: Option<i64>,
}

/// The client of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: ClientId) -> Result<Option<Client>, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into(), id.into()])?;
    row.map(|row| {
        Ok(Client {
            name: row.get(0)?,
            is_active: row.get(1)?,
            payments_enabled: row.get(2)?,
            monthly_credit_limit: row.get(3)?,
        })
    })
    .transpose()
}

/// Writes a new client without a limit.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: ClientId,
    name: &str,
    payments_enabled: bool,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), name.into(), payments_enabled.into(), now.into()];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Sets the monthly quota; answers whether there is such a client.
///
/// # Errors
/// A fault of the store.
pub fn set_limit(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: ClientId,
    limit: Option<Credits>,
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), limit.map(Credits::get).into(), now.into(), id.into()];
    Ok(!tx.query(&SET_LIMIT, &params)?.is_empty())
}
