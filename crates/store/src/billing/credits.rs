//! Credits: the counters that limits are decided by. They must agree with [`crate::ledger`], which
//! gets its line in the same transaction.
//!
//! A transaction that changes one of them holds the owner's row, as everything does that writes an owner's rows
//! (`db::lock_order`).

use domain::ids::{ActorId, ClientId, OwnerId, VerificationId};
use domain::money::Credits;
use domain::quota::Usage;
use domain::time::{CaracasMonth, Timestamp};
use domain::webhooks::Used;

use crate::fault::Fault;
use crate::ledger;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    BALANCE = Sql::new("select balance, reserved from owners where owner_id = $1");

    RELEASE_ACTOR = Sql::new(
        "update actor_months set reserved = reserved - $2, requests = requests + 1 \
         where owner_id = $1 and actor_id = $3 and month = $4 returning requests, credit_lines",
    );

    UNRESERVE_ACTOR = Sql::new(
        "update actor_months set reserved = reserved - $2 \
         where owner_id = $1 and actor_id = $3 and month = $4",
    );

    RELEASE_CLIENT = Sql::new(
        "update client_months set reserved = reserved - $2 \
         where owner_id = $1 and client_id = $3 and month = $4",
    );

    RELEASE_OWNER = Sql::new("update owners set reserved = reserved - $2 where owner_id = $1");

    POST_ACTOR = Sql::new(
        "update actor_months set posted = posted + $2, reserved = reserved - $2, \
         operations = operations + 1, requests = requests + 1, credit_lines = credit_lines + 1 \
         where owner_id = $1 and actor_id = $3 and month = $4 \
         returning requests, credit_lines, posted",
    );

    POST_CLIENT = Sql::new(
        "update client_months set posted = posted + $2, reserved = reserved - $2, \
         operations = operations + 1 \
         where owner_id = $1 and client_id = $3 and month = $4 returning posted",
    );

    // Limits are looked up only for owners that are notified when they are reached. Of two payments the instants are a
    // millisecond apart, which is what callers are shown of them; one that lies further ahead than clocks are apart is
    // of a clock that was wrong, and moves no other. A charge of a month that is over is counted by its actor alone.
    POST_OWNER = Sql::new(
        "update owners set balance = balance - $2, reserved = reserved - $2, \
         credit_lines = credit_lines + 1, last_payment_at = \
         case when last_payment_at + 999 >= $5 and last_payment_at - 4000000 <= $5 then last_payment_at + 1000 else $5 end, \
         charges = case when charged_month = $6 then charges + 1 when charged_month < $6 then 1 else charges end, \
         charged_month = case when charged_month < $6 then $6 else charged_month end \
         where owner_id = $1 \
         returning balance, credit_lines, reserved, low_balance_at, notice_below, \
         case when low_balance_at is not null then (select k.monthly_credit_limit \
         from api_keys k where k.owner_id = $1 and k.id = $3 and k.client_id is null) end as key_limit, \
         case when low_balance_at is not null then (select c.monthly_credit_limit \
         from clients c where c.owner_id = $1 and c.id = $4) end as client_limit, last_payment_at",
    );

    GRANT_OWNER = Sql::new(
        "update owners set balance = balance + $2, credit_lines = credit_lines + 1 \
         where owner_id = $1 \
         returning balance, credit_lines, reserved, low_balance_at, notice_below",
    );

    COUNT_ATTEMPT = Sql::new(
        "insert into actor_months (owner_id, actor_id, month, posted, reserved, operations, requests, \
         credit_lines) values ($1, $2, $3, 0, 0, 0, 1, 0) \
         on conflict (owner_id, actor_id, month) do update \
         set requests = actor_months.requests + 1 returning requests",
    );

    ACTOR_MONTH = Sql::new(
        "select posted, reserved, operations, requests, credit_lines from actor_months \
         where owner_id = $1 and actor_id = $2 and month = $3",
    );

    CLIENTS_MONTH = Sql::new(
        "select client_id, posted, reserved from client_months \
         where owner_id = $1 and client_id >= $2 and client_id <= $3 and month = $4 \
         order by client_id asc",
    );

    CLIENT_MONTH = Sql::new(
        "select posted, reserved, operations from client_months \
         where owner_id = $1 and client_id = $2 and month = $3",
    );

}

