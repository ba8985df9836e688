//! Checks of a link that limits or balance refused. They left no verification behind, and count as
//! attempts of the link for as long as those do.

use domain::ids::{LinkId, OwnerId, VerificationId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    INSERT = Sql::new(
        "insert into link_refusals (owner_id, link_id, id, refused_at) values ($1, $2, $3, $4) \
         on conflict do nothing returning id",
    );

    OLD_OWNERS = Sql::across_owners(
        "select owner_id, refused_at from link_refusals where refused_at <= $1 \
         order by refused_at asc limit $2",
        "the janitor looks for owners with refusals that count no more",
    );

    DELETE_OLD = Sql::new(
        "delete from link_refusals where owner_id = $1 and (link_id, id) in \
         (select r.link_id, r.id from link_refusals r \
         where r.owner_id = $1 and r.refused_at <= $2 limit $3)",
    );
}

/// Notes that a check of the link, which would have had that id, was refused; answers whether that
/// was not noted before, by the same write whose answer was lost. The caller holds the link.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: LinkId,
    id: VerificationId,
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), link.into(), id.into(), now.into()];
    Ok(!tx.query(&INSERT, &params)?.is_empty())
}

/// Owners that have refusals from up to `until`, at most `limit` refusals looked at.
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

/// Deletes an owner's refusals from up to `until`, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn delete_old(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    until: Timestamp,
    limit: i64,
) -> Result<(), Fault> {
    tx.defer(&DELETE_OLD, [owner.into(), until.into(), limit.into()], Expect::Any)
}
