//! The audit of one owner's payment links: what belongs to their state, what they refer to, and that a receiver was
//! notified of their ends where there is one.

use domain::ids::{
    BankId, ClientId, EventId, LinkId, OwnerId, PaymentId, ReceiptId, SubscriptionId,
    VerificationId,
};
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::difference::{Difference, Rule, hold, id};
use crate::fault::Fault;
use crate::payments::{PaidPrice, read_price};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    // The minutes of an end count from the link's beginning, or from when it was given another end.
    STATES = Sql::new(
        "select f.col, f.id from (select l.id, case \
         when l.state not in (0, 1, 2, 3) then 'state' \
         when (l.state = 1) <> (l.payment_id is not null) then 'payment_id' \
         when (l.state = 2) <> (l.status_detail is not null) then 'status_detail' \
         when k.id is null and e.id is null and l.actor_id <> l.owner_id then 'actor_id' \
         when l.client_id is not null and c.id is null then 'client_id' \
         when (l.origin = 'subscription') <> (l.subscription_id is not null) then 'origin' \
         when (l.expires_at is null) <> (l.expiration_minutes is null) then 'expires_at' \
         when (l.expires_at - l.created_at) / 60000000 < l.expiration_minutes then 'expires_at' \
         when l.expired_at is not null and (l.expires_at is null or l.expired_at < l.expires_at) \
         then 'expired_at' \
         when (l.state = 3 and l.canceled_at is distinct from l.updated_at) \
         or (l.canceled_at is not null and l.state not in (1, 3)) then 'canceled_at' \
         when l.state = 1 and l.updated_at <> p.created_at then 'updated_at' \
         when l.currency = 'VEF' and l.rate_lock_id is not null then 'rate_lock_id' \
         when l.rate_lock_id is not null and (r.amount is null or r.amount <> l.amount \
         or r.currency <> l.currency) then 'rate_lock_id' \
         when l.currency <> 'VEF' and l.state = 1 and r.id is null then 'rate_lock_id' end as col \
         from payment_links l left join api_keys k on k.owner_id = $1 and k.id = l.actor_id \
         left join employees e on e.owner_id = $1 and e.id = l.actor_id \
         left join clients c on c.owner_id = $1 and c.id = l.client_id \
         left join payments p on p.owner_id = $1 and p.id = l.payment_id \
         left join rate_locks r on r.owner_id = $1 and r.link_id = l.id and r.id = l.rate_lock_id \
         where l.owner_id = $1) as f where f.col is not null order by f.id asc limit $2",
    );

    // Of contents that were deleted in time only the digest of the address is left.
    UNTOLD = Sql::new(
        "select 'webhook_url' as col, l.id from payment_links l \
         left join webhook_deliveries d on d.owner_id = $1 and d.subject_id = l.id \
         and d.event = case l.state when 1 then 'payment_link.paid' else 'payment_link.failed' end \
         and (d.url = l.webhook_url or d.pruned_at is not null) \
         where l.owner_id = $1 and l.state in (1, 2) and l.webhook_url is not null and d.id is null \
         order by l.id asc limit $2",
    );

    UNTOLD_EXPIRY = Sql::new(
        "select 'expired_at' as col, l.id from payment_links l \
         left join webhook_deliveries d on d.owner_id = $1 and d.subject_id = l.id \
         and d.event = 'payment_link.expired' and d.created_at = l.expired_at \
         and (d.url = l.webhook_url or d.pruned_at is not null) \
         where l.owner_id = $1 and l.expired_at is not null and d.id is null \
         order by l.id asc limit $2",
    );

    // A canceled link can be paid later by its owner. The event's own digest proves that an event is of this link.
    UNFOUNDED = Sql::new(
        "select f.col, f.id from (select d.id, case \
         when l.webhook_url is null then 'subject_id' \
         when d.event = 'payment_link.paid' and l.state <> 1 then 'event' \
         when d.event = 'payment_link.failed' and l.state <> 2 then 'event' \
         when d.event = 'payment_link.canceled' and l.canceled_at is null then 'event' \
         when d.event = 'payment_link.expired' and l.expired_at is null then 'event' end as col \
         from webhook_deliveries d join payment_links l on l.owner_id = $1 and l.id = d.subject_id \
         where d.owner_id = $1 and d.event in ('payment_link.paid', 'payment_link.failed', \
         'payment_link.canceled', 'payment_link.expired')) as f \
         where f.col is not null order by f.id asc limit $2",
    );

    // An event of anything else is of no client, but that a receiver of one may be tried out.
    SIGNED_FOR = Sql::new(
        "select 'client_id' as col, d.id from webhook_deliveries d \
         left join payment_links l on l.owner_id = $1 and l.id = d.subject_id \
         left join clients c on c.owner_id = $1 and c.id = d.client_id \
         where d.owner_id = $1 and case when d.event = 'test' then d.client_id is not null and c.id is null \
         else d.client_id is distinct from l.client_id end \
         order by d.id asc limit $2",
    );

    REFUSALS = Sql::new(
        "select 'link_id' as col, r.id from refused_attempts r \
         left join payment_links l on l.owner_id = $1 and l.id = r.link_id \
         where r.owner_id = $1 and r.link_id is not null and l.id is null order by r.id asc limit $2",
    );

    SENT_EVENTS = Sql::new(
        "select d.id, d.event, d.body, l.id as link_id, l.name, l.amount, l.currency, l.description, \
         l.webhook_url, l.redirect_url, l.origin, l.subscription_id, l.created_at, l.updated_at, l.metadata, \
         l.livemode, l.state, l.status_detail, l.expired_at, l.client_id, l.bank_id, l.expires_at, \
         l.expiration_minutes, l.rate_minutes, p.id as claimed_payment_id, p.bank_id as claimed_bank_id, \
         p.verification_id, p.params, p.is_by_payer, p.updated_at as payment_updated_at, \
         p.credit_cost, p.created_at as payment_created_at, m.reference, m.reference_zeros, \
         m.amount as movement_amount, c.balance_after, l.canceled_at, l.amount as priced, \
         l.currency as priced_in, r.rate, r.value_date, r.source as rate_source, r.locked_at, \
         t.id as receipt_id \
         from webhook_deliveries d \
         join payment_links l on l.owner_id = $1 and l.id = d.subject_id \
         left join payments p on p.owner_id = $1 and p.id = l.payment_id \
         left join movements m on m.owner_id = $1 and m.id = p.movement_id \
         left join receipts t on t.owner_id = $1 and t.payment_id = p.id \
         left join credit_movements c on c.owner_id = $1 and c.verification_id = p.verification_id \
         left join rate_locks r on r.owner_id = $1 and r.link_id = l.id and r.id = l.rate_lock_id \
         and l.currency <> 'VEF' \
         where d.owner_id = $1 and d.id > $2 and d.pruned_at is null \
         and d.event in ('payment_link.paid', 'payment_link.failed', 'payment_link.canceled', \
         'payment_link.expired') order by d.id asc limit $3",
    );
}

