//! What an owner's verifications asked, beside what they found: for a caller that can read what was asked.

use domain::fingerprint::Fingerprint;
use domain::ids::{ActorId, IdentityId, LinkId, MovementId, OwnerId, VerificationId};
use domain::seals::SealedFirstReport;
use domain::verification::State;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    PAGE = Sql::new(
        "select v.id, v.actor_id, v.identity_id, v.link_id, v.fingerprint, v.query, \
         m.id as found_movement_id, m.reference, m.reference_zeros, m.bank_key, m.amount, \
         case l.currency when 'VEF' then l.amount else r.owed end as owed_amount, l.id as paid_link_id, \
         m.receipt, m.typed, v.state, v.reported_by, v.first_report_seal \
         from verifications v \
         left join payments p on p.owner_id = $1 and p.id = v.payment_id \
         left join movements m on m.owner_id = $1 and m.id = p.movement_id \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id and l.state = 1 \
         and l.payment_id = v.payment_id \
         left join rate_locks r on r.owner_id = $1 and r.link_id = l.id and r.id = l.rate_lock_id \
         where v.owner_id = $1 and v.id > $2 order by v.id asc limit $3",
    );
}

/// Question of a verification, and what it found.
#[derive(Clone)]
pub struct Asked {
    /// The verification.
    pub id: VerificationId,
    /// Who asked.
    pub actor: ActorId,
    /// The real account.
    pub identity: IdentityId,
    /// The link that a payer was checked for.
    pub link: Option<LinkId>,
    /// What makes another call the same call.
    pub fingerprint: Fingerprint,
    /// What was asked, as JSON.
    pub query: String,
    /// The movement of the payment that it found, where it found one.
    pub found: Option<FoundMovement>,
    /// What was owed for the link that it paid, in hundredths of a bolívar, if that is known.
    pub paid: Option<Option<i64>>,
    /// Whether the record of who reported the payment as new is as it was written.
    pub has_first_report_seal: bool,
}

/// A movement that a verification found.
#[derive(Clone)]
pub struct FoundMovement {
    /// Its id.
    pub id: MovementId,
    /// The significant digits of its reference, and the zeros before them.
    pub reference: (String, i64),
    /// The digits of the receipt and of what was typed, where the bank lists it under another reference.
    pub other_references: [Option<String>; 2],
    /// The bank's own stable id of it.
    pub bank_key: Option<String>,
    /// In hundredths.
    pub amount: i64,
}

/// Shows nothing of the payer.
impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Shows nothing of the payment.
impl std::fmt::Debug for FoundMovement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FoundMovement").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The owner's verifications behind that one, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: VerificationId,
    limit: i64,
) -> Result<Vec<Asked>, Fault> {
    tx.query(&PAGE, &[owner.into(), after.into(), limit.into()])?
        .iter()
        .map(|row| read(owner, row))
        .collect()
}

fn read(owner: OwnerId, row: &Row) -> Result<Asked, Fault> {
    let movement: Option<MovementId> = row.get("found_movement_id")?;
    let found = match movement {
        None => None,
        Some(id) => Some(FoundMovement {
            id,
            reference: (row.get("reference")?, row.get("reference_zeros")?),
            other_references: [row.get("receipt")?, row.get("typed")?],
            bank_key: row.get("bank_key")?,
            amount: row.get("amount")?,
        }),
    };
    let (owed, link): (Option<i64>, Option<LinkId>) =
        (row.get("owed_amount")?, row.get("paid_link_id")?);
    Ok(Asked {
        id: row.get("id")?,
        actor: row.get("actor_id")?,
        identity: row.get("identity_id")?,
        link: row.get("link_id")?,
        // One of another length is nobody's.
        fingerprint: Fingerprint::from_bytes(
            <[u8; 32]>::try_from(row.get::<Vec<u8>>("fingerprint")?).unwrap_or_default(),
        ),
        query: row.get("query")?,
        found,
        paid: link.map(|_| owed),
        has_first_report_seal: has_first_report_seal(owner, row)?,
    })
}

/// Checks that a confirmed verification has the seal of its first report, and any other none.
fn has_first_report_seal(owner: OwnerId, row: &Row) -> Result<bool, Fault> {
    let (id, seal): (VerificationId, Option<Vec<u8>>) =
        (row.get("id")?, row.get("first_report_seal")?);
    if row.get::<i64>("state")? != State::Confirmed.number() {
        return Ok(seal.is_none());
    }
    let reported_by: Option<Vec<u8>> = row.get("reported_by")?;
    let first_report = SealedFirstReport {
        owner: &owner.to_bytes(),
        verification: &id.to_bytes(),
        reported_by: reported_by.as_deref(),
    };
    Ok(seal.is_some_and(|seal| seal == first_report.seal()))
}
