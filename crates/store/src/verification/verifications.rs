//! Verifications: each row is a reservation until it has ended, and every step is one conditional
//! update of its state.

mod ends;
mod reserve;
mod settle;

use domain::fingerprint::Fingerprint;
use domain::ids::{
    ActorId, BankId, ClientId, FirstReportId, IdentityId, LinkId, OwnerId, PaymentId,
    VerificationId,
};
use domain::matching::Movement;
use domain::money::Credits;
use domain::refusal::Code;
use domain::seals::SealedFirstReport;
use domain::secret::PersonalText;
use domain::time::{CaracasMonth, Timestamp};
use domain::verification::{Failed, State};

pub(crate) use self::reserve::STATEMENTS as RESERVE_STATEMENTS;
pub use self::reserve::{Before, ReserveOutcome, release_refused, reserve, undo_reservation};
pub(crate) use self::settle::STATEMENTS as SETTLE_STATEMENTS;
pub use self::settle::{LockedForSettlement, lock_for_settlement};
use crate::credits::Account;
use crate::fault::Fault;
use crate::movements::ReferenceQuery;
use crate::sql::Sql;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};
use crate::{movements, recent_calls, statements};

statements! {
    // A second one with the same fingerprint, or the same one again, writes nothing.
    OPEN = Sql::new(
        "insert into verifications (owner_id, id, actor_id, bank_id, identity_id, client_id, month, \
         cost, fingerprint, query, state, calls, asked_at, deadline, caller_client_id, \
         link_id, lease_until, short_reference) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 1, $11, $12, $13, $14, $15, $16) \
         on conflict do nothing",
    );

    FIND_OPEN = Sql::new(
        "select id from verifications where owner_id = $1 and fingerprint = $2 and state = 0",
    );

    DISCARD = Sql::new("delete from verifications where owner_id = $1 and id = $2 and state = 0");

    FIND = Sql::new(
        "select id, actor_id, bank_id, identity_id, client_id, month, cost, fingerprint, query, \
         state, calls, reported_by, error_code, bank_amount, digits_needed, payment_id, asked_at, \
         deadline, ended_at, caller_client_id, link_id, same_bank, review_since, review_until \
         from verifications \
         where owner_id = $1 and id = $2",
    );

    ASKED_FOR_LINK = Sql::new(
        "select query from verifications \
         where owner_id = $1 and link_id = $2 order by id desc limit $3",
    );

    OF_LINK = Sql::new(
        "select id, actor_id, bank_id, identity_id, client_id, month, cost, fingerprint, query, \
         state, calls, reported_by, error_code, bank_amount, digits_needed, payment_id, asked_at, \
         deadline, ended_at, caller_client_id, link_id, same_bank, review_since, review_until \
         from verifications \
         where owner_id = $1 and link_id = $2 order by id desc limit $3",
    );

    LOCK = Sql::new(
        "select id, actor_id, bank_id, identity_id, client_id, month, cost, fingerprint, query, \
         state, calls, reported_by, error_code, bank_amount, digits_needed, payment_id, asked_at, \
         deadline, ended_at, caller_client_id, link_id, same_bank, review_since, review_until \
         from verifications \
         where owner_id = $1 and id = $2 for no key update",
    );

    CONFIRM = Sql::new(
        "update verifications set state = 1, payment_id = $2, reported_by = $3, first_report_seal = $6, \
         is_answered = $7, ended_at = $4, lease_until = null where owner_id = $1 and id = $5 and state = 0",
    );

    FAIL = Sql::new(
        "update verifications set state = $2, error_code = $3, bank_amount = $4, \
         digits_needed = $5, ended_at = $6, same_bank = $8, review_since = $9, review_until = $10, \
         lease_until = null \
         where owner_id = $1 and id = $7 and state = 0",
    );

    ANNOUNCE = Sql::new(
        "update verifications set reported_by = $3, first_report_seal = $4 where owner_id = $1 and id = $2 \
         and state = 1 and (reported_by is null or reported_by = $3) returning id",
    );

    UNANNOUNCE = Sql::new(
        "update verifications set reported_by = null, first_report_seal = $4 \
         where owner_id = $1 and id = $2 and reported_by = $3 returning id",
    );

    HAND_OVER = Sql::new(
        "update verifications set reported_by = $4, first_report_seal = $5 \
         where owner_id = $1 and id = $2 and reported_by = $3",
    );
}

