//! The linked accounts whose bank reports payments by itself, and the hash of the secret that it
//! shows then.

use domain::ids::{BankId, OwnerId};
use domain::push_secret::PushSecretHash;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    FIND = Sql::new(
        "select secret_hash from bank_push where owner_id = $1 and bank_id = $2",
    );

    PUT = Sql::new(
        "insert into bank_push (owner_id, bank_id, secret_hash, updated_at) \
         values ($1, $2, $3, $4) on conflict (owner_id, bank_id) do update \
         set secret_hash = excluded.secret_hash, updated_at = excluded.updated_at",
    );

    REMOVE = Sql::new("delete from bank_push where owner_id = $1 and bank_id = $2");
}

/// Finds the hash of the secret that the bank must show for that account. `None` where the bank reports no payments, or
/// the account is in the trash.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
) -> Result<Option<PushSecretHash>, Fault> {
    let (sql, params) = secret(owner, bank);
    tx.query_opt(sql, &params)?.map(|row| read(&row)).transpose()
}

/// Keeps the hash of a secret, in place of the former one.
///
/// # Errors
/// A fault of the store.
pub fn put(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    secret: PushSecretHash,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), bank.into(), (&secret.to_bytes()).into(), now.into()];
    tx.defer(&PUT, params, Expect::Rows(1))
}

/// Forgets the secret: whatever the bank still reports of the account is not accepted.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, owner: OwnerId, bank: BankId) -> Result<(), Fault> {
    tx.defer(&REMOVE, [owner.into(), bank.into()], Expect::Any)
}

/// The statement that reads the hash, and its parameters.
pub(crate) fn secret(owner: OwnerId, bank: BankId) -> (&'static Sql, [Value; 2]) {
    (&FIND, [owner.into(), bank.into()])
}

pub(crate) fn read(row: &Row) -> Result<PushSecretHash, Fault> {
    row.get("secret_hash").map(PushSecretHash::from_bytes)
}
