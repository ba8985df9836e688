//! What linked accounts are reached with at their banks. A token that a bank has given for it goes with every change.

use domain::ids::{BankId, OwnerId};
use domain::payer::{AccountNumber, Document, Phone};
use domain::profile::HolderName;
use domain::time::Timestamp;

use crate::bank_tokens;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::new(
        "select bank_id, account_number, phone, document, holder, credentials from bank_access \
         where owner_id = $1 and bank_id = $2",
    );

    FACTS = Sql::new(
        "select bank_id, account_number, phone, document, holder from bank_access \
         where owner_id = $1",
    );

    FACTS_OF = Sql::new(
        "select bank_id, account_number, phone, document, holder from bank_access \
         where owner_id = $1 and bank_id = $2",
    );

    PUT = Sql::new(
        "insert into bank_access (owner_id, bank_id, account_number, phone, document, credentials, \
         updated_at, metadata, holder, taken_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $7) \
         on conflict (owner_id, bank_id) do update \
         set account_number = excluded.account_number, phone = excluded.phone, \
         document = excluded.document, holder = excluded.holder, credentials = excluded.credentials, \
         metadata = excluded.metadata, taken_at = excluded.taken_at, updated_at = excluded.updated_at",
    );

    TAKE = Sql::new("update bank_access set taken_at = $3 where owner_id = $1 and bank_id = $2");

    TAKEN_AT = Sql::new("select taken_at from bank_access where owner_id = $1 and bank_id = $2");

    CHANGE = Sql::new(
        "update bank_access set credentials = $3, updated_at = $4 where owner_id = $1 and bank_id = $2 \
         and credentials = $5 returning bank_id",
    );

    CHANGE_METADATA = Sql::new(
        "update bank_access set metadata = $3, updated_at = $4 where owner_id = $1 and bank_id = $2 \
         and metadata = $5 returning bank_id",
    );

    CHANGE_HOLDER = Sql::new(
        "update bank_access set holder = $3, updated_at = $4 where owner_id = $1 and bank_id = $2 \
         returning bank_id",
    );

    SEALED = Sql::new("select bank_id, credentials, metadata from bank_access where owner_id = $1");

    REMOVE = Sql::new("delete from bank_access where owner_id = $1 and bank_id = $2");
}

/// Facts of an account's access that may be shown.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The account as it is linked.
    pub bank: BankId,
    /// The receiving account's number.
    pub number: AccountNumber,
    /// The phone that receives mobile payments.
    pub phone: Option<Phone>,
    /// The holder's document.
    pub document: Option<Document>,
    /// The holder's name.
    pub holder: Option<HolderName>,
}

/// Access by which an account is reached.
#[derive(Clone)]
pub struct Access {
    /// What may be shown of it.
    pub facts: Facts,
    /// The facts that its bank declares, sealed.
    pub sealed: Vec<u8>,
}

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed").field("bank", &self.bank).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// Finds the access by which an account is reached, unless it needs none or is in the trash.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, bank: BankId) -> Result<Option<Access>, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into(), bank.into()])?;
    row.map(|row| Ok(Access { facts: read(&row)?, sealed: row.get("credentials")? })).transpose()
}

/// Reads what may be shown of the access of every account of the owner, in no order. There are no more than accounts.
///
/// # Errors
/// A fault of the store.
pub fn facts(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Vec<Facts>, Fault> {
    tx.query(&FACTS, &[owner.into()])?.iter().map(read).collect()
}

/// Finds what may be shown of the access of one account, if it has any.
///
/// # Errors
/// A fault of the store.
pub fn facts_of(tx: &mut Tx<'_>, owner: OwnerId, bank: BankId) -> Result<Option<Facts>, Fault> {
    tx.query_opt(&FACTS_OF, &[owner.into(), bank.into()])?.map(|row| read(&row)).transpose()
}

/// Keeps what an account is reached with and the sealed metadata that it was linked with, in place of what they were.
///
/// # Errors
/// A fault of the store.
pub fn put(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    access: &Access,
    metadata: Option<&[u8]>,
    now: Timestamp,
) -> Result<(), Fault> {
    let Facts { bank, number, phone, document, holder } = &access.facts;
    let params = [
        owner.into(),
        (*bank).into(),
        number.as_str().into(),
        phone.as_ref().map(Phone::as_str).into(),
        document.as_ref().map(ToString::to_string).into(),
        access.sealed.as_slice().into(),
        now.into(),
        metadata.into(),
        holder.as_ref().map(HolderName::as_str).into(),
    ];
    bank_tokens::remove(tx, owner, *bank)?;
    tx.defer(&PUT, params, Expect::Rows(1))
}

/// Notes that the bank takes the credentials of an account now.
///
/// # Errors
/// A fault of the store.
pub fn note_taken(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&TAKE, [owner.into(), bank.into(), now.into()], Expect::Rows(1))
}