/// How many checks of a link are looked at: as many as an hour allows.
const CHECKS_MAX: i64 = 20;

/// A verification that is about to be opened: its first bank call begins with it.
#[derive(Clone, Debug)]
pub struct NewVerification {
    /// Its id.
    pub id: VerificationId,
    /// Who asks.
    pub actor: ActorId,
    /// The account as it is linked.
    pub bank: BankId,
    /// The real account.
    pub identity: IdentityId,
    /// The client that the key is bound to.
    pub caller_client: Option<ClientId>,
    /// Whose quota it counts against.
    pub client: Option<ClientId>,
    /// The month that it counts in.
    pub month: CaracasMonth,
    /// What it costs if it confirms.
    pub cost: Credits,
    /// What makes another call the same call.
    pub fingerprint: Fingerprint,
    /// What is asked, as JSON.
    pub query: PersonalText,
    /// When its reservation lapses.
    pub deadline: Timestamp,
    /// Until when the node that opens it has it.
    pub lease_until: Timestamp,
    /// The link that it is a payer's check of.
    pub link: Option<LinkId>,
    /// The reference, where it is a call's and so short that what was said besides cannot be enough.
    pub short_reference: Option<String>,
}

/// A verification's row.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Its id.
    pub id: VerificationId,
    /// Who asked.
    pub actor: ActorId,
    /// The account as it was linked.
    pub bank: BankId,
    /// The real account.
    pub identity: IdentityId,
    /// The client that the key is bound to.
    pub caller_client: Option<ClientId>,
    /// Whose quota it counts against.
    pub client: Option<ClientId>,
    /// The month that it counts in.
    pub month: CaracasMonth,
    /// What it costs if it confirms.
    pub cost: Credits,
    /// What makes another call the same call.
    pub fingerprint: Fingerprint,
    /// What was asked, as JSON.
    pub query: PersonalText,
    /// How far it is.
    pub state: State,
    /// Bank calls begun.
    pub calls: i64,
    /// The first report that a call got, or is getting.
    pub reported_by: Option<FirstReportId>,
    /// How it ended without a payment.
    pub failed: Option<Failed>,
    /// The payment that it claimed or found claimed.
    pub payment: Option<PaymentId>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When its reservation lapses.
    pub deadline: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The link that it is a payer's check of.
    pub link: Option<LinkId>,
}

impl NewVerification {
    /// Returns whose counters the verification moves.
    #[must_use]
    pub fn account(&self) -> Account {
        Account { actor: self.actor, client: self.client, month: self.month }
    }
}

/// The statement that opens a verification unless one with its fingerprint is open, and its
/// parameters.
fn opening(owner: OwnerId, new: &NewVerification, now: Timestamp) -> (&'static Sql, [Value; 16]) {
    let params = [
        owner.into(),
        new.id.into(),
        new.actor.into(),
        new.bank.into(),
        new.identity.into(),
        new.client.into(),
        new.month.as_i64().into(),
        new.cost.get().into(),
        (&new.fingerprint.to_bytes()).into(),
        new.query.as_str().into(),
        now.into(),
        new.deadline.into(),
        new.caller_client.into(),
        new.link.into(),
        new.lease_until.into(),
        new.short_reference.clone().into(),
    ];
    (&OPEN, params)
}

/// Obstacle to a verification that could not be opened.
enum Standing {
    /// Itself: the same call has written it, and its answer was lost.
    Own,
    /// Another one with this fingerprint.
    Other(VerificationId),
    /// Nothing any more.
    Nothing,
}

