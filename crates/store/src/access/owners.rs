//! Owners: who they are. Their credits are in [`crate::credits`].

use std::fmt;

use domain::ids::{OwnerId, PlanId};
use domain::notices::LOW_BALANCE_BELOW;
use domain::time::Timestamp;

use crate::ended::{self, EndedThing};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::new(
        "select p.email, p.name, p.password_hash, p.is_active, o.balance, o.reserved, n.plan_id, \
         coalesce(n.is_active, true) as plan_is_active from owners o join owner_profiles p on p.owner_id = $1 \
         left join owner_plans n on n.owner_id = $1 where o.owner_id = $1",
    );

    pub(crate) HOLD = Sql::new("select owner_id from owners where owner_id = $1 for no key update");

    INSERT = Sql::new(
        "insert into owners (owner_id, balance, reserved, credit_lines, notice_below) \
         values ($1, 0, 0, 0, $2)",
    );

    INSERT_PROFILE = Sql::new(
        "insert into owner_profiles (owner_id, email, name, password_hash, is_active, created_at, \
         updated_at) values ($1, $2, $3, $4, true, $5, $5)",
    )
    .writes_auth();

    REPLACE_PASSWORD_HASH = Sql::new(
        "update owner_profiles set password_hash = $2, updated_at = $3 \
         where owner_id = $1 and password_hash = $4",
    )
    .writes_auth();

    SET_PASSWORD_HASH = Sql::new(
        "update owner_profiles set password_hash = $2, updated_at = $3 where owner_id = $1",
    )
    .writes_auth();

    // One without a name is called by its address.
    SET_EMAIL = Sql::new(
        "update owner_profiles set email = $2, name = case when name = email then $2 else name end, updated_at = $3 \
         where owner_id = $1",
    )
    .writes_auth();

    SET_ACTIVE = Sql::new(
        "update owner_profiles set is_active = $2, updated_at = $3 where owner_id = $1 returning email",
    )
    .writes_auth();

    LIST = Sql::across_owners(
        "select p.owner_id, p.email, p.name, p.is_active, o.balance, p.created_at \
         from owner_profiles p join owners o on o.owner_id = p.owner_id \
         where p.owner_id > $1 order by p.owner_id asc limit $2",
        "the operator lists every owner",
    );

    PASSWORD_COSTS = Sql::across_owners(
        "select substr(p.password_hash, 1, length(p.password_hash) - 67) as beginning, \
         cast(count(*) as bigint) as total \
         from (select password_hash from owner_profiles where owner_id > $1 \
          and length(password_hash) > 67 order by owner_id asc limit 10000) p \
         group by substr(p.password_hash, 1, length(p.password_hash) - 67)",
        "an address that nobody has costs as much as those that somebody has, asked once at start",
    );

    ANY = Sql::across_owners(
        "select owner_id from owners limit 1",
        "whether the installation is new, asked once at start",
    );

    PAGE = Sql::across_owners(
        "select owner_id from owners where owner_id > $1 order by owner_id asc limit $2",
        "the audit walks every owner, one after another",
    );

    COUNT = Sql::across_owners(
        "select count(*) as total from owners",
        "the audit says how far it has come among the owners",
    );
}

/// An owner.
#[derive(Clone)]
pub struct Owner {
    /// Its e-mail address, unique in the installation.
    pub email: String,
    /// The merchant's name.
    pub name: String,
    /// The Argon2id hash of its password, in PHC form.
    pub password_hash: String,
    /// Whether it may use the service.
    pub is_active: bool,
    /// The sum of its credit movements.
    pub balance: i64,
    /// The credits that open verifications hold.
    pub reserved: i64,
    /// The plan that it has.
    pub plan: Option<PlanId>,
    /// Whether that lets anybody be charged; having none does.
    pub plan_is_active: bool,
}

impl Owner {
    /// The merchant's name for others. One without a name is called by its address, which others must not know.
    #[must_use]
    pub fn shown_name(&self) -> Option<&str> {
        Some(self.name.as_str()).filter(|name| *name != self.email)
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").field("is_active", &self.is_active).finish_non_exhaustive()
    }
}

/// The owner of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<Owner>, Fault> {
    tx.query_opt(&FIND, &[owner.into()])?.as_ref().map(read).transpose()
}

/// Reads an owner, of whom the row has what [`FIND`] selects.
pub(crate) fn read(row: &Row) -> Result<Owner, Fault> {
    Ok(Owner {
        email: row.get("email")?,
        name: row.get("name")?,
        password_hash: row.get("password_hash")?,
        is_active: row.get("is_active")?,
        balance: row.get("balance")?,
        reserved: row.get("reserved")?,
        plan: row.get("plan_id")?,
        plan_is_active: row.get("plan_is_active")?,
    })
}

