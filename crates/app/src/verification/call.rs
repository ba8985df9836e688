//! A call: what a caller wants verified, what it was admitted by, and what it is answered.
//!
//! What admitted it is looked at again when its verification reserves. Between the two a key may be rotated, bound to
//! a client or limited to other accounts; what was admitted then may be under no limit that is in force now.

use domain::access::{Caller, ClientCaller, EmployeeCaller, OwnerCaller};
use domain::fingerprint::Fingerprint;
use domain::ids::{
    ActorId, BankId, ClientId, FirstReportId, LinkId, OwnerId, ReceiptId, VerificationId,
};
use domain::language::Language;
use domain::matching::{Query, Rule};
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::verification::Failed;
use store::accounts::Account;
use store::activity::Entry;
use store::admission::{self, AdmissionState, Credential};
use store::fault::Fault;
use store::idempotency::Slot;
use store::payments::Payment;
use store::point_query::PointQuery;
use store::tx::Tx;

use super::asked::Asked;
use super::by_hand::ByHand;
use super::settlement::SettleResult;
use super::whole::{Around, Whole};
use crate::Settings;
use crate::present::{same_key, session_caller};

/// Verification that a caller wants.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// The account that the payment should have come to.
    pub bank: BankId,
    /// What is looked for.
    pub query: Query,
    /// What the shop calls the origin of the payment.
    pub source_name: Option<String>,
    /// The place where its caller learns that the payment is new.
    pub reported_in: ReportedIn,
}

/// The place where a caller learns that a payment is new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportedIn {
    /// In the answer, as programs do.
    #[default]
    Answer,
    /// On the page of the verification, which the answer leads to: see [`super::report::report`].
    Page,
}

/// A payment that is confirmed, as one call receives it.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// The verification that claimed it.
    pub verification: VerificationId,
    /// Whether this call is the one to which the payment is reported as new.
    pub is_new: bool,
    /// Says whether this very call made the payment of a movement that a person accepts, whatever that cost.
    pub is_made: bool,
    /// The credits charged for the payment, to the one call that it is new to; zero for every other.
    pub credit_cost: Credits,
    /// The owner's balance; not shown to a client's callers.
    pub balance: Option<Credits>,
    /// The payment, with what the first claimant said, or this call where the first is somebody else's.
    pub whole: Whole,
    /// The language of the answer.
    pub language: Language,
}

/// Writes a confirmed payment as the body of an answer.
pub type Render = fn(&Confirmed) -> Vec<u8>;

/// Source of a call's admission.
#[derive(Clone, Debug)]
pub(super) enum AdmittedBy {
    /// Who calls.
    Caller(Caller),
    /// A payment link, which outlives its key.
    Link,
    /// What the transaction that reserves has looked at itself.
    Here {
        /// Whether the one who acts may know the owner's credits.
        knows_credits: bool,
    },
}

/// Facts about a call once its account has been looked at: all that its transactions and its activity entry need.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) owner: OwnerId,
    /// Who calls.
    pub(super) actor: ActorId,
    /// What let it in.
    pub(super) admitted: AdmittedBy,
    /// The client that the caller itself is bound to: what a repeat may show depends on it.
    pub(super) caller_client: Option<ClientId>,
    pub(super) account: Account,
    /// The bank's code, where it lists payments between two customers of its own under references that no receipt has.
    pub(super) same_bank: Option<&'static str>,
    /// How references of the account are compared, as its owner has chosen when the call came.
    pub(super) rule: Rule,
    pub(super) query: Query,
    pub(super) asked: Asked,
    pub(super) fingerprint: Fingerprint,
    pub(super) received: Timestamp,
    pub(super) slot: Option<Slot>,
    /// The first report of the payment, where this call gets it; `None` where no answer of it reports a payment.
    pub(super) first_report: Option<FirstReportId>,
    /// The receipt of a payment that was claimed without one; `None` where no person verifies by hand.
    pub(super) receipt: Option<ReceiptId>,
    pub(super) now: Timestamp,
    pub(super) render: Render,
    /// Whether money of the account exists, and the language of the answer.
    pub(super) livemode: bool,
    pub(super) language: Language,
    /// The link that a payer has checked; `None` for a caller of the API.
    pub(super) link: Option<LinkId>,
}

impl Call {
    /// Returns what the call costs if it confirms.
    pub(super) fn price(&self, settings: &Settings) -> Credits {
        if self.link.is_some() { settings.link_price } else { settings.verification_price }
    }

    /// Returns the caller's answer for an end without a payment.
    pub(super) fn refusal(&self, failed: &Failed) -> Refusal {
        let shown = failed.clone();
        let shown = if self.caller_client.is_some() { shown.for_clients() } else { shown };
        shown.refusal(self.query.reference.count())
    }

    /// Returns the person who verifies by hand, if one does.
    pub(super) fn by_hand(&self) -> Option<ByHand> {
        let (client, identity) = (self.caller_client, self.account.identity);
        let by_hand = |receipt| ByHand {
            receipt,
            person: self.actor,
            client,
            identity,
            livemode: self.livemode,
        };
        self.receipt.map(by_hand)
    }

