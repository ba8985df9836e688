//! A payer's check of a payment link: a verification like any other, asked in the name of the key
//! that made the link and charged to it.
//!
//! What differs: the link decides first whether it may begin and whether its end counts, no answer
//! is kept and nobody gets the first report, since a payer looks at the link's page as often as it likes;
//! and a movement that was claimed before pays nothing. Two links never join each other's checks,
//! nor those of the API, because the link stands in the fingerprint where a key's id would.

use std::sync::Arc;
use std::time::Duration;

use bank::Capabilities;
use domain::fingerprint::Fingerprint;
use domain::ids::{LinkId, OwnerId, VerificationId};
use domain::language::Language;
use domain::matching::{Query, confirms};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::verification::{ANSWER, Failed, State};
use futures_util::future::{Either, select};
use store::accounts::Account;
use store::fault::Fault;
use store::links::Link;
use store::movements::ReferenceQuery;
use store::tx::Tx;
use store::{movements, verifications};

use super::asked::Asked;
use super::call::{AdmittedBy, Call, Confirmed};
use super::run::{Run, RunOutcome, has_begun};
use crate::{App, Error, RequestContext};

/// How long a payer waits before the page says that the bank is being asked: most banks answer
/// sooner, and then the first thing that the payer sees is the end.
const PAGE_WAIT: Duration = Duration::from_secs(2);

/// Check to be made of a link that was found to be payable.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) owner: OwnerId,
    pub(crate) link: Link,
    pub(crate) account: Account,
    pub(crate) query: Query,
}

/// The state of a check, as far as a payer is shown it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The bank is being asked.
    Checking {
        /// Since when.
        since: Timestamp,
    },
    /// It was confirmed, and the link is paid.
    Confirmed,
    /// There is nothing that could be taken for this payment. Whether the bank shows none, shows
    /// another amount, or it was used before, is the same answer: a person who tries references
    /// out learns nothing.
    Unconfirmed,
    /// The payment is there with another amount. Only shown to a person who knew who paid.
    OtherAmount,
    /// The payment is there, and was made when that amount was not owed. Only shown to a person who knew who paid.
    OutsideRate,
    /// The bank gave no usable answer: this says nothing of the payment.
    Unheard,
    /// A payment fits that would be confirmed if the store had not been put back from a copy: the merchant looks at it first.
    InReview,
    /// The link had ended before the payment was found.
    TooLate,
}

/// Begins a check and waits a little for its end. Its id shows its result, then and later. Nothing has begun where
/// none is answered: the link's owner or account has changed since it was looked at.
///
/// # Errors
/// A refusal: the link takes no more, or credits refuse; or a failure of the store.
pub(crate) async fn attempt(
    app: &Arc<App>,
    check: Check,
    request: &RequestContext,
) -> Result<Option<VerificationId>, Error> {
    let connector = app.banks.get(check.account.provider.as_str()).cloned();
    let connector = connector.ok_or(Refusal::InvalidBankProvider)?;
    let owner = check.owner;
    let call = Arc::new(call(app, check, connector.capabilities(), request.received));
    let meter = &request.meter;
    let (run, outcome) = Run::of_call(app, connector, call, Arc::clone(meter));
    let id = run.id();
    app.tasks.spawn(Box::pin(run.drive()));

    let mut outcome = outcome;
    for longest in [PAGE_WAIT, ANSWER] {
        let waited = app.clock.sleep(request.left_of(longest, &*app.clock));
        match select(outcome, waited).await {
            Either::Left((Ok(RunOutcome::Refused(refusal)), _)) => return Err(refusal.into()),
            Either::Left((Ok(RunOutcome::Failed(error)), _)) => return Err(error),
            Either::Left((Ok(RunOutcome::Joined(other)), _)) => return Ok(Some(other)),
            Either::Left((Ok(RunOutcome::Changed), _)) => return Ok(None),
            // It ended, or its task with the process: then it will be taken over.
            Either::Left((Ok(RunOutcome::Settled(..)) | Err(_), _)) => return Ok(Some(id)),
            Either::Right(((), still)) => outcome = still,
        }
        // It goes on without the payer, who needs no more than that it has begun.
        if has_begun(app, meter, owner, id).await? {
            return Ok(Some(id));
        }
    }
    Err(Refusal::ServiceUnavailable.into())
}

fn call(app: &App, check: Check, bank: &Capabilities, received: Timestamp) -> Call {
    let Check { owner, link, account, query } = check;
    let now = app.clock.now();
    Call {
        owner,
        actor: link.actor,
        admitted: AdmittedBy::Link,
        caller_client: link.client,
        asked: Asked::of(&query, Some(link.id.to_string())),
        fingerprint: Fingerprint::of(link.id.to_bytes(), account.identity, bank.rule, &query),
        account,
        same_bank: bank.same_bank(),
        // The owner's leave is for callers of the API.
        rule: bank.rule,
        query,
        received,
        slot: None,
        // A payer looks at the link's page; there is no caller to report to once.
        first_report: None,
        receipt: None,
        now,
        render: |_: &Confirmed| Vec::new(),
        livemode: bank.livemode,
        // Payers' pages render what they are shown by themselves.
        language: Language::Es,
        link: Some(link.id),
    }
}

/// Returns how a check of `link` stands; `None` where that is no check of it.
///
/// # Errors
/// A fault of the store.
pub(crate) fn outcome(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: LinkId,
    bank: &Capabilities,
    id: VerificationId,
) -> Result<Option<CheckOutcome>, Fault> {
    let row = verifications::find(tx, owner, id)?;
    let Some(row) = row.filter(|row| row.link == Some(link)) else { return Ok(None) };
    match (row.state, &row.failed) {
        (State::Asking, _) => return Ok(Some(CheckOutcome::Checking { since: row.asked_at })),
        (State::Confirmed, _) => return Ok(Some(CheckOutcome::Confirmed)),
        (_, Some(Failed::LinkClosed)) => return Ok(Some(CheckOutcome::TooLate)),
        (_, Some(Failed::RejectedCredentials | Failed::Unheard | Failed::Expired)) => {
            return Ok(Some(CheckOutcome::Unheard));
        }
        _ => {}
    }
    // Looked for whatever the end was, so that the work does not show either which one it was.
    let query = Asked::from_json(row.query.as_str())?.query()?;
    let mut known = Vec::new();
    for sought in ReferenceQuery::named(bank.rule, &query.reference, bank.same_bank().is_some()) {
        known.extend(movements::find(tx, owner, row.identity, &sought)?);
    }
    let is_theirs = matches!(&row.failed, Some(Failed::OtherAmount(amount)) if known
        .iter()
        .any(|movement| movement.amount == *amount && confirms(&query, &movement.payer)));
    let is_of_amount =
        matches!(&row.failed, Some(Failed::OtherAmount(amount)) if query.amount == Some(*amount));
    if matches!(row.failed, Some(Failed::NeedsReview(_))) {
        return Ok(Some(CheckOutcome::InReview));
    }
    Ok(Some(match (is_theirs, is_of_amount) {
        (true, true) => CheckOutcome::OutsideRate,
        (true, false) => CheckOutcome::OtherAmount,
        (false, _) => CheckOutcome::Unconfirmed,
    }))
}