/// Looks at what stands in the way.
fn standing(tx: &mut Tx<'_>, owner: OwnerId, new: &NewVerification) -> Result<Standing, Fault> {
    let params = [owner.into(), (&new.fingerprint.to_bytes()).into()];
    Ok(match tx.query_opt(&FIND_OPEN, &params)? {
        Some(row) if row.get::<VerificationId>("id")? == new.id => Standing::Own,
        Some(row) => Standing::Other(row.get("id")?),
        None if find(tx, owner, new.id)?.is_some() => Standing::Own,
        None => Standing::Nothing,
    })
}

/// Takes back a verification that was opened in this transaction and is refused.
///
/// # Errors
/// A fault of the store.
pub fn discard(tx: &mut Tx<'_>, owner: OwnerId, id: VerificationId) -> Result<(), Fault> {
    tx.defer(&DISCARD, [owner.into(), id.into()], Expect::Rows(1))
}

/// Reads the questions of the latest checks of a link, the latest first.
///
/// # Errors
/// A fault of the store.
pub fn asked_for_link(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: LinkId,
) -> Result<Vec<PersonalText>, Fault> {
    let rows = tx.query(&ASKED_FOR_LINK, &[owner.into(), link.into(), CHECKS_MAX.into()])?;
    rows.iter().map(|row| row.get("query").map(PersonalText::new)).collect()
}

/// The latest checks of a link, the latest first.
///
/// # Errors
/// A fault of the store.
pub fn of_link(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: LinkId,
    limit: i64,
) -> Result<Vec<Verification>, Fault> {
    tx.query(&OF_LINK, &[owner.into(), link.into(), limit.into()])?.iter().map(read).collect()
}

