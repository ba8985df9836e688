//! The beginning of a verification: its row and everything that it reserves, written in one wait.
//!
//! What is reserved is written before anybody has decided whether there is room, and taken back
//! where there is none: so that one decision sees all limits at once, under the locks of all.

use domain::ids::{ClientId, OwnerId};
use domain::money::Credits;
use domain::quota::{Limit, PlanStanding, Requests, Usage};
use domain::time::Timestamp;

use super::{NewVerification, Standing};
use crate::admission::AdmissionState;
use crate::credits::{self, Account, first};
use crate::fault::{Fault, FaultKind};
use crate::point_query::PointQuery;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{StatementResult, Tx};
use crate::value::{Row, Value};

statements! {
    // The counters as they stand with the reservation, and the limits. Charges are counted, with those that are open,
    // where the owner's plan limits them; in a month that is over, by the owner's actors. A key that is bound to a
    // client has no limit of its own in force.
    COUNTERS_AND_LIMITS = Sql::new(
        "select o.balance, o.reserved, k.posted as actor_month_posted, k.reserved as actor_month_reserved, \
         (select a.monthly_credit_limit from api_keys a \
         where a.owner_id = $1 and a.id = $2 and a.client_id is null) as key_limit, \
         c.posted as client_month_posted, c.reserved as client_month_reserved, \
         (select l.monthly_credit_limit from clients l where l.owner_id = $1 and l.id = $4) as client_limit, \
         coalesce(n.is_active, true) as plan_is_active, p.request_limit, \
         case when p.request_limit is not null then \
         (select count(*) from verifications v where v.owner_id = $1 and v.state = 0 and v.month = $3) + \
         case when o.charged_month = $3 then o.charges when o.charged_month < $3 then 0 \
         else (select cast(coalesce(sum(m.operations), 0) as bigint) from actor_months m \
         where m.owner_id = $1 and m.month = $3) end end as charges \
         from owners o join actor_months k on k.owner_id = $1 and k.actor_id = $2 and k.month = $3 \
         left join client_months c on c.owner_id = $1 and c.client_id = $4 and c.month = $3 \
         left join owner_plans n on n.owner_id = $1 left join plans p on p.id = n.plan_id \
         where o.owner_id = $1",
    );

    RESERVE_ACTOR = Sql::new(
        "insert into actor_months (owner_id, actor_id, month, posted, reserved, operations, requests, \
         credit_lines) values ($1, $2, $3, 0, $4, 0, 0, 0) \
         on conflict (owner_id, actor_id, month) do update \
         set reserved = actor_months.reserved + excluded.reserved",
    );

    RESERVE_CLIENT = Sql::new(
        "insert into client_months (owner_id, client_id, month, posted, reserved, operations) \
         values ($1, $2, $3, 0, $4, 0) \
         on conflict (owner_id, client_id, month) do update \
         set reserved = client_months.reserved + excluded.reserved",
    );

    RESERVE_OWNER = Sql::new(
        "update owners set reserved = reserved + $2 \
         where owner_id = $1 and reserved + $2 <= balance",
    );
}

/// Columns of [`COUNTERS_AND_LIMITS`] about the actor: posted, reserved and the limit of its key.
const OF_ACTOR: [&str; 3] = ["actor_month_posted", "actor_month_reserved", "key_limit"];

/// Columns of [`COUNTERS_AND_LIMITS`] about the client: posted, reserved and its limit.
const OF_CLIENT: [&str; 3] = ["client_month_posted", "client_month_reserved", "client_limit"];

/// An id that no client has, for a call that none is charged for: `$4` stands in the condition of an outer join.
const NOBODY: ClientId = ClientId::from_bytes([0; 16]);

/// How often a reservation is tried while others with the same fingerprint come and go.
const TRIES_MAX: usize = 3;

/// The outcome of a reservation.
#[derive(Clone, Copy, Debug)]
pub enum ReserveOutcome {
    /// It is written now, and this is what there was before.
    Reserved(Before),
    /// It was written before, by the same call whose answer was lost.
    Replayed,
    /// Another one with this fingerprint is open.
    DuplicateOpen(domain::ids::VerificationId),
}

/// Limits, and what the counters were before a reservation that has been written tentatively.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    /// Of the actor: of the key, or of the person.
    pub actor: Limit,
    /// Of the client, where one is charged.
    pub client: Option<Limit>,
    /// What the owner's plan says.
    pub plan: PlanStanding,
    /// The owner's balance.
    pub balance: Credits,
    /// What the owner's open verifications held.
    pub reserved: Credits,
    /// Whether the owner's own row has taken the reservation; it cannot where it would overdraw.
    owner_took_it: bool,
}

