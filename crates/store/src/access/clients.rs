//! Clients: the sub-customers of an owner. Their use of credits is in [`crate::credits`].

use domain::client_names::plain;
use domain::ids::{ClientId, OwnerId};
use domain::money::Credits;
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

/// The client `c`, as [`read`] reads it. Its id is called `client`, since other tables have a `client_id`.
macro_rules! client_columns {
    () => {
        "c.id as client, c.name as client_name, c.email as client_email, c.document, \
         c.is_active as client_is_active, c.payments_enabled, c.monthly_credit_limit, \
         c.created_at as client_created_at, c.updated_at as client_updated_at"
    };
}

pub(crate) use client_columns;

/// The clients of the owner `$1`.
macro_rules! selected {
    () => {
        concat!("select ", client_columns!(), " from clients c where owner_id = $1 ")
    };
}

statements! {
    FIND = Sql::new(concat!(selected!(), "and id = $2"));

    PAGE = Sql::new(concat!(selected!(), "order by id desc limit $2 offset $3"));

    COUNT = Sql::new("select count(*) as total from clients where owner_id = $1");

    // Documents tell two apart where each has one.
    NAMESAKE = Sql::new(
        "select id from clients where owner_id = $1 and plain_name = $2 and id <> $3 \
         and (document is null or document = $4 or $4 = '') order by id asc limit 1",
    );

    INSERT = Sql::new(
        "insert into clients (owner_id, id, name, email, document, is_active, payments_enabled, \
         monthly_credit_limit, created_at, updated_at, plain_name) \
         values ($1, $2, $3, $4, $5, true, $6, $7, $8, $8, $9)",
    )
    .writes_auth();

    CHANGE = Sql::new(
        "update clients set name = $3, email = $4, document = $5, is_active = $6, \
         payments_enabled = $7, updated_at = $8, plain_name = $9 where owner_id = $1 and id = $2",
    )
    .writes_auth();

    SET_LIMIT = Sql::new(
        "update clients set monthly_credit_limit = $2, updated_at = $3 \
         where owner_id = $1 and id = $4 returning id",
    )
    .writes_auth();
}

/// How many clients one owner may have.
pub const CLIENTS_MAX: i64 = 10_000;

/// A client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its id.
    pub id: ClientId,
    /// Its name.
    pub name: String,
    /// Where it is written to.
    pub email: Option<PersonalText>,
    /// Its document, a letter and a number.
    pub document: Option<PersonalText>,
    /// Whether its keys and sessions may use the service.
    pub is_active: bool,
    /// Whether its keys may verify payments and make payment links.
    pub payments_enabled: bool,
    /// The credits that all its keys together may use in a month; `None`: no limit.
    pub monthly_credit_limit: Option<i64>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A client that is about to be made.
#[derive(Clone, Debug)]
pub struct NewClient {
    /// Its id.
    pub id: ClientId,
    /// Its name.
    pub name: String,
    /// Where it is written to.
    pub email: Option<PersonalText>,
    /// Its document, a letter and a number.
    pub document: Option<PersonalText>,
    /// Whether its keys may verify payments and make payment links.
    pub payments_enabled: bool,
    /// The quota that its keys share.
    pub monthly_credit_limit: Option<Credits>,
}

impl NewClient {
    /// A client of whom nothing else is known.
    #[must_use]
    pub fn named(id: ClientId, name: &str, payments_enabled: bool) -> Self {
        Self {
            id,
            name: name.to_owned(),
            email: None,
            document: None,
            payments_enabled,
            monthly_credit_limit: None,
        }
    }

    /// The client as it is once it was made at `now`: active.
    #[must_use]
    pub fn made(&self, now: Timestamp) -> Client {
        Client {
            id: self.id,
            name: self.name.clone(),
            email: self.email.clone(),
            document: self.document.clone(),
            is_active: true,
            payments_enabled: self.payments_enabled,
            monthly_credit_limit: self.monthly_credit_limit.map(Credits::get),
            created_at: now,
            updated_at: now,
        }
    }
}

/// The client of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: ClientId) -> Result<Option<Client>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// Some of the owner's clients, the newest first.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (limit, offset): (i64, i64),
) -> Result<Vec<Client>, Fault> {
    let rows = tx.query(&PAGE, &[owner.into(), limit.into(), offset.into()])?;
    rows.iter().map(read).collect()
}

/// How many clients the owner has.
///
/// # Errors
/// A fault of the store.
pub fn count(tx: &mut Tx<'_>, owner: OwnerId) -> Result<i64, Fault> {
    tx.query_one(&COUNT, &[owner.into()])?.get("total")
}

/// Finds another client of the name that a client has or is to have, which the documents of the two do not tell apart.
///
/// # Errors
/// A fault of the store.
pub fn namesake(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: &Client,
) -> Result<Option<ClientId>, Fault> {
    let document = client.document.as_ref().map(PersonalText::as_str).unwrap_or_default();
    let params = [owner.into(), plain(&client.name).into(), client.id.into(), document.into()];
    tx.query_opt(&NAMESAKE, &params)?.map(|row| row.get("id")).transpose()
}

/// Writes a new client.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &NewClient,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        new.id.into(),
        new.name.as_str().into(),
        new.email.as_ref().map(PersonalText::as_str).into(),
        new.document.as_ref().map(PersonalText::as_str).into(),
        new.payments_enabled.into(),
        new.monthly_credit_limit.map(Credits::get).into(),
        now.into(),
        plain(&new.name).into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Writes a client's facts, its activity and whether it may verify payments, but not its quota.
///
/// # Errors
/// A fault of the store.
pub fn change(tx: &mut Tx<'_>, owner: OwnerId, client: &Client) -> Result<(), Fault> {
    let params = [
        owner.into(),
        client.id.into(),
        client.name.as_str().into(),
        client.email.as_ref().map(PersonalText::as_str).into(),
        client.document.as_ref().map(PersonalText::as_str).into(),
        client.is_active.into(),
        client.payments_enabled.into(),
        client.updated_at.into(),
        plain(&client.name).into(),
    ];
    tx.defer(&CHANGE, params, Expect::Rows(1))
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

/// Reads [`client_columns`].
pub(crate) fn read(row: &Row) -> Result<Client, Fault> {
    Ok(Client {
        id: row.get("client")?,
        name: row.get("client_name")?,
        email: row.get::<Option<String>>("client_email")?.map(PersonalText::new),
        document: row.get::<Option<String>>("document")?.map(PersonalText::new),
        is_active: row.get("client_is_active")?,
        payments_enabled: row.get("payments_enabled")?,
        monthly_credit_limit: row.get("monthly_credit_limit")?,
        created_at: row.get("client_created_at")?,
        updated_at: row.get("client_updated_at")?,
    })
}
