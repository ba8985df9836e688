//! Questions that limits, balance or plan refused before any bank was asked. They left no verification behind; those of
//! a link count as its attempts.

use domain::ids::{ActorId, BankId, ClientId, LinkId, OwnerId, VerificationId};
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// What is read of each.
macro_rules! read {
    () => {
        "select id, actor_id, caller_client_id, client_id, bank_id, link_id, query, error_code, \
         refused_at from refused_attempts where owner_id = $1 "
    };
}

statements! {
    INSERT = Sql::new(
        "insert into refused_attempts (owner_id, id, actor_id, caller_client_id, client_id, bank_id, \
         link_id, query, error_code, refused_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
         on conflict do nothing returning id",
    );

    FIND = Sql::new(concat!(read!(), "and id = $2"));

    LOOK = Sql::new(concat!(read!(), "and id < $2 order by id desc limit $3"));

    LOOK_OF_LINK =
        Sql::new(concat!(read!(), "and id < $2 and link_id = $3 order by id desc limit $4"));

    OLD_OWNERS = Sql::across_owners(
        "select owner_id, refused_at from refused_attempts where refused_at <= $1 \
         order by refused_at asc limit $2",
        "the janitor looks for owners with refusals that nobody asks about any more",
    );

    DELETE_OLD = Sql::new(
        "delete from refused_attempts where owner_id = $1 and id in \
         (select r.id from refused_attempts r \
         where r.owner_id = $1 and r.refused_at <= $2 limit $3)",
    );
}

/// A question that was refused.
#[derive(Clone, Debug)]
pub struct RefusedAttempt {
    /// The id that the verification would have had.
    pub id: VerificationId,
    /// Who asked, or made the link.
    pub actor: ActorId,
    /// The client that the actor is bound to.
    pub caller_client: Option<ClientId>,
    /// The client whose quota it would have counted against.
    pub client: Option<ClientId>,
    /// The account that was asked about.
    pub bank: BankId,
    /// The link that a payer was checked for.
    pub link: Option<LinkId>,
    /// What was asked, as JSON.
    pub query: PersonalText,
    /// The code of its refusal.
    pub error_code: String,
    /// When it was refused.
    pub refused_at: Timestamp,
}

/// Notes that a question was refused; answers whether that was not noted before, by the same write whose answer
/// was lost. The caller holds the link, if it is for one.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, refused: &RefusedAttempt) -> Result<bool, Fault> {
    let params = [
        owner.into(),
        refused.id.into(),
        refused.actor.into(),
        refused.caller_client.into(),
        refused.client.into(),
        refused.bank.into(),
        refused.link.into(),
        refused.query.as_str().into(),
        refused.error_code.as_str().into(),
        refused.refused_at.into(),
    ];
    Ok(!tx.query(&INSERT, &params)?.is_empty())
}

/// The one of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
) -> Result<Option<RefusedAttempt>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// The newest `limit` before that id, those alone that are checks of a link where one is named.
///
/// # Errors
/// A fault of the store.
pub fn look(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    before: VerificationId,
    link: Option<LinkId>,
    limit: i64,
) -> Result<Vec<RefusedAttempt>, Fault> {
    let mut params: Vec<Value> = vec![owner.into(), before.into()];
    params.extend(link.map(Value::from));
    params.push(limit.into());
    let sql = if link.is_some() { &LOOK_OF_LINK } else { &LOOK };
    tx.query(sql, &params)?.iter().map(read).collect()
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
) -> Result<u64, Fault> {
    tx.execute(&DELETE_OLD, &[owner.into(), until.into(), limit.into()])
}

fn read(row: &Row) -> Result<RefusedAttempt, Fault> {
    let query: String = row.get("query")?;
    Ok(RefusedAttempt {
        id: row.get("id")?,
        actor: row.get("actor_id")?,
        caller_client: row.get("caller_client_id")?,
        client: row.get("client_id")?,
        bank: row.get("bank_id")?,
        link: row.get("link_id")?,
        query: PersonalText::new(query),
        error_code: row.get("error_code")?,
        refused_at: row.get("refused_at")?,
    })
}
