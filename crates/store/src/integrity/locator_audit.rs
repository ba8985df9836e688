//! What must be found by a locator: the rows of one owner that something which arrives without an owner leads to.

use domain::ids::{BankId, EmployeeId, LinkId, OwnerId};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    // A key that was revoked opens nothing, whatever leads to it.
    KEYS = Sql::new(
        "select id, hash from api_keys where owner_id = $1 and id > $2 and revoked_at is null \
         order by id asc limit $3",
    );

    EMAIL = Sql::new("select email from owner_profiles where owner_id = $1");

    // An employee who has not accepted has claimed no address yet.
    EMPLOYEES = Sql::new(
        "select id, email from employees where owner_id = $1 and id > $2 and accepted_at is not null \
         and removed_at is null order by id asc limit $3",
    );

    INVITATIONS = Sql::new(
        "select id, invitation_hash from employees where owner_id = $1 and id > $2 \
         and invitation_hash is not null order by id asc limit $3",
    );

    LOGO = Sql::new("select hash from logos where owner_id = $1");

    LINKS = Sql::new(
        "select id from payment_links where owner_id = $1 and id > $2 order by id asc limit $3",
    );

    PUSHED = Sql::new(
        "select bank_id from bank_push where owner_id = $1 and bank_id > $2 \
         order by bank_id asc limit $3",
    );
}

/// The id of a key, and the hash that leads to it.
pub type KeyHash = ([u8; 16], Vec<u8>);

/// The ids of the owner's keys behind that one and the hashes that lead to them, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn keys(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<KeyHash>, Fault> {
    let rows = tx.query(&KEYS, &[owner.into(), after.into(), limit.into()])?;
    rows.iter().map(|row| Ok((row.get("id")?, row.get("hash")?))).collect()
}

/// The owner's address for signing in.
///
/// # Errors
/// A fault of the store.
pub fn email(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<String>, Fault> {
    tx.query_opt(&EMAIL, &[owner.into()])?.map(|row| row.get("email")).transpose()
}

/// The owner's employees behind that one who sign in, and their addresses, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn employees(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<(EmployeeId, String)>, Fault> {
    let rows = tx.query(&EMPLOYEES, &[owner.into(), after.into(), limit.into()])?;
    rows.iter().map(|row| Ok((row.get("id")?, row.get("email")?))).collect()
}

/// The owner's employees behind that one who have an invitation, and the hashes that lead to them, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn invitations(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<(EmployeeId, Vec<u8>)>, Fault> {
    let rows = tx.query(&INVITATIONS, &[owner.into(), after.into(), limit.into()])?;
    rows.iter().map(|row| Ok((row.get("id")?, row.get("invitation_hash")?))).collect()
}

/// The hash that leads to the owner's logo.
///
/// # Errors
/// A fault of the store.
pub fn logo(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<Vec<u8>>, Fault> {
    tx.query_opt(&LOGO, &[owner.into()])?.map(|row| row.get("hash")).transpose()
}

/// The owner's links behind that one, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn links(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<LinkId>, Fault> {
    let rows = tx.query(&LINKS, &[owner.into(), after.into(), limit.into()])?;
    rows.iter().map(|row| row.get("id")).collect()
}

/// The owner's accounts behind that one whose bank sends notifications, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn pushed(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<BankId>, Fault> {
    let rows = tx.query(&PUSHED, &[owner.into(), after.into(), limit.into()])?;
    rows.iter().map(|row| row.get("bank_id")).collect()
}