/// When the bank took the credentials that an account's owner gave last.
///
/// # Errors
/// A fault of the store.
pub fn taken_at(tx: &mut Tx<'_>, owner: OwnerId, bank: BankId) -> Result<Option<Timestamp>, Fault> {
    let row = tx.query_opt(&TAKEN_AT, &[owner.into(), bank.into()])?;
    row.map(|row| row.get("taken_at")).transpose()
}

/// Keeps other credentials, if it is still `former` that is kept; answers whether it was.
///
/// # Errors
/// A fault of the store.
pub fn change_credentials(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    sealed: &[u8],
    former: &[u8],
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), bank.into(), sealed.into(), now.into(), former.into()];
    let is_changed = tx.query_opt(&CHANGE, &params)?.is_some();
    if is_changed {
        bank_tokens::remove(tx, owner, bank)?;
    }
    Ok(is_changed)
}

/// Keeps the metadata of an account sealed anew, if it is still `former` that is kept; answers whether it was.
///
/// # Errors
/// A fault of the store.
pub fn change_metadata(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    sealed: &[u8],
    former: &[u8],
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), bank.into(), sealed.into(), now.into(), former.into()];
    Ok(tx.query_opt(&CHANGE_METADATA, &params)?.is_some())
}

/// Keeps another name of the account's holder, or none; answers whether the account is there, and reached with something.
///
/// # Errors
/// A fault of the store.
pub fn change_holder(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    holder: Option<&HolderName>,
    now: Timestamp,
) -> Result<bool, Fault> {
    let holder = holder.map(HolderName::as_str);
    let params = [owner.into(), bank.into(), holder.into(), now.into()];
    Ok(tx.query_opt(&CHANGE_HOLDER, &params)?.is_some())
}

/// Contents that are kept sealed of an account.
pub struct Sealed {
    /// The account.
    pub bank: BankId,
    /// The facts that its bank declares.
    pub credentials: Vec<u8>,
    /// The metadata that it was linked with, if any.
    pub metadata: Option<Vec<u8>>,
}

/// Reads what is kept sealed of every account of the owner, in no order.
///
/// # Errors
/// A fault of the store.
pub fn sealed(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Vec<Sealed>, Fault> {
    let read = |row: &Row| {
        Ok(Sealed {
            bank: row.get("bank_id")?,
            credentials: row.get("credentials")?,
            metadata: row.get("metadata")?,
        })
    };
    tx.query(&SEALED, &[owner.into()])?.iter().map(read).collect()
}

/// Forgets what an account is reached with.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, owner: OwnerId, bank: BankId) -> Result<(), Fault> {
    bank_tokens::remove(tx, owner, bank)?;
    tx.defer(&REMOVE, [owner.into(), bank.into()], Expect::Any)
}

fn read(row: &Row) -> Result<Facts, Fault> {
    let broken = |what: &str| Fault::broken(format!("an access with a broken {what}"));
    let phone: Option<String> = row.get("phone")?;
    let phone = phone.map(|text| Phone::parse(&text)).transpose();
    let document: Option<String> = row.get("document")?;
    let document = document.map(|text| Document::parse(&text)).transpose();
    let holder: Option<String> = row.get("holder")?;
    let holder = holder.map(|text| HolderName::parse(&text)).transpose();
    Ok(Facts {
        bank: row.get("bank_id")?,
        number: AccountNumber::parse(&row.get::<String>("account_number")?)
            .map_err(|_| broken("number"))?,
        phone: phone.map_err(|_| broken("phone"))?,
        document: document.map_err(|_| broken("document"))?,
        holder: holder.map_err(|_| broken("holder"))?,
    })
}
