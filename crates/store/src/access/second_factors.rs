//! Second factors of people: the secret of an authenticator, which of its codes were taken, and recovery codes.

use std::fmt;

use domain::ids::{ActorId, OwnerId};
use domain::second_factor::{ClockSkew, RecoveryCode, RecoveryHash, WrongCodes};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::new(
        "select secret, begun_at, confirmed_at, last_step, clock_skew, wrong_codes, wrong_at from second_factors \
         where owner_id = $1 and person_id = $2",
    );

    INSERT = Sql::new(
        "insert into second_factors (owner_id, person_id, secret, begun_at, confirmed_at, last_step, clock_skew, wrong_codes, \
         wrong_at) values ($1, $2, $3, $4, null, 0, 0, 0, $4)",
    )
    .writes_auth();

    CONFIRM = Sql::new(
        "update second_factors set confirmed_at = $3 where owner_id = $1 and person_id = $2 and confirmed_at is null",
    )
    .writes_auth();

    // The condition accepts a code once, even if others show it at the same time. A right code clears the wrong ones.
    TAKE_STEP = Sql::new(
        "update second_factors set last_step = $3, clock_skew = $5, wrong_codes = 0 where owner_id = $1 and person_id = $2 and secret = $4 and last_step < $3",
    )
    .writes_auth();

    COUNT_WRONG = Sql::new(
        "update second_factors set wrong_codes = wrong_codes + 1, wrong_at = $3 where owner_id = $1 and person_id = $2",
    )
    .writes_auth();

    FORGIVE = Sql::new(
        "update second_factors set wrong_codes = 0 where owner_id = $1 and person_id = $2 and wrong_codes > 0",
    )
    .writes_auth();

    DELETE = Sql::new("delete from second_factors where owner_id = $1 and person_id = $2").writes_auth();

    SEALED = Sql::new("select person_id, secret from second_factors where owner_id = $1 order by person_id asc");

    RESEAL = Sql::new("update second_factors set secret = $3 where owner_id = $1 and person_id = $2 and secret = $4")
        .writes_auth();

    INSERT_CODE = Sql::new("insert into recovery_codes (owner_id, person_id, hash) values ($1, $2, $3)");

    USE_CODE = Sql::new("delete from recovery_codes where owner_id = $1 and person_id = $2 and hash = $3");

    STATE = Sql::new(
        "select f.confirmed_at, (select count(*) from recovery_codes r \
         where r.owner_id = $1 and r.person_id = $2) as codes_left from second_factors f \
         where f.owner_id = $1 and f.person_id = $2 and f.confirmed_at is not null",
    );

    DELETE_CODES = Sql::new("delete from recovery_codes where owner_id = $1 and person_id = $2");
}

/// Holder of a second factor: a person of that owner, or the owner.
pub type Whose = (OwnerId, ActorId);

/// A second factor.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret, sealed.
    pub secret: Vec<u8>,
    /// When it was begun.
    pub begun_at: Timestamp,
    /// Since when sign-ins ask for a code.
    pub confirmed_at: Option<Timestamp>,
    /// The step whose code was taken last.
    pub last_step: i64,
    /// Distance of the clock that shows its codes.
    pub skew: ClockSkew,
    /// What was wrong since the last right one.
    pub wrong: WrongCodes,
}

impl fmt::Debug for SecondFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecondFactor")
            .field("confirmed_at", &self.confirmed_at)
            .finish_non_exhaustive()
    }
}

/// The second factor of a person, one that was only begun among them.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, (owner, person): Whose) -> Result<Option<SecondFactor>, Fault> {
    let read = |row: Row| {
        Ok(SecondFactor {
            secret: row.get("secret")?,
            begun_at: row.get("begun_at")?,
            confirmed_at: row.get("confirmed_at")?,
            last_step: row.get("last_step")?,
            skew: ClockSkew::from_steps(row.get("clock_skew")?),
            wrong: WrongCodes { count: row.get("wrong_codes")?, last_at: row.get("wrong_at")? },
        })
    };
    tx.query_opt(&FIND, &[owner.into(), person.into()])?.map(read).transpose()
}