/// The verification of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
) -> Result<Option<Verification>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// The verification of that id, held until the transaction ends.
///
/// # Errors
/// A fault of the store.
pub fn find_locked(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
) -> Result<Option<Verification>, Fault> {
    tx.query_opt(&LOCK, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// Facts that may answer a call without a bank.
#[derive(Debug)]
pub struct PriorResult {
    /// The payment that the same call was confirmed with before.
    pub payment: Option<PaymentId>,
    /// The account's movements that may be meant, claimed or not.
    pub candidates: Vec<Movement>,
}

/// Reads what may answer a call without a bank, in one wait: the same call, if one was confirmed after `since`, and
/// the movements that are `sought`.
///
/// # Errors
/// A fault of the store.
pub fn find_prior_result(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    (fingerprint, since): (Fingerprint, Timestamp),
    sought: &[ReferenceQuery],
) -> Result<PriorResult, Fault> {
    let (same_call, call_params) = recent_calls::finding(owner, fingerprint, since);
    let searches: Vec<(&'static Sql, Vec<Value>)> =
        sought.iter().map(|sought| movements::candidates(owner, identity, sought)).collect();
    let mut statements: Vec<(&'static Sql, &[Value])> = vec![(same_call, &call_params)];
    statements.extend(searches.iter().map(|(sql, params)| (*sql, params.as_slice())));
    let mut answers = tx.query_all(&statements)?.into_iter();
    let same_call = answers.next().and_then(|rows| rows.into_iter().next());
    let payment = same_call.map(|row| row.get("payment_id")).transpose()?;
    Ok(PriorResult { payment, candidates: movements::read_each(answers.flatten())? })
}

/// Facts that a verification is confirmed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The payment.
    pub payment: PaymentId,
    /// The first report of the payment, if a call gets it.
    pub reported_by: Option<FirstReportId>,
    /// Says whether the bank answered; otherwise a person accepted it, or what was known was enough.
    pub is_answered: bool,
}

/// Ends an open verification with a payment, by which the same call is answered for a day. A payer's check of a
/// link is not: no call of the API is the same, and what is claimed pays no link.
///
/// # Errors
/// A fault of the store; a verification that is not open is one.
pub fn confirm(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    row: &Verification,
    confirmation: Confirmation,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        confirmation.payment.into(),
        confirmation.reported_by.into(),
        now.into(),
        row.id.into(),
        first_report_seal(owner, row.id, confirmation.reported_by),
        confirmation.is_answered.into(),
    ];
    tx.defer(&CONFIRM, params, Expect::Rows(1))?;
    if row.link.is_none() {
        recent_calls::insert(tx, owner, row.fingerprint, row.id, now)?;
    }
    Ok(())
}

/// Ends an open verification without a payment.
///
/// # Errors
/// A fault of the store; a verification that is not open is one.
pub fn fail(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
    failed: &Failed,
    now: Timestamp,
) -> Result<(), Fault> {
    let [bank_amount, digits_needed, same_bank, since, until] = ends::write(&failed.facts());
    let params = [
        owner.into(),
        failed.state().number().into(),
        failed.refusal(usize::MAX).code().as_str().into(),
        bank_amount,
        digits_needed,
        now.into(),
        id.into(),
        same_bank,
        since,
        until,
    ];
    tx.defer(&FAIL, params, Expect::Rows(1))
}

/// Takes the right to say that the payment is new, under the name of `first_report`: the caller that gets
/// `true` says it, and nobody else. The same report may ask again.
///
/// # Errors
/// A fault of the store.
pub fn announce(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
    first_report: FirstReportId,
) -> Result<bool, Fault> {
    let params = [
        owner.into(),
        id.into(),
        first_report.into(),
        first_report_seal(owner, id, Some(first_report)),
    ];
    Ok(!tx.query(&ANNOUNCE, &params)?.is_empty())
}

/// Gives that right back, if it is still this report that has it: the caller was gone before the
/// answer reached its connection.
///
/// # Errors
/// A fault of the store.
pub fn unannounce(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
    first_report: FirstReportId,
) -> Result<bool, Fault> {
    let params = [owner.into(), id.into(), first_report.into(), first_report_seal(owner, id, None)];
    Ok(!tx.query(&UNANNOUNCE, &params)?.is_empty())
}

/// Hands that right from one report to another, which then nobody gives back for the first.
///
/// # Errors
/// A fault of the store.
pub fn hand_over(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
    from: FirstReportId,
    to: FirstReportId,
) -> Result<(), Fault> {
    let seal = first_report_seal(owner, id, Some(to));
    tx.defer(&HAND_OVER, [owner.into(), id.into(), from.into(), to.into(), seal], Expect::Any)
}

/// The seal over which report says that the payment of a confirmed verification is new.
fn first_report_seal(
    owner: OwnerId,
    id: VerificationId,
    reported_by: Option<FirstReportId>,
) -> Value {
    let first_report = reported_by.map(FirstReportId::to_bytes);
    let sealed = SealedFirstReport {
        owner: &owner.to_bytes(),
        verification: &id.to_bytes(),
        reported_by: first_report.as_ref().map(<[u8; 16]>::as_slice),
    };
    sealed.seal().as_slice().into()
}

pub(crate) fn read(row: &Row) -> Result<Verification, Fault> {
    let broken = |what: &str| Fault::broken(format!("a verification with a broken {what}"));
    let state = State::from_number(row.get("state")?).ok_or_else(|| broken("state"))?;
    let code: Option<String> = row.get("error_code")?;
    let failed = Failed::read(state, code.as_deref().and_then(Code::parse), ends::read(row)?);
    if failed.is_none() && !matches!(state, State::Asking | State::Confirmed) {
        return Err(broken("end"));
    }
    Ok(Verification {
        id: row.get("id")?,
        actor: row.get("actor_id")?,
        bank: row.get("bank_id")?,
        identity: row.get("identity_id")?,
        client: row.get("client_id")?,
        month: CaracasMonth::from_i64(row.get("month")?).ok_or_else(|| broken("month"))?,
        cost: Credits::new(row.get("cost")?),
        fingerprint: Fingerprint::from_bytes(row.get("fingerprint")?),
        query: PersonalText::new(row.get("query")?),
        state,
        calls: row.get("calls")?,
        reported_by: row.get("reported_by")?,
        failed,
        payment: row.get("payment_id")?,
        asked_at: row.get("asked_at")?,
        deadline: row.get("deadline")?,
        ended_at: row.get("ended_at")?,
        caller_client: row.get("caller_client_id")?,
        link: row.get("link_id")?,
    })
}
