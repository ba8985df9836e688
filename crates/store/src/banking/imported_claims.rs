//! Claims that another system accepted, read in by the operator. Which movement one of them means is said where movements
//! are read.

use domain::ids::{IdentityId, OwnerId};
use domain::imported_claims::ImportedClaim;
use domain::money::Bolivars;
use domain::reference::SHORT_DIGITS_MIN;
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::movements::reversed_suffix;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;

statements! {
    // Held until the transaction ends, so that a verification sees all of it or none.
    MARK = Sql::new(
        "update bank_identities set has_imported_claims = true where owner_id = $1 and id = $2",
    );

    INSERT = Sql::new(
        "insert into imported_claims (owner_id, identity_id, ending, digits, amount, paid_on, \
         imported_on, imported_at) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing",
    );

    DELETE = Sql::new(
        "delete from imported_claims where owner_id = $1 and identity_id = $2 and ending = $3 \
         and digits = $4 and amount = $5 and paid_on = $6",
    );

    FIND = Sql::new(
        "select imported_at from imported_claims where owner_id = $1 and identity_id = $2 \
         and ending = $3 and digits = $4 and amount = $5 and paid_on = $6",
    );

    NAMED = Sql::new(
        "select amount from imported_claims where owner_id = $1 and identity_id = $2 \
         and ending = $3 and digits = $4 limit $5",
    );
}

/// How many statements are sent before their results are waited for.
const AT_ONCE: usize = 200;

/// How many claims of one reference are looked at.
const NAMED_MAX: i64 = 100;

/// Keeps the claims of an account, which is held; answers how many of them were not kept before.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    claims: &[ImportedClaim],
    now: Timestamp,
) -> Result<u64, Fault> {
    tx.execute(&MARK, &[owner.into(), identity.into()])?;
    let with_time = |claim: &ImportedClaim| {
        let mut values = key(owner, identity, claim);
        values.extend([CaracasDate::of(now).days().into(), now.into()]);
        values
    };
    run_each(tx, &INSERT, claims, with_time)
}

/// Forgets claims of an account; answers how many of them were kept.
///
/// # Errors
/// A fault of the store.
pub fn delete(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    claims: &[ImportedClaim],
) -> Result<u64, Fault> {
    run_each(tx, &DELETE, claims, |claim| key(owner, identity, claim))
}

/// Counts those of the claims that are kept.
///
/// # Errors
/// A fault of the store.
pub fn count_kept(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    claims: &[ImportedClaim],
) -> Result<u64, Fault> {
    run_each(tx, &FIND, claims, |claim| key(owner, identity, claim))
}

/// Tells whether the whole reference is that of a claim, of this amount where both are known.
///
/// # Errors
/// A fault of the store.
pub fn is_named(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    digits: &str,
    amount: Option<Bolivars>,
) -> Result<bool, Fault> {
    let params =
        [owner.into(), identity.into(), ending(digits).into(), digits.into(), NAMED_MAX.into()];
    for row in tx.query(&NAMED, &params)? {
        let kept: i64 = row.get("amount")?;
        if kept == 0 || amount.is_none_or(|amount| amount.hundredths() == kept) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Runs the statement for each claim; answers how many rows it wrote or read.
fn run_each(
    tx: &mut Tx<'_>,
    sql: &'static Sql,
    claims: &[ImportedClaim],
    params: impl Fn(&ImportedClaim) -> Vec<Value>,
) -> Result<u64, Fault> {
    let mut rows = 0;
    for some in claims.chunks(AT_ONCE) {
        let params: Vec<Vec<Value>> = some.iter().map(&params).collect();
        let statements: Vec<(&'static Sql, &[Value])> =
            params.iter().map(|params| (sql, params.as_slice())).collect();
        rows += tx.pipeline(&statements)?.iter().map(|result| result.rows_affected).sum::<u64>();
    }
    Ok(rows)
}

/// The values of the row's key.
fn key(owner: OwnerId, identity: IdentityId, claim: &ImportedClaim) -> Vec<Value> {
    vec![
        owner.into(),
        identity.into(),
        ending(claim.digits()).into(),
        claim.digits().into(),
        claim.amount().map_or(0, Bolivars::hundredths).into(),
        claim.paid_on().map_or(0, CaracasDate::days).into(),
    ]
}

/// The last digits, the last one first.
fn ending(digits: &str) -> String {
    reversed_suffix(digits).chars().take(SHORT_DIGITS_MIN).collect()
}
