//! The ledger: one line for every change of an owner's balance, never changed and never removed.

use domain::ids::{
    ActorId, BankId, ClientId, LinkId, OwnerId, PaymentId, SubscriptionId, VerificationId,
};
use domain::time::{CaracasMonth, Timestamp};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    INSERT = Sql::new(
        "insert into credit_movements (owner_id, line, amount, balance_after, movement_type, \
         origin, description, verification_id, client_id, actor_id, month, ordinal, request, \
         created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    );

    PAGE = Sql::new(
        "select c.amount, c.balance_after, c.movement_type, c.origin, c.created_at, \
         v.payment_id, v.link_id, n.subscription_id, v.bank_id, b.description \
         from credit_movements c \
         left join verifications v on v.owner_id = $1 and v.id = c.verification_id \
         left join payment_links n on n.owner_id = $1 and n.id = v.link_id \
         left join user_banks b on b.owner_id = $1 and b.id = v.bank_id \
         where c.owner_id = $1 and c.actor_id = $2 and c.month = $3 \
         and c.ordinal > $4 and c.ordinal <= $5 order by c.ordinal desc",
    );
}

/// A line that is about to be written.
pub(crate) struct Line {
    pub(crate) line: i64,
    pub(crate) amount: i64,
    pub(crate) balance_after: i64,
    pub(crate) movement_type: &'static str,
    pub(crate) origin: &'static str,
    pub(crate) description: &'static str,
    pub(crate) verification: Option<VerificationId>,
    pub(crate) client: Option<ClientId>,
    pub(crate) actor: Option<OfActor>,
    pub(crate) month: CaracasMonth,
}

/// The actor that a line charges, and what the line is among those of its month.
pub(crate) struct OfActor {
    pub(crate) actor: ActorId,
    /// Which of its lines.
    pub(crate) ordinal: i64,
    /// Which of its attempts.
    pub(crate) request: i64,
}

/// Writes a line. Its balance follows from the line before, under the lock of the owner's row.
///
/// # Errors
/// A fault of the store.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    line: &Line,
    now: Timestamp,
) -> Result<(), Fault> {
    let of_actor = line.actor.as_ref();
    let params = [
        owner.into(),
        line.line.into(),
        line.amount.into(),
        line.balance_after.into(),
        line.movement_type.into(),
        line.origin.into(),
        line.description.into(),
        line.verification.into(),
        line.client.into(),
        of_actor.map(|of_actor| of_actor.actor).into(),
        line.month.as_i64().into(),
        of_actor.map(|of_actor| of_actor.ordinal).into(),
        of_actor.map(|of_actor| of_actor.request).into(),
        now.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// A line of the ledger as the activity of a key shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Negative when spent.
    pub amount: i64,
    /// The owner's balance after it.
    pub balance_after: i64,
    /// debit, refund, purchase or adjustment.
    pub movement_type: String,
    /// verification, payment_link, subscription or admin.
    pub origin: String,
    /// When.
    pub created_at: Timestamp,
    /// What was paid for, where it is a charge.
    pub charged: Option<Charged>,
}

/// Payment that a charge was for, with its link and its account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The payment that was found.
    pub payment: PaymentId,
    /// The link that it paid.
    pub link: Option<LinkId>,
    /// The subscription that the link is of a cycle of.
    pub subscription: Option<SubscriptionId>,
    /// The account that it came to.
    pub bank: BankId,
    /// What the owner calls the account.
    pub bank_description: String,
}

impl Charged {
    /// By a row that has the payment, the link, its subscription, the account and what that is called.
    pub(crate) fn read(row: &Row) -> Result<Option<Self>, Fault> {
        let (payment, bank): (Option<PaymentId>, Option<BankId>) =
            (row.get("payment_id")?, row.get("bank_id")?);
        let Some((payment, bank)) = payment.zip(bank) else { return Ok(None) };
        let bank_description: Option<String> = row.get("description")?;
        let bank_description = bank_description.unwrap_or_default();
        let (link, subscription) = (row.get("link_id")?, row.get("subscription_id")?);
        Ok(Some(Self { payment, link, subscription, bank, bank_description }))
    }
}

/// A range of the numbers of an actor's lines, or of its attempts, in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordinals {
    /// The one before the first.
    pub above: i64,
    /// The last.
    pub up_to: i64,
}

/// The ledger lines of an actor's month with ordinals above `from` up to `to`, newest first.
///
/// # Errors
/// A fault of the store.
pub fn entries(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: ActorId,
    month: CaracasMonth,
    numbers: Ordinals,
) -> Result<Vec<Entry>, Fault> {
    let Ordinals { above, up_to } = numbers;
    let params = [owner.into(), actor.into(), month.as_i64().into(), above.into(), up_to.into()];
    tx.query(&PAGE, &params)?
        .iter()
        .map(|row| {
            Ok(Entry {
                amount: row.get("amount")?,
                balance_after: row.get("balance_after")?,
                movement_type: row.get("movement_type")?,
                origin: row.get("origin")?,
                created_at: row.get("created_at")?,
                charged: Charged::read(row)?,
            })
        })
        .collect()
}