/// Counters that a charge moves: those of the actor, the client, the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// Who is charged.
    pub actor: ActorId,
    /// The client whose quota it counts against.
    pub client: Option<ClientId>,
    /// The month that it counts in.
    pub month: CaracasMonth,
}

/// Gives a reservation back to every counter, and counts the attempt; answers the ordinal of its
/// activity entry.
///
/// # Errors
/// A fault of the store.
pub fn void(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<i64, Fault> {
    let ordinal = release_actor(tx, owner, account, cost)?;
    release_client(tx, owner, account, cost)?;
    release_owner(tx, owner, cost)?;
    Ok(ordinal)
}

/// Gives a reservation back as if it had never been made.
///
/// # Errors
/// A fault of the store.
pub(crate) fn unreserve(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<(), Fault> {
    let params =
        [owner.into(), cost.get().into(), account.actor.into(), account.month.as_i64().into()];
    tx.defer(&UNRESERVE_ACTOR, params, Expect::Rows(1))?;
    release_client(tx, owner, account, cost)
}

/// The owner's balance.
///
/// # Errors
/// A fault of the store.
pub fn balance(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Credits, Fault> {
    Ok(Credits::new(tx.query_one(&BALANCE, &[owner.into()])?.get("balance")?))
}

/// Thing that a charge is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A payment that somebody asked about.
    Verification,
    /// A payment link that was paid.
    PaymentLink,
    /// A cycle of a subscription that was paid, by its link.
    Subscription,
}

impl Origin {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Verification => "verification",
            Self::PaymentLink => "payment_link",
            Self::Subscription => "subscription",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Verification => "payment verification",
            Self::PaymentLink => "payment link",
            Self::Subscription => "subscription",
        }
    }
}

/// Result of posting a charge.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    /// The ordinal of the attempt's activity entry, which the caller writes.
    pub request: i64,
    /// The owner's credits after the charge.
    pub standing: Standing,
    /// The line of the ledger, which is also the place of what was paid for in the list of payments.
    pub line: i64,
    /// The instant of its change, as the payment has it.
    pub updated_at: Timestamp,
    /// The limit of the key, where the charge reached it and the owner is notified of that.
    pub key: Option<Used>,
    /// The quota of the client, where the charge reached it and the owner is notified of that.
    pub client: Option<Used>,
}

impl Posted {
    /// Tells whether the owner is to be notified of anything that the charge made true.
    #[must_use]
    pub fn is_notable(&self) -> bool {
        self.standing.is_low() || self.key.is_some() || self.client.is_some()
    }
}

/// How an owner's credits stand after a change of its balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The balance.
    pub balance: Credits,
    /// What of it open verifications hold.
    pub reserved: Credits,
    /// The balance whose reaching is to be notified, if any is; below zero where none is left to fall to.
    pub low_balance_at: Option<Credits>,
    /// Falling below this gets the owner a notice.
    pub notice_below: Option<Credits>,
}

impl Standing {
    /// Returns the credits that no open verification holds.
    #[must_use]
    pub fn available(&self) -> Credits {
        self.balance.checked_sub(self.reserved).unwrap_or(Credits::ZERO)
    }

    /// Tells whether the balance has fallen to the level that is to be notified.
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.low_balance_at.is_some_and(|level| self.balance <= level)
    }

    /// By what a change of the balance returns.
    fn read(row: &Row) -> Result<Self, Fault> {
        Ok(Self {
            balance: Credits::new(row.get("balance")?),
            reserved: Credits::new(row.get("reserved")?),
            low_balance_at: row.get::<Option<i64>>("low_balance_at")?.map(Credits::new),
            notice_below: row.get::<Option<i64>>("notice_below")?.map(Credits::new),
        })
    }
}