const RULES: [Rule; 6] = [
    Rule {
        table: "payment_links",
        sql: &STATES,
        row: id::<LinkId>,
        says: "not what its state and what it refers to ask for",
    },
    Rule {
        table: "payment_links",
        sql: &UNTOLD,
        row: id::<LinkId>,
        says: "no delivery tells it of the link's end",
    },
    Rule {
        table: "payment_links",
        sql: &UNTOLD_EXPIRY,
        row: id::<LinkId>,
        says: "no delivery that came of it tells of it",
    },
    Rule {
        table: "webhook_deliveries",
        sql: &UNFOUNDED,
        row: id::<EventId>,
        says: "not that of a link which has this to tell",
    },
    Rule {
        table: "webhook_deliveries",
        sql: &SIGNED_FOR,
        row: id::<EventId>,
        says: "not the client whose callers made its link",
    },
    Rule {
        table: "refused_attempts",
        sql: &REFUSALS,
        row: id::<VerificationId>,
        says: "there is no such link",
    },
];

/// Names what is wrong with the owner's links.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    hold(tx, owner, &RULES.each_ref().map(|rule| (rule, &[][..])), found)
}

/// Event that was sent about a link, with what the link and its payment say now.
#[derive(Clone)]
pub struct SentEvent {
    /// The event.
    pub event: EventId,
    /// The word of its kind.
    pub kind: String,
    /// What was sent.
    pub body: Vec<u8>,
    /// The link.
    pub link: LinkId,
    /// Its columns.
    pub name: String,
    /// In hundredths.
    pub amount: i64,
    /// Its code.
    pub currency: String,
    /// What it is for.
    pub description: String,
    /// The address that is notified of its end.
    pub webhook_url: Option<String>,
    /// Where the payer goes on.
    pub redirect_url: Option<String>,
    /// Where it comes from.
    pub origin: String,
    /// The subscription whose cycle it asks for.
    pub subscription: Option<SubscriptionId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What the caller keeps with it.
    pub metadata: String,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// The number of its state.
    pub state: i64,
    /// Why it failed.
    pub status_detail: Option<String>,
    /// When its expiry was announced.
    pub expired_at: Option<Timestamp>,
    /// When it was called off.
    pub canceled_at: Option<Timestamp>,
    /// The client of the key that made it.
    pub client: Option<ClientId>,
    /// The account that is to be paid to.
    pub bank: BankId,
    /// When its time is over.
    pub expires_at: Option<Timestamp>,
    /// For how many minutes it was made.
    pub expiration_minutes: Option<i64>,
    /// For how many minutes a rate is to hold.
    pub rate_minutes: i64,
    /// The rate that was held for it last, in hundred-millionths, and since when.
    pub held: Option<(i64, Timestamp)>,
    /// The payment that was claimed for it.
    pub payment: Option<SentPayment>,
}

