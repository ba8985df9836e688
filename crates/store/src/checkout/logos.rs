//! Owners' logos, with their bytes.

use domain::ids::OwnerId;
use domain::logo::{Logo, LogoHash, LogoKind, Size};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    BYTES = Sql::new("select bytes from logos where owner_id = $1 and hash = $2 and kind = $3");

    SET = Sql::new(
        "insert into logos (owner_id, hash, kind, width, height, bytes, changed_at) \
         values ($1, $2, $3, $4, $5, $6, $7) \
         on conflict (owner_id) do update set hash = excluded.hash, kind = excluded.kind, width = excluded.width, \
         height = excluded.height, bytes = excluded.bytes, changed_at = excluded.changed_at",
    );

    DELETE = Sql::new("delete from logos where owner_id = $1");
}

/// The bytes of the owner's logo of that name, if it is the one that the owner has.
///
/// # Errors
/// A fault of the store.
pub fn bytes(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    hash: LogoHash,
    kind: LogoKind,
) -> Result<Option<Vec<u8>>, Fault> {
    let params = [owner.into(), hash.as_bytes().into(), kind.as_str().into()];
    tx.query_opt(&BYTES, &params)?.map(|row| row.get("bytes")).transpose()
}

/// Keeps a logo, in place of the one that the owner had.
///
/// # Errors
/// A fault of the store.
pub fn set(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    logo: &Logo,
    bytes: &[u8],
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        logo.hash.as_bytes().into(),
        logo.kind.as_str().into(),
        i64::from(logo.size.width).into(),
        i64::from(logo.size.height).into(),
        bytes.into(),
        now.into(),
    ];
    tx.defer(&SET, params, Expect::Rows(1))
}

/// Takes the owner's logo away.
///
/// # Errors
/// A fault of the store.
pub fn delete(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&DELETE, [owner.into()], Expect::Any)
}

/// Reads a logo from a row: its hash, kind, width and height.
pub(crate) fn read(row: &Row) -> Result<Option<Logo>, Fault> {
    let Some(hash) = row.get::<Option<[u8; 32]>>("hash")? else { return Ok(None) };
    let broken = || Fault::broken("a logo with a broken kind or size");
    let kind: String = row.get("kind")?;
    let side = |column: &str| u32::try_from(row.get::<i64>(column)?).map_err(|_| broken());
    Ok(Some(Logo {
        hash: LogoHash::from_bytes(hash),
        kind: LogoKind::parse(&kind).ok_or_else(broken)?,
        size: Size { width: side("width")?, height: side("height")? },
    }))
}
