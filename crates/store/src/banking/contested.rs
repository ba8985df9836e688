//! Rows of a bank that may be the same money.

use domain::ids::{MovementId, OwnerId, PaymentId};
use domain::matching::Movement;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    CONTESTING = Sql::new(
        "select p.id as payment_id from movements m \
         join payments p on p.owner_id = $1 and p.movement_id = m.id \
         where m.owner_id = $1 and m.contested_with = $2 and m.id <> $3 order by m.id asc limit 1",
    );

    OF_MOVEMENT = Sql::new(
        "select id as payment_id from payments where owner_id = $1 and movement_id = $2",
    );
}

/// A payment of a row that may be the same money as `movement`, whichever of the two contests the other.
///
/// # Errors
/// A fault of the store.
pub fn accepted_rival(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    movement: &Movement,
) -> Result<Option<PaymentId>, Fault> {
    let (id, certain) = (movement.id, movement.contested_with);
    let contesting = |with: MovementId| [owner.into(), with.into(), id.into()];
    let mut rows = tx.query(&CONTESTING, &contesting(id))?;
    if let Some(certain) = certain {
        rows.extend(tx.query(&OF_MOVEMENT, &[owner.into(), certain.into()])?);
        rows.extend(tx.query(&CONTESTING, &contesting(certain))?);
    }
    rows.first().map(|row| row.get("payment_id")).transpose()
}
