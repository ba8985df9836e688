//! Plans, which are the operator's, and which of them each owner has.

use domain::ids::{OwnerId, PlanId};
use domain::plans::{Benefit, Period, Plan, PlanType};
use domain::text::Text;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

/// What [`read`] reads of the plan `p`.
macro_rules! columns {
    () => {
        "p.id, p.name, p.description, p.plan_type, p.period, p.price, p.request_limit, \
         p.bank_account_limit, p.initial_credits, p.max_accumulated_credits, p.benefits, \
         p.is_salient, p.is_hidden"
    };
}

statements! {
    INSERT = Sql::shared(
        "insert into plans (id, name, description, plan_type, period, price, request_limit, \
         bank_account_limit, initial_credits, max_accumulated_credits, benefits, is_salient, \
         is_hidden, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    );

    LIST = Sql::shared(concat!(
        "select ", columns!(), " from plans p order by p.id asc limit $1"
    ));

    FIND = Sql::shared(concat!("select ", columns!(), " from plans p where p.id = $1"));

    OF_OWNER = Sql::new(concat!(
        "select ", columns!(), ", o.is_active from owner_plans o \
         join plans p on p.id = o.plan_id where o.owner_id = $1"
    ));

    SET = Sql::new(
        "insert into owner_plans (owner_id, plan_id, is_active, since, updated_at) \
         values ($1, $2, true, $3, $3) on conflict (owner_id) do update \
         set plan_id = excluded.plan_id, is_active = true, since = excluded.since, \
         updated_at = excluded.updated_at",
    );

    REMOVE = Sql::new("delete from owner_plans where owner_id = $1");

    SET_ACTIVE = Sql::new(
        "update owner_plans set is_active = $2, updated_at = $3 where owner_id = $1 \
         returning plan_id",
    );
}

/// Writes a new plan.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, plan: &Plan, now: Timestamp) -> Result<(), Fault> {
    let benefits: Vec<_> = plan.benefits.iter().map(Text::as_str).collect();
    let params = [
        plan.id.into(),
        plan.name.as_str().into(),
        plan.description.as_str().into(),
        plan.kind.as_str().into(),
        plan.period.as_str().into(),
        plan.price.into(),
        plan.request_limit.into(),
        plan.bank_account_limit.into(),
        plan.initial_credits.into(),
        plan.max_accumulated_credits.into(),
        benefits.join("\n").into(),
        plan.is_salient.into(),
        plan.is_hidden.into(),
        now.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Every plan, the oldest first, `limit` at most.
///
/// # Errors
/// A fault of the store.
pub fn list(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<Plan>, Fault> {
    tx.query(&LIST, &[limit.into()])?.iter().map(read).collect()
}

/// The plan of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, id: PlanId) -> Result<Option<Plan>, Fault> {
    tx.query_opt(&FIND, &[id.into()])?.as_ref().map(read).transpose()
}

/// The plan of an owner, and whether it is active; nothing where it has none.
///
/// # Errors
/// A fault of the store.
pub fn of_owner(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<(Plan, bool)>, Fault> {
    let row = tx.query_opt(&OF_OWNER, &[owner.into()])?;
    row.map(|row| Ok((read(&row)?, row.get("is_active")?))).transpose()
}

/// Gives an owner a plan, which is active.
///
/// # Errors
/// A fault of the store.
pub fn set(tx: &mut Tx<'_>, owner: OwnerId, plan: PlanId, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&SET, [owner.into(), plan.into(), now.into()], Expect::Rows(1))
}

/// Takes an owner's plan away, if it has one.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&REMOVE, [owner.into()], Expect::Any)
}

/// Sets whether an owner's plan is active; answers whether it has one.
///
/// # Errors
/// A fault of the store.
pub fn set_active(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    is_active: bool,
    now: Timestamp,
) -> Result<bool, Fault> {
    Ok(tx.query_opt(&SET_ACTIVE, &[owner.into(), is_active.into(), now.into()])?.is_some())
}

fn read(row: &Row) -> Result<Plan, Fault> {
    let broken = |what: &str| Fault::broken(format!("a plan with a broken {what}"));
    let benefits: String = row.get("benefits")?;
    let benefits = benefits.lines().map(Benefit::parse).collect::<Result<_, _>>();
    Ok(Plan {
        id: row.get("id")?,
        name: Text::parse(&row.get::<String>("name")?).map_err(|_| broken("name"))?,
        description: Text::parse(&row.get::<String>("description")?)
            .map_err(|_| broken("description"))?,
        kind: PlanType::parse(&row.get::<String>("plan_type")?).ok_or_else(|| broken("type"))?,
        period: Period::parse(&row.get::<String>("period")?).ok_or_else(|| broken("period"))?,
        price: row.get("price")?,
        request_limit: row.get("request_limit")?,
        bank_account_limit: row.get("bank_account_limit")?,
        initial_credits: row.get("initial_credits")?,
        max_accumulated_credits: row.get("max_accumulated_credits")?,
        benefits: benefits.map_err(|_| broken("benefit"))?,
        is_salient: row.get("is_salient")?,
        is_hidden: row.get("is_hidden")?,
    })
}