/// Writes a verification, unless one with its fingerprint is open, and adds its cost to every
/// counter; [`release_refused`] undoes the latter. Until the transaction ends, nobody else sees either. `beside` reads
/// with the same wait what let the call in, when all that is counted is locked.
///
/// # Errors
/// A fault of the store.
pub fn reserve(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &NewVerification,
    beside: Option<&PointQuery<Option<AdmissionState>>>,
    now: Timestamp,
) -> Result<(ReserveOutcome, Option<AdmissionState>), Fault> {
    let account = new.account();
    let (open, row) = super::opening(owner, new, now);
    let month = account.month.as_i64();
    let actor = [owner.into(), account.actor.into(), month.into(), new.cost.get().into()];
    let client: Option<[Value; 4]> =
        account.client.map(|id| [owner.into(), id.into(), month.into(), new.cost.get().into()]);
    let own = [owner.into(), new.cost.get().into()];
    let of_all =
        [owner.into(), account.actor.into(), month.into(), account.client.unwrap_or(NOBODY).into()];
    let mut statements: Vec<(&'static Sql, &[Value])> =
        vec![(open, &row), (&RESERVE_ACTOR, &actor)];
    if let Some(client) = &client {
        statements.push((&RESERVE_CLIENT, client));
    }
    statements.push((&RESERVE_OWNER, &own));
    // Last: it reads what the others wrote, and under the owner's lock a limit that was lowered meanwhile holds.
    statements.push((&COUNTERS_AND_LIMITS, &of_all));
    let own_statements = statements.len();
    statements.extend(beside.map(|query| query.statement().as_pair()));

    for _ in 0..TRIES_MAX {
        let mut results = tx.pipeline(&statements)?;
        let read = beside.zip(results.split_off(own_statements).pop());
        let seen = read.map(|(query, result)| query.parse(&result.rows)).transpose()?.flatten();
        let counters = results.pop().map(|result| result.rows);
        let owner_took_it = has_written(results.last());
        let is_open = has_written(results.first());
        if is_open {
            let counters = first(counters)?;
            return Ok((ReserveOutcome::Reserved(before(&counters, new, owner_took_it)?), seen));
        }
        credits::unreserve(tx, owner, account, new.cost)?;
        if owner_took_it {
            credits::release_owner(tx, owner, new.cost)?;
        }
        match super::standing(tx, owner, new)? {
            Standing::Own => return Ok((ReserveOutcome::Replayed, seen)),
            Standing::Other(other) => return Ok((ReserveOutcome::DuplicateOpen(other), seen)),
            // The one that stood in the way ended between the two statements.
            Standing::Nothing => {}
        }
    }
    Err(Fault::new(
        FaultKind::Conflict,
        "could not reserve: concurrent verifications with the same fingerprint (3 tries)",
    ))
}

/// Tells whether a statement has written its row.
fn has_written(result: Option<&StatementResult>) -> bool {
    result.is_some_and(|result| result.rows_affected > 0)
}

/// Computes what there was before the reservation, from the counters as they stand with it.
fn before(counters: &Row, new: &NewVerification, owner_took_it: bool) -> Result<Before, Fault> {
    let actor = limit_before(counters, OF_ACTOR, new.cost)?;
    let client = new.client.map(|_| limit_before(counters, OF_CLIENT, new.cost)).transpose()?;
    // The transaction holds the owner's row: nobody grants credits between the statements.
    let held = if owner_took_it { new.cost.get() } else { 0 };
    // This verification is open, too.
    let limit: Option<i64> = counters.get("request_limit")?;
    let requests = match (limit, counters.get::<Option<i64>>("charges")?) {
        (Some(limit), Some(counted)) => Some(Requests { limit, used: counted - 1 }),
        _ => None,
    };
    Ok(Before {
        actor,
        client,
        plan: PlanStanding { is_active: counters.get("plan_is_active")?, requests },
        balance: Credits::new(counters.get("balance")?),
        reserved: Credits::new(counters.get::<i64>("reserved")? - held),
        owner_took_it,
    })
}

/// Undoes a [`reserve`] of this transaction, as if nobody had asked.
///
/// # Errors
/// A fault of the store.
pub fn undo_reservation(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &NewVerification,
    before: &Before,
) -> Result<(), Fault> {
    super::discard(tx, owner, new.id)?;
    credits::unreserve(tx, owner, new.account(), new.cost)?;
    if before.owner_took_it {
        credits::release_owner(tx, owner, new.cost)?;
    }
    Ok(())
}

/// Undoes the reservation of a [`reserve`] of this transaction that is refused, and counts the attempt; answers the
/// ordinal of its activity entry.
///
/// # Errors
/// A fault of the store.
pub fn release_refused(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
    before: &Before,
) -> Result<i64, Fault> {
    let ordinal = credits::release_actor(tx, owner, account, cost)?;
    credits::release_client(tx, owner, account, cost)?;
    if before.owner_took_it {
        credits::release_owner(tx, owner, cost)?;
    }
    Ok(ordinal)
}

/// A limit, and how much of it was used before, by the columns of what is posted, of what is reserved and of the limit.
fn limit_before(
    counters: &Row,
    [posted, reserved, limit]: [&str; 3],
    cost: Credits,
) -> Result<Limit, Fault> {
    let reserved = counters.get::<i64>(reserved)? - cost.get();
    let posted = Credits::new(counters.get(posted)?);
    let usage = Usage { posted, reserved: Credits::new(reserved) };
    Ok(Limit { cap: counters.get::<Option<i64>>(limit)?.map(Credits::new), usage })
}