    /// Tells whether the caller may know the owner's credits.
    pub(super) fn knows_balance(&self) -> bool {
        match &self.admitted {
            AdmittedBy::Caller(caller) => caller.knows_credits(),
            AdmittedBy::Here { knows_credits } => *knows_credits,
            AdmittedBy::Link => self.caller_client.is_none(),
        }
    }

    /// Returns the payment as a confirmed answer shows it: with the first claimant's own words to the same key or client,
    /// with this call's to anybody else. A client's caller is not told either who claimed it and what for, if that was
    /// somebody else.
    fn shown(&self, payment: &Payment, base_url: &str) -> Result<Whole, Fault> {
        let around = Around { livemode: self.livemode, base_url };
        let same_client = self.caller_client.is_some() && self.caller_client == payment.client;
        let is_own = payment.actor == self.actor || same_client;
        let asked = match is_own {
            true => Asked::from_json(payment.params.as_str())?,
            false => self.asked.clone(),
        };
        let whole = Whole::of(self.owner, payment.clone(), asked, around);
        let may_see = is_own || self.caller_client.is_none();
        Ok(if may_see { whole } else { whole.of_somebody_else() })
    }

    /// The activity entry of this call.
    pub(super) fn activity(&self, status: &str, error_code: Option<&str>, now: Timestamp) -> Entry {
        let latency = now.since(self.received).as_micros();
        Entry {
            created_at: now,
            request_type: request_type(self.link).to_owned(),
            provider: self.account.provider.clone(),
            bank: self.account.id,
            status: status.to_owned(),
            error_code: error_code.map(str::to_owned),
            latency_us: i64::try_from(latency).unwrap_or(i64::MAX),
        }
    }

    /// Returns the query that decides about admission now; `None` where that has been looked at already.
    pub(super) fn deciding(&self) -> Option<PointQuery<Option<AdmissionState>>> {
        let (owner, bank) = (self.owner, self.account.id);
        match &self.admitted {
            AdmittedBy::Caller(Caller::Key(key)) => Some(admission::of_key(owner, key.key, bank)),
            AdmittedBy::Caller(
                Caller::Owner(OwnerCaller { session, .. })
                | Caller::Employee(EmployeeCaller { session, .. })
                | Caller::Client(ClientCaller { session, .. }),
            ) => Some(admission::of_session(owner, *session, bank)),
            AdmittedBy::Link => self.link.map(|link| admission::of_link(owner, bank, link)),
            AdmittedBy::Caller(Caller::Nobody) | AdmittedBy::Here { .. } => None,
        }
    }

    /// Tells whether all that admitted the call is unchanged, as this transaction sees it. A caller whose right has
    /// ended meanwhile learns nothing.
    ///
    /// # Errors
    /// A fault of the store.
    pub(super) fn stands(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<bool, Fault> {
        let Some(deciding) = self.deciding() else { return Ok(true) };
        Ok(self.is_still_admitted(deciding.run(tx)?, now))
    }

    /// Tells whether all that admitted the call is unchanged.
    pub(super) fn is_still_admitted(
        &self,
        present: Option<AdmissionState>,
        now: Timestamp,
    ) -> bool {
        let Some(AdmissionState { by, account }) = present else { return false };
        if !is_same_account(&self.account, &account) {
            return false;
        }
        match (&self.admitted, by) {
            (AdmittedBy::Caller(Caller::Key(key)), Credential::Key(standing)) => {
                same_key(key, standing, now)
            }
            (AdmittedBy::Caller(caller), Credential::Session(standing)) => {
                caller.session().is_some_and(|session| {
                    let present = session_caller((self.owner, session), Some(standing), now);
                    present.is_ok_and(|present| present.has_reach_of(caller))
                })
            }
            (AdmittedBy::Link, Credential::Link(may_be_paid)) => may_be_paid,
            _ => false,
        }
    }

    /// Returns the caller's answer about a settled payment, where payers reach the service at that address.
    pub(super) fn confirmed(
        &self,
        settling: &SettleResult,
        base_url: &str,
    ) -> Result<Option<Confirmed>, Fault> {
        let Some(payment) = &settling.payment else { return Ok(None) };
        let is_new = settling.settled.is_new;
        Ok(Some(Confirmed {
            verification: payment.verification,
            is_new,
            is_made: false,
            // Whoever hears of the payment as new hears what was charged for it, whichever call began its search.
            credit_cost: if is_new { payment.credit_cost } else { Credits::ZERO },
            balance: self.knows_balance().then_some(settling.balance),
            whole: self.shown(payment, base_url)?,
            language: self.language,
        }))
    }
}

/// Tells whether an account is unchanged in all that lets anybody in or says who is charged.
fn is_same_account(was: &Account, is: &Account) -> bool {
    let deciding = |account: &Account| {
        let Account { identity, client, is_trashed, is_disabled, client_is_active, .. } = account;
        (*identity, *client, *is_trashed, *is_disabled, *client_is_active)
    };
    deciding(was) == deciding(is) && was.provider == is.provider
}

/// Returns the type of activity entries: that of the API's calls, or that of payers' checks.
pub(super) const fn request_type(link: Option<LinkId>) -> &'static str {
    if link.is_some() { "payment_link" } else { "payment_verification" }
}
