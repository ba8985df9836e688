//! The statement of an owner's credits: the lines of a month, each with what it was for and who was charged.

use domain::ids::{ActorId, ClientId, OwnerId, VerificationId};
use domain::money::Credits;
use domain::time::{CaracasMonth, Timestamp};

use crate::fault::Fault;
use crate::ledger::Charged;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    PAGE = Sql::new(
        "select c.amount, c.balance_after, c.movement_type, c.origin, c.created_at, \
         v.payment_id, v.link_id, n.subscription_id, v.bank_id, b.description, c.line, c.verification_id, \
         c.client_id, l.name, c.actor_id, coalesce(k.name, e.name) as actor_name from credit_movements c \
         left join verifications v on v.owner_id = $1 and v.id = c.verification_id \
         left join payment_links n on n.owner_id = $1 and n.id = v.link_id \
         left join user_banks b on b.owner_id = $1 and b.id = v.bank_id \
         left join clients l on l.owner_id = $1 and l.id = c.client_id \
         left join api_keys k on k.owner_id = $1 and k.id = c.actor_id \
         left join employees e on e.owner_id = $1 and e.id = c.actor_id \
         where c.owner_id = $1 and c.month = $2 and c.line < $3 order by c.line desc limit $4",
    );

    USE = Sql::new(
        "select cast(coalesce(sum(posted), 0) as bigint) as total_posted, \
         cast(coalesce(sum(operations), 0) as bigint) as total_operations from actor_months \
         where owner_id = $1 and month = $2",
    );
}

/// A line of the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number within the owner.
    pub line: i64,
    /// Negative when spent.
    pub amount: i64,
    /// The balance after it.
    pub balance_after: i64,
    /// debit, refund, purchase or adjustment.
    pub movement_type: String,
    /// verification, payment_link, subscription or admin.
    pub origin: String,
    /// When.
    pub created_at: Timestamp,
    /// What was paid for, where it is a charge.
    pub charged: Option<Charged>,
    /// The verification that was charged.
    pub verification: Option<VerificationId>,
    /// The client whose quota it counts against, and what that is called.
    pub client: Option<(ClientId, String)>,
    /// Who was charged.
    pub actor: Option<ActorId>,
    /// What the key is called, or the employee.
    pub actor_name: Option<String>,
}

/// Usage of an owner in a month.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Credits charged.
    pub posted: Credits,
    /// Charged operations.
    pub operations: i64,
}

/// Reads what all keys and sessions of an owner have used in a month.
///
/// # Errors
/// A fault of the store.
pub fn usage(tx: &mut Tx<'_>, owner: OwnerId, month: CaracasMonth) -> Result<Use, Fault> {
    let row = tx.query_one(&USE, &[owner.into(), month.as_i64().into()])?;
    let posted = Credits::new(row.get("total_posted")?);
    Ok(Use { posted, operations: row.get("total_operations")? })
}

/// The lines of a month before the line `before`, the newest first, `limit` at most.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    month: CaracasMonth,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Line>, Fault> {
    let before = before.unwrap_or(i64::MAX);
    let params = [owner.into(), month.as_i64().into(), before.into(), limit.into()];
    tx.query(&PAGE, &params)?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Line, Fault> {
    let (client, name): (Option<ClientId>, Option<String>) =
        (row.get("client_id")?, row.get("name")?);
    Ok(Line {
        line: row.get("line")?,
        amount: row.get("amount")?,
        balance_after: row.get("balance_after")?,
        movement_type: row.get("movement_type")?,
        origin: row.get("origin")?,
        created_at: row.get("created_at")?,
        charged: Charged::read(row)?,
        verification: row.get("verification_id")?,
        client: client.map(|client| (client, name.unwrap_or_default())),
        actor: row.get("actor_id")?,
        actor_name: row.get("actor_name")?,
    })
}
