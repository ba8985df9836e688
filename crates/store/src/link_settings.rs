//! What an owner has chosen for its payment links.

use domain::ids::OwnerId;
use domain::links::LinkSettings;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::new(
        "select max_attempts, announce_expiry from payment_link_settings where owner_id = $1",
    );

    SET = Sql::new(
        "insert into payment_link_settings (owner_id, max_attempts, announce_expiry, updated_at) \
         values ($1, $2, $3, $4) on conflict (owner_id) do update \
         set max_attempts = excluded.max_attempts, announce_expiry = excluded.announce_expiry, \
         updated_at = excluded.updated_at",
    );
}

/// What the owner has chosen; the defaults where it has chosen nothing.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<LinkSettings, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into()])?;
    row.map_or_else(|| Ok(LinkSettings::default()), |row| read(&row))
}

/// Keeps what the owner chooses.
///
/// # Errors
/// A fault of the store.
pub fn set(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    settings: LinkSettings,
    now: Timestamp,
) -> Result<(), Fault> {
    let max_attempts = settings.max_attempts.map(i64::from);
    let params = [owner.into(), max_attempts.into(), settings.announce_expiry.into(), now.into()];
    tx.defer(&SET, params, Expect::Rows(1))
}

fn read(row: &Row) -> Result<LinkSettings, Fault> {
    let max_attempts = row.get::<Option<i64>>(0)?.map(u32::try_from).transpose();
    Ok(LinkSettings {
        max_attempts: max_attempts.map_err(|_| Fault::broken("a broken number of attempts"))?,
        announce_expiry: row.get(1)?,
    })
}
