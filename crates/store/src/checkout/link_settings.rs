//! What an owner has chosen for its payment links.

use domain::ids::OwnerId;
use domain::links::LinkSettings;
use domain::rates::RateRule;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    FIND = Sql::new(
        "select max_attempts, announce_expiry from payment_link_settings where owner_id = $1",
    );

    SET = Sql::new(
        "insert into payment_link_settings (owner_id, max_attempts, announce_expiry, rate_rule, updated_at) \
         values ($1, $2, $3, $5, $4) on conflict (owner_id) do update \
         set max_attempts = excluded.max_attempts, announce_expiry = excluded.announce_expiry, \
         updated_at = excluded.updated_at",
    );

    RATE_RULE = Sql::new("select rate_rule from payment_link_settings where owner_id = $1");

    SET_RATE_RULE = Sql::new(
        "insert into payment_link_settings (owner_id, max_attempts, announce_expiry, rate_rule, updated_at) \
         values ($1, $2, $3, $5, $4) on conflict (owner_id) do update \
         set rate_rule = excluded.rate_rule, updated_at = excluded.updated_at",
    );
}

/// Reads the settings that the owner has chosen; the defaults where it has chosen nothing.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<LinkSettings, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into()])?;
    row.map_or_else(|| Ok(LinkSettings::default()), |row| read(&row))
}

/// Keeps what the owner chooses.
///
/// # Errors
/// A fault of the store.
pub fn set(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    settings: LinkSettings,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&SET, params(owner, settings, RateRule::default(), now), Expect::Rows(1))
}

/// By which rule the owner wants rates to serve.
///
/// # Errors
/// A fault of the store.
pub fn rate_rule(tx: &mut Tx<'_>, owner: OwnerId) -> Result<RateRule, Fault> {
    let Some(row) = tx.query_opt(&RATE_RULE, &[owner.into()])? else {
        return Ok(RateRule::default());
    };
    let rule = RateRule::parse(&row.get::<String>("rate_rule")?);
    rule.ok_or_else(|| Fault::broken("a broken rule of rates"))
}

/// Keeps by which rule the owner wants rates to serve.
///
/// # Errors
/// A fault of the store.
pub fn set_rate_rule(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    rule: RateRule,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = params(owner, LinkSettings::default(), rule, now);
    tx.defer(&SET_RATE_RULE, params, Expect::Rows(1))
}

/// A whole row: what is not set by a statement is for an owner that has none.
fn params(owner: OwnerId, settings: LinkSettings, rule: RateRule, now: Timestamp) -> [Value; 5] {
    let max_attempts = settings.max_attempts.map(i64::from);
    let announces = settings.announce_expiry;
    [owner.into(), max_attempts.into(), announces.into(), now.into(), rule.as_str().into()]
}

fn read(row: &Row) -> Result<LinkSettings, Fault> {
    let max_attempts = row.get::<Option<i64>>("max_attempts")?.map(u32::try_from).transpose();
    Ok(LinkSettings {
        max_attempts: max_attempts.map_err(|_| Fault::broken("a broken number of attempts"))?,
        announce_expiry: row.get("announce_expiry")?,
    })
}
