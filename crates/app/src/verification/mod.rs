//! Verifying a payment: match first, reserve, ask the bank, post or void.
//!
//! - [`verify`]: the operation. It answers repeats at once and otherwise waits for a run.
//! - `run`: carries a verification through the machine of [`domain::verification`], in a task that
//!   the request only waits for. A caller that hangs up changes nothing.
//! - `recall`, `reserve`, `settle`, `repeat`: the look-up before and the three transactions.
//! - [`attempt`]: a payer's check of a payment link, which is the same run in another's name.
//! - `same_bank`: payments between two customers of one bank, by notice or by payer.
//! - [`refused`]: what limits, balance or plan left no room for, before any bank was asked.
//! - `accept`: a link that a person pays with a movement, without asking a bank.
//! - [`janitor`]: takes over what nobody carries any more, and lets reservations lapse.

pub(crate) mod accept;
pub(crate) mod asked;
pub mod attempt;
pub mod explain;
mod first_report;
pub mod janitor;
mod judge;
pub mod list;
mod recall;
pub mod refused;
mod repeat;
mod reserve;
mod run;
pub(crate) mod same_bank;
mod settle;
pub mod show;
pub mod silent;
#[cfg(test)]
mod simulation;
mod slot;
mod standing;
mod verify;

use domain::access::Caller;
use domain::ids::{ActorId, BankId, LinkId, NoticeId, OwnerId, VerificationId};
use domain::matching::Query;
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::verification::Failed;
use store::idempotency::Slot;
use store::payments::Payment;

pub use asked::Asked;
pub use first_report::FirstReportGuard;
pub(crate) use verify::STARTS_MAX;
pub use verify::verify;

/// What a caller wants verified.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// The account that the payment should have come to.
    pub bank: BankId,
    /// What is looked for.
    pub query: Query,
    /// What the shop calls the origin of the payment.
    pub source_name: Option<String>,
}

/// A payment that is confirmed, as one call hears it.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// Whose payment it is.
    pub owner: OwnerId,
    /// The verification that claimed it.
    pub verification: VerificationId,
    /// Whether this call is the one that is told the payment is new.
    pub is_new: bool,
    /// What this call cost.
    pub credit_cost: Credits,
    /// The owner's balance; not told to a client's callers.
    pub balance: Option<Credits>,
    /// The payment.
    pub payment: Payment,
    /// What the first claimant said, or this call where the first is somebody else's.
    pub asked: Asked,
}

/// Writes a confirmed payment as the body of an answer.
pub type Render = fn(&Confirmed) -> Vec<u8>;

/// What is sent back to the caller.
#[derive(Debug)]
pub struct Answered {
    /// The body, as it was rendered now or when the same call was first answered.
    pub body: Vec<u8>,
    /// The news in it, to be marked as delivered when the answer reaches its connection.
    pub first_report: Option<FirstReportGuard>,
}

/// What is known about a call once its account has been looked at: what every transaction of it
/// and its activity entry need.
#[derive(Clone, Debug)]
struct Call {
    owner: OwnerId,
    /// Who calls.
    actor: ActorId,
    /// What let it in.
    admitted: standing::AdmittedBy,
    /// The client that the caller itself is bound to: what a repeat may show depends on it.
    caller_client: Option<domain::ids::ClientId>,
    account: store::accounts::Account,
    /// The bank's code, where it lists payments between two customers of its own under references that no receipt has.
    same_bank: Option<&'static str>,
    query: Query,
    asked: Asked,
    fingerprint: domain::fingerprint::Fingerprint,
    received: domain::time::Timestamp,
    slot: Option<Slot>,
    /// The news that this call hears, if it is told that the payment is new.
    news: domain::ids::NewsId,
    now: domain::time::Timestamp,
    render: Render,
    /// The link that a payer has checked; `None` for whoever calls the API.
    link: Option<LinkId>,
}

impl Call {
    /// What it costs if it confirms.
    fn price(&self, settings: &crate::Settings) -> Credits {
        if self.link.is_some() { settings.link_price } else { settings.verification_price }
    }

    /// What the caller is told of an end without a payment.
    fn refusal(&self, failed: &Failed) -> Refusal {
        let told = failed.clone();
        let told = if self.caller_client.is_some() { told.told_to_clients() } else { told };
        told.refusal(self.query.reference.digits().len())
    }

    /// Whether the caller may hear of the owner's credits.
    fn tells_balance(&self) -> bool {
        match &self.admitted {
            standing::AdmittedBy::Caller(caller) => caller.knows_credits(),
            standing::AdmittedBy::Here { knows_credits } => *knows_credits,
            standing::AdmittedBy::Link => self.caller_client.is_none(),
        }
    }

    /// What a confirmed answer shows as asked: the first claimant's own words to the same key or
    /// client, this call's to anybody else.
    fn shown_asked(&self, payment: &Payment) -> Result<Asked, store::fault::Fault> {
        let same_client = self.caller_client.is_some() && self.caller_client == payment.client;
        if payment.actor == self.actor || same_client {
            Asked::from_json(payment.params.as_str())
        } else {
            Ok(self.asked.clone())
        }
    }

    /// The activity entry of this call.
    fn activity(
        &self,
        status: &str,
        error_code: Option<&str>,
        now: domain::time::Timestamp,
    ) -> store::activity::Entry {
        let latency = now.since(self.received).as_micros();
        store::activity::Entry {
            created_at: now,
            request_type: request_type(self.link).to_owned(),
            provider: self.account.provider.clone(),
            bank: self.account.id,
            status: status.to_owned(),
            error_code: error_code.map(str::to_owned),
            latency_us: i64::try_from(latency).unwrap_or(i64::MAX),
        }
    }
}

/// How a verification ended, as that caller is told.
pub(crate) fn told_to(caller: &Caller, failed: Option<Failed>) -> Option<Failed> {
    if caller.client().is_some() { failed.map(Failed::told_to_clients) } else { failed }
}

/// The id of the one notice that a check of a link may bring about: ids are made before transactions
/// begin, and this one is there.
const fn notice_of(check: VerificationId) -> NoticeId {
    NoticeId::from_bytes(check.to_bytes())
}

/// What activity entries are called: those of the API, and those of payers.
const fn request_type(link: Option<LinkId>) -> &'static str {
    if link.is_some() { "payment_link" } else { "payment_verification" }
}