/// Sets what the owner signs in with.
///
/// # Errors
/// A fault of the store.
pub fn set_email(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    email: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&SET_EMAIL, [owner.into(), email.into(), now.into()], Expect::Rows(1))
}

/// Writes a new owner without credits.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    email: &str,
    name: &str,
    password_hash: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), email.into(), name.into(), password_hash.into(), now.into()];
    tx.defer(&INSERT, [owner.into(), LOW_BALANCE_BELOW.get().into()], Expect::Rows(1))?;
    tx.defer(&INSERT_PROFILE, params, Expect::Rows(1))
}

/// Puts another hash into the place of `former`. Where that is no longer there, the password was
/// changed meanwhile, and nothing happens.
///
/// # Errors
/// A fault of the store.
pub fn replace_password_hash(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    former: &str,
    new: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), new.into(), now.into(), former.into()];
    tx.defer(&REPLACE_PASSWORD_HASH, params, Expect::Any)
}

/// Puts the hash of another password into the place of whatever is there.
///
/// # Errors
/// A fault of the store.
pub fn set_password_hash(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    hash: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    ended::note(tx, owner, EndedThing::Password(None), now);
    tx.defer(&SET_PASSWORD_HASH, [owner.into(), hash.into(), now.into()], Expect::Rows(1))
}

/// Sets whether the owner may use the service. Answers its e-mail address, if there is such an owner.
///
/// # Errors
/// A fault of the store.
pub fn set_active(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    is_active: bool,
    now: Timestamp,
) -> Result<Option<String>, Fault> {
    let row = tx.query_opt(&SET_ACTIVE, &[owner.into(), is_active.into(), now.into()])?;
    row.map(|row| row.get("email")).transpose()
}

/// An owner as the operator lists it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The owner.
    pub owner: OwnerId,
    /// What it signs in with.
    pub email: String,
    /// The merchant's name.
    pub name: String,
    /// Whether it may use the service.
    pub is_active: bool,
    /// Its credits.
    pub balance: i64,
    /// When it was made.
    pub created_at: Timestamp,
}

/// At most `limit` owners after that one, as they are listed, in the order of their ids.
///
/// # Errors
/// A fault of the store.
pub fn list(tx: &mut Tx<'_>, after: OwnerId, limit: i64) -> Result<Vec<Listed>, Fault> {
    let rows = tx.query(&LIST, &[after.into(), limit.into()])?;
    let read = |row: &Row| {
        Ok(Listed {
            owner: row.get("owner_id")?,
            email: row.get("email")?,
            name: row.get("name")?,
            is_active: row.get("is_active")?,
            balance: row.get("balance")?,
            created_at: row.get("created_at")?,
        })
    };
    rows.iter().map(read).collect()
}

/// How many of some thousand hashes are kept at each cost, by what their text begins with: all but salt and hash.
///
/// # Errors
/// A fault of the store.
pub fn password_costs(tx: &mut Tx<'_>) -> Result<Vec<(String, u64)>, Fault> {
    let rows = tx.query(&PASSWORD_COSTS, &[OwnerId::from_bytes([0; 16]).into()])?;
    let read = |row: &Row| {
        let count: i64 = row.get("total")?;
        Ok((row.get("beginning")?, u64::try_from(count).unwrap_or_default()))
    };
    rows.iter().map(read).collect()
}

/// Tells whether the installation has an owner.
///
/// # Errors
/// A fault of the store.
pub fn any(tx: &mut Tx<'_>) -> Result<bool, Fault> {
    Ok(!tx.query(&ANY, &[])?.is_empty())
}

/// The owners that background work has found rows of, each once.
///
/// # Errors
/// A fault where a row names no owner.
pub(crate) fn each(rows: &[Row]) -> Result<Vec<OwnerId>, Fault> {
    let owners = rows.iter().map(|row| row.get("owner_id"));
    let mut owners = owners.collect::<Result<Vec<OwnerId>, _>>()?;
    owners.sort_unstable();
    owners.dedup();
    Ok(owners)
}

/// At most `limit` owners after that one, in the order of their ids.
///
/// # Errors
/// A fault of the store.
pub fn page(tx: &mut Tx<'_>, after: OwnerId, limit: i64) -> Result<Vec<OwnerId>, Fault> {
    let rows = tx.query(&PAGE, &[after.into(), limit.into()])?;
    rows.iter().map(|row| row.get("owner_id")).collect()
}

/// How many owners there are.
///
/// # Errors
/// A fault of the store.
pub fn count(tx: &mut Tx<'_>) -> Result<u64, Fault> {
    let count: i64 = tx.query_one(&COUNT, &[])?.get("total")?;
    Ok(u64::try_from(count).unwrap_or_default())
}