/// Turns a reservation into a charge: the counters, the balance and the one line of the ledger, which says what
/// for. The attempt's activity entry is left to the caller.
///
/// # Errors
/// A fault of the store.
pub fn post(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
    (origin, verification): (Origin, VerificationId),
    now: Timestamp,
) -> Result<Posted, Fault> {
    let month = account.month.as_i64();
    let actor = [owner.into(), cost.get().into(), account.actor.into(), month.into()];
    let client: Option<[Value; 4]> =
        account.client.map(|id| [owner.into(), cost.get().into(), id.into(), month.into()]);
    let own = [
        owner.into(),
        cost.get().into(),
        account.actor.into(),
        account.client.into(),
        now.into(),
        month.into(),
    ];
    let mut statements: Vec<(&'static Sql, &[Value])> = vec![(&POST_ACTOR, &actor)];
    if let Some(client) = &client {
        statements.push((&POST_CLIENT, client));
    }
    statements.push((&POST_OWNER, &own));
    let mut answers = tx.query_all(&statements)?.into_iter();

    let actor = first(answers.next())?;
    let request = actor.get("requests")?;
    let client = client.map(|_| first(answers.next())).transpose()?;
    let own = first(answers.next())?;
    let standing = Standing::read(&own)?;
    let line = ledger::Line {
        line: own.get("credit_lines")?,
        amount: -cost.get(),
        balance_after: standing.balance.get(),
        movement_type: "debit",
        origin: origin.as_str(),
        description: origin.description(),
        verification: Some(verification),
        client: account.client,
        actor: Some(ledger::OfActor {
            actor: account.actor,
            ordinal: actor.get("credit_lines")?,
            request,
        }),
        month: account.month,
    };
    ledger::insert(tx, owner, &line, now)?;
    let reached = |limit: Option<i64>, posted: i64| {
        let (limit, posted) = (Credits::new(limit?), Credits::new(posted));
        let used = Used { limit, posted, month: account.month };
        used.is_reached_by(cost).then_some(used)
    };
    Ok(Posted {
        request,
        standing,
        line: line.line,
        updated_at: own.get("last_payment_at")?,
        key: reached(own.get("key_limit")?, actor.get("posted")?),
        client: match client {
            Some(client) => reached(own.get("client_limit")?, client.get("posted")?),
            None => None,
        },
    })
}

/// Adds credits to an owner, or takes some away; answers how they stand, or `None` where there is no
/// such owner or the balance is too small.
///
/// # Errors
/// A fault of the store; a balance that would fall below what is reserved is one.
pub fn grant(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    amount: Credits,
    now: Timestamp,
) -> Result<Option<Standing>, Fault> {
    let Some(row) = tx.query_opt(&GRANT_OWNER, &[owner.into(), amount.get().into()])? else {
        return Ok(None);
    };
    let standing = Standing::read(&row)?;
    let line = ledger::Line {
        line: row.get("credit_lines")?,
        amount: amount.get(),
        balance_after: standing.balance.get(),
        movement_type: if amount.get() > 0 { "purchase" } else { "adjustment" },
        origin: "admin",
        description: "granted on the command line",
        verification: None,
        client: None,
        actor: None,
        month: CaracasMonth::of(now),
    };
    ledger::insert(tx, owner, &line, now)?;
    Ok(Some(standing))
}

/// Counts an attempt that reserved nothing; answers the ordinal of its activity entry.
///
/// # Errors
/// A fault of the store.
pub fn count_attempt(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: ActorId,
    month: CaracasMonth,
) -> Result<i64, Fault> {
    let params = [owner.into(), actor.into(), month.as_i64().into()];
    tx.query_one(&COUNT_ATTEMPT, &params)?.get("requests")
}

/// Usage of an actor in a month.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActorMonth {
    /// Credits charged.
    pub posted: i64,
    /// Credits that open verifications hold.
    pub reserved: i64,
    /// Charged operations.
    pub operations: i64,
    /// Activity entries.
    pub requests: i64,
    /// Lines of the ledger.
    pub credit_lines: i64,
}