/// The payment of a link, with its movement and the balance after its line.
#[derive(Clone)]
pub struct SentPayment {
    /// Its id.
    pub id: PaymentId,
    /// The account that it came to.
    pub bank: BankId,
    /// The verification that claimed it.
    pub verification: VerificationId,
    /// What its payer typed, as JSON.
    pub params: PersonalText,
    /// Whether its movement was found by who paid, not by a reference.
    pub is_by_payer: bool,
    /// What it cost.
    pub credit_cost: i64,
    /// When it was claimed.
    pub created_at: Timestamp,
    /// When it was claimed, or right behind the payment before it.
    pub updated_at: Timestamp,
    /// The significant digits of the movement's reference, and the zeros before them.
    pub reference: Option<(String, i64)>,
    /// What the bank credited, in hundredths.
    pub amount: Option<i64>,
    /// The owner's credits after the charge, where there was one.
    pub balance_after: Option<i64>,
    /// The price that was asked for, where that was in another currency.
    pub price: Option<PaidPrice>,
    /// Its receipt.
    pub receipt: Option<ReceiptId>,
}

/// Shows nothing of what was sent, nor of addresses, which may hold a key.
impl std::fmt::Debug for SentEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentEvent").field("event", &self.event).finish_non_exhaustive()
    }
}

/// Shows nothing of the movement.
impl std::fmt::Debug for SentPayment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentPayment").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Reads what was sent about the owner's links behind that event, at most `limit`; what was deleted in time is left
/// out.
///
/// # Errors
/// A fault of the store.
pub fn sent_events(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: EventId,
    limit: i64,
) -> Result<Vec<SentEvent>, Fault> {
    tx.query(&SENT_EVENTS, &[owner.into(), after.into(), limit.into()])?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<SentEvent, Fault> {
    let payment: Option<PaymentId> = row.get("claimed_payment_id")?;
    let payment = match payment {
        None => None,
        Some(id) => {
            let (reference, zeros): (Option<String>, Option<i64>) =
                (row.get("reference")?, row.get("reference_zeros")?);
            Some(SentPayment {
                id,
                bank: row.get("claimed_bank_id")?,
                verification: row.get("verification_id")?,
                params: PersonalText::new(row.get("params")?),
                is_by_payer: row.get("is_by_payer")?,
                credit_cost: row.get("credit_cost")?,
                created_at: row.get("payment_created_at")?,
                updated_at: row.get("payment_updated_at")?,
                reference: reference.zip(zeros),
                amount: row.get("movement_amount")?,
                balance_after: row.get("balance_after")?,
                price: read_price(row)?,
                receipt: row.get("receipt_id")?,
            })
        }
    };
    let rate: Option<i64> = row.get("rate")?;
    Ok(SentEvent {
        event: row.get("id")?,
        kind: row.get("event")?,
        body: row.get("body")?,
        link: row.get("link_id")?,
        name: row.get("name")?,
        amount: row.get("amount")?,
        currency: row.get("currency")?,
        description: row.get("description")?,
        webhook_url: row.get("webhook_url")?,
        redirect_url: row.get("redirect_url")?,
        origin: row.get("origin")?,
        subscription: row.get("subscription_id")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        metadata: row.get("metadata")?,
        livemode: row.get("livemode")?,
        state: row.get("state")?,
        status_detail: row.get("status_detail")?,
        expired_at: row.get("expired_at")?,
        canceled_at: row.get("canceled_at")?,
        client: row.get("client_id")?,
        bank: row.get("bank_id")?,
        expires_at: row.get("expires_at")?,
        expiration_minutes: row.get("expiration_minutes")?,
        rate_minutes: row.get("rate_minutes")?,
        held: rate.zip(row.get("locked_at")?),
        payment,
    })
}
