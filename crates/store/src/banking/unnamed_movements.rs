//! Movements that nobody asked about: a day was read that has them, and they are kept for a while.

use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    OLD_OWNERS = Sql::across_owners(
        "select m.owner_id, m.created_at from movements m where m.is_named = false \
         and m.created_at <= $1 and not exists (select 1 from movements c \
         where c.owner_id = m.owner_id and c.contested_with = m.id) \
         order by m.created_at asc limit $2",
        "the janitor looks for owners with movements that nobody asked about",
    );

    // Whatever is claimed or reported is named; these conditions are for rows that were altered. What a contested one may
    // be stays beside it.
    DELETE_OLD = Sql::new(
        "delete from movements where owner_id = $1 and id in \
         (select m.id from movements m where m.owner_id = $1 and m.is_named = false \
         and m.created_at <= $2 \
         and not exists (select 1 from payments p where p.owner_id = $1 and p.movement_id = m.id) \
         and not exists (select 1 from bank_notifications n \
         where n.owner_id = $1 and n.movement_id = m.id) \
         and not exists (select 1 from movements c \
         where c.owner_id = $1 and c.contested_with = m.id) \
         order by m.created_at asc limit $3)",
    );
}

/// Owners that have movements which came up to `until` and which nobody asked about, at most `limit` of them looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_old(
    tx: &mut Tx<'_>,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&OLD_OWNERS, &[until.into(), limit.into()])?)
}

/// Deletes an owner's movements that came up to `until` and that nobody asked about, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn delete_old(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    until: Timestamp,
    limit: i64,
) -> Result<u64, Fault> {
    tx.execute(&DELETE_OLD, &[owner.into(), until.into(), limit.into()])
}
