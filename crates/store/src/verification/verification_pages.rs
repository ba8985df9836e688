//! The list of an owner's verifications, the newest first.

use domain::ids::{LinkId, OwnerId, VerificationId};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;
use crate::verifications::{self, Verification};

/// Those before an id, as [`verifications::read`] reads them.
macro_rules! looked_at {
    () => {
        "select id, actor_id, bank_id, identity_id, client_id, month, cost, fingerprint, query, \
         state, calls, reported_by, error_code, bank_amount, digits_needed, payment_id, asked_at, \
         deadline, ended_at, caller_client_id, link_id, same_bank, review_since, review_until \
         from verifications \
         where owner_id = $1 and id < $2 "
    };
}

statements! {
    LOOK = Sql::new(concat!(looked_at!(), "order by id desc limit $3"));

    LOOK_OF_LINK = Sql::new(concat!(looked_at!(), "and link_id = $3 order by id desc limit $4"));
}

/// The newest `limit` verifications before that one, those alone that are checks of a link where one is named.
///
/// # Errors
/// A fault of the store.
pub fn look(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    before: VerificationId,
    link: Option<LinkId>,
    limit: i64,
) -> Result<Vec<Verification>, Fault> {
    let mut params: Vec<Value> = vec![owner.into(), before.into()];
    params.extend(link.map(Value::from));
    params.push(limit.into());
    let sql = if link.is_some() { &LOOK_OF_LINK } else { &LOOK };
    tx.query(sql, &params)?.iter().map(verifications::read).collect()
}