/// How many recovery codes a person has left, if sign-ins ask it for a code.
///
/// # Errors
/// A fault of the store.
pub fn codes_left(tx: &mut Tx<'_>, (owner, person): Whose) -> Result<Option<i64>, Fault> {
    let row = tx.query_opt(&STATE, &[owner.into(), person.into()])?;
    row.map(|row| row.get("codes_left")).transpose()
}

/// Begins a second factor. The person has none.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    (owner, person): Whose,
    secret: &[u8],
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&INSERT, [owner.into(), person.into(), secret.into(), now.into()], Expect::Rows(1))
}

/// From now on sign-ins ask for a code.
///
/// # Errors
/// A fault of the store.
pub fn confirm(tx: &mut Tx<'_>, (owner, person): Whose, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&CONFIRM, [owner.into(), person.into(), now.into()], Expect::Rows(1))
}

/// Accepts the code of that step, once, from a clock that is off by so much: answers whether it was still valid for that
/// secret. It clears the wrong ones.
///
/// # Errors
/// A fault of the store.
pub fn take_step(
    tx: &mut Tx<'_>,
    (owner, person): Whose,
    secret: &[u8],
    (step, skew): (i64, ClockSkew),
) -> Result<bool, Fault> {
    let params = [owner.into(), person.into(), step.into(), secret.into(), skew.steps().into()];
    Ok(tx.execute(&TAKE_STEP, &params)? > 0)
}

/// Accepts a recovery code, once: answers whether it was still valid. It clears the wrong codes of the authenticator.
///
/// # Errors
/// A fault of the store.
pub fn use_code(
    tx: &mut Tx<'_>,
    (owner, person): Whose,
    hash: RecoveryHash,
) -> Result<bool, Fault> {
    let params = [owner.into(), person.into(), (&hash.to_bytes()).into()];
    let is_taken = tx.execute(&USE_CODE, &params)? > 0;
    if is_taken {
        tx.defer(&FORGIVE, [owner.into(), person.into()], Expect::Any)?;
    }
    Ok(is_taken)
}

/// Counts a wrong code.
///
/// # Errors
/// A fault of the store.
pub fn count_wrong(tx: &mut Tx<'_>, (owner, person): Whose, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&COUNT_WRONG, [owner.into(), person.into(), now.into()], Expect::Rows(1))
}

/// Puts these recovery codes into the place of those that there were.
///
/// # Errors
/// A fault of the store.
pub fn replace_codes(
    tx: &mut Tx<'_>,
    (owner, person): Whose,
    codes: &[RecoveryCode],
) -> Result<(), Fault> {
    tx.defer(&DELETE_CODES, [owner.into(), person.into()], Expect::Any)?;
    for code in codes {
        let params = [owner.into(), person.into(), (&code.hash().to_bytes()).into()];
        tx.defer(&INSERT_CODE, params, Expect::Rows(1))?;
    }
    Ok(())
}

/// Ends a person's second factor, if there is one, with its recovery codes.
///
/// # Errors
/// A fault of the store.
pub fn delete(tx: &mut Tx<'_>, (owner, person): Whose) -> Result<(), Fault> {
    tx.defer(&DELETE_CODES, [owner.into(), person.into()], Expect::Any)?;
    tx.defer(&DELETE, [owner.into(), person.into()], Expect::Any)
}

/// The sealed secrets of an owner's people, each with whose it is.
///
/// # Errors
/// A fault of the store.
pub fn sealed(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Vec<(ActorId, Vec<u8>)>, Fault> {
    let read = |row: &Row| Ok((row.get("person_id")?, row.get("secret")?));
    tx.query(&SEALED, &[owner.into()])?.iter().map(read).collect()
}

/// Puts the same secret, sealed again, into the place of `former`: answers whether that was there.
///
/// # Errors
/// A fault of the store.
pub fn reseal(
    tx: &mut Tx<'_>,
    (owner, person): Whose,
    sealed: &[u8],
    former: &[u8],
) -> Result<bool, Fault> {
    let params = [owner.into(), person.into(), sealed.into(), former.into()];
    Ok(tx.execute(&RESEAL, &params)? > 0)
}
