//! Rows of a bank that may be the same money.

use domain::ids::{MovementId, OwnerId, PaymentId};
use domain::matching::Movement;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    ACCEPTED_RIVAL = Sql::new(
        "select p.id as payment_id from movements m \
         join payments p on p.owner_id = $1 and p.movement_id = m.id \
         where m.owner_id = $1 and m.id <> $2 and (m.contested_with in ($2, $3) or m.id = $3) \
         order by p.id asc limit 1",
    );
}

/// The first payment of a row that may be the same money as `movement`, whichever of the two contests the other.
///
/// # Errors
/// A fault of the store.
pub fn accepted_rival(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    movement: &Movement,
) -> Result<Option<PaymentId>, Fault> {
    let certain: MovementId = movement.contested_with.unwrap_or(movement.id);
    let params = [owner.into(), movement.id.into(), certain.into()];
    tx.query_opt(&ACCEPTED_RIVAL, &params)?.map(|row| row.get("payment_id")).transpose()
}