/// Reads what an actor has used in a month.
///
/// # Errors
/// A fault of the store.
pub fn actor_month(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: ActorId,
    month: CaracasMonth,
) -> Result<ActorMonth, Fault> {
    let row = tx.query_opt(&ACTOR_MONTH, &[owner.into(), actor.into(), month.as_i64().into()])?;
    row.map_or_else(
        || Ok(ActorMonth::default()),
        |row| {
            Ok(ActorMonth {
                posted: row.get("posted")?,
                reserved: row.get("reserved")?,
                operations: row.get("operations")?,
                requests: row.get("requests")?,
                credit_lines: row.get("credit_lines")?,
            })
        },
    )
}

/// Usage of a client in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientMonth {
    /// Credits.
    pub usage: Usage,
    /// Charged operations.
    pub operations: i64,
}

/// Reads what the clients from `first` to `last` have used in a month, in the order of their ids; those that have used
/// nothing are left out.
///
/// # Errors
/// A fault of the store.
pub fn clients_month(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (first, last): (ClientId, ClientId),
    month: CaracasMonth,
) -> Result<Vec<(ClientId, Usage)>, Fault> {
    let params = [owner.into(), first.into(), last.into(), month.as_i64().into()];
    let usage = |row: &Row| {
        let posted = Credits::new(row.get("posted")?);
        let reserved = Credits::new(row.get("reserved")?);
        Ok((row.get("client_id")?, Usage { posted, reserved }))
    };
    tx.query(&CLIENTS_MONTH, &params)?.iter().map(usage).collect()
}

/// Reads what a client has used in a month.
///
/// # Errors
/// A fault of the store.
pub fn client_month(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: ClientId,
    month: CaracasMonth,
) -> Result<ClientMonth, Fault> {
    let row = tx.query_opt(&CLIENT_MONTH, &[owner.into(), client.into(), month.as_i64().into()])?;
    row.map_or_else(
        || {
            let usage = Usage { posted: Credits::ZERO, reserved: Credits::ZERO };
            Ok(ClientMonth { usage, operations: 0 })
        },
        |row| {
            let posted = Credits::new(row.get("posted")?);
            let reserved = Credits::new(row.get("reserved")?);
            let usage = Usage { posted, reserved };
            Ok(ClientMonth { usage, operations: row.get("operations")? })
        },
    )
}

pub(crate) fn release_actor(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<i64, Fault> {
    let params =
        [owner.into(), cost.get().into(), account.actor.into(), account.month.as_i64().into()];
    tx.query_one(&RELEASE_ACTOR, &params)?.get("requests")
}

pub(crate) fn release_client(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<(), Fault> {
    let Some(client) = account.client else { return Ok(()) };
    let params = [owner.into(), cost.get().into(), client.into(), account.month.as_i64().into()];
    tx.defer(&RELEASE_CLIENT, params, Expect::Rows(1))
}

pub(crate) fn release_owner(tx: &mut Tx<'_>, owner: OwnerId, cost: Credits) -> Result<(), Fault> {
    tx.defer(&RELEASE_OWNER, [owner.into(), cost.get().into()], Expect::Rows(1))
}

/// The one row of a counter statement.
pub(crate) fn first(answer: Option<Vec<Row>>) -> Result<Row, Fault> {
    answer
        .and_then(|mut rows| rows.pop())
        .ok_or_else(|| Fault::broken("a counter that a reservation wrote is missing"))
}
