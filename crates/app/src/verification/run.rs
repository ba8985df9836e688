//! Carries one verification forward: performs the effects that the machine asks for, one after
//! another, in a task of its own.

use std::sync::Arc;

use bank::{Bank, Question, SIGHTINGS_MAX, Unkept};
use domain::ids::{
    BankId, IdentityId, LinkId, MovementId, OwnerId, PaymentId, ReceiptId, VerificationId,
};
use domain::matching::{Query, SameBankNotice};
use domain::time::Timestamp;
use domain::verification::{
    Answer, Effect, Event, Failure, LEASE, RunEnd, SEARCH, Stage, begin, searched_from, step,
    take_over,
};
use futures_util::future::{Either, select};
use store::fault::WriteError;
use store::tx::Tx;
use store::verifications::Verification;
use store::{Lane, Meter, verification_leases, verifications};
use store::{bank_access, bank_notifications};
use tokio::sync::oneshot;

use super::call::Call;
use super::first_report::FirstReportGuard;
use super::reserve::{Reservation, reserve};
use super::settle::settle;
use super::settlement::{SettleInput, SettleResult};
use crate::accounts::Opened;
use crate::bank_tokens::AccountTokens;
use crate::links::LinkEvents;
use crate::statement::{Kept, keep};
use crate::{App, Error};

/// Outcome that a run tells whoever waits for it.
#[derive(Debug)]
pub(super) enum RunOutcome {
    /// The verification has its end; with a payment, the answer as it was kept, and the first report.
    Settled(Box<SettleResult>, Option<Vec<u8>>, Option<FirstReportGuard>),
    /// Limits or balance refuse.
    Refused(domain::refusal::Refusal),
    /// Another one with this fingerprint is open.
    Joined(VerificationId),
    /// What let the call in has changed since, and nothing has begun.
    Changed,
    /// The store failed; where the row was written, somebody comes back to it.
    Failed(Error),
}

/// One verification on its way.
pub(super) struct Run {
    app: Arc<App>,
    connector: Arc<dyn Bank>,
    /// The call that asked; `None` where the row was taken over.
    call: Option<Arc<Call>>,
    owner: OwnerId,
    id: VerificationId,
    bank: BankId,
    identity: IdentityId,
    link: Option<LinkId>,
    query: Query,
    /// When the caller asked, by the row that the run has or will have.
    asked_at: Timestamp,
    payment: PaymentId,
    receipt: ReceiptId,
    meter: Arc<Meter>,
    caller: Option<oneshot::Sender<RunOutcome>>,
    settling: Option<(SettleResult, Option<Vec<u8>>)>,
    failure: Option<WriteError>,
    /// Which of its bank calls this run makes, which is the lease that it holds.
    bank_call: i64,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Run {
    /// The run of a call that nothing known answers, and what its caller waits for.
    pub(super) fn of_call(
        app: &Arc<App>,
        connector: Arc<dyn Bank>,
        call: Arc<Call>,
        meter: Arc<Meter>,
    ) -> (Self, oneshot::Receiver<RunOutcome>) {
        let now = app.clock.now();
        let (caller, outcome) = oneshot::channel();
        let run = Self {
            connector,
            owner: call.owner,
            id: VerificationId::new(app.ids.as_ref(), now),
            bank: call.account.id,
            identity: call.account.identity,
            link: call.link,
            query: call.query.clone(),
            asked_at: now,
            payment: PaymentId::new(app.ids.as_ref(), now),
            receipt: ReceiptId::new(app.ids.as_ref()),
            call: Some(call),
            meter,
            caller: Some(caller),
            settling: None,
            failure: None,
            bank_call: verification_leases::FIRST_CALL,
            app: Arc::clone(app),
        };
        (run, outcome)
    }

    /// The run of a row whose holder has gone silent; the call after those of the row is begun.
    pub(super) fn of_row(
        app: &Arc<App>,
        connector: Arc<dyn Bank>,
        owner: OwnerId,
        row: &Verification,
        query: Query,
    ) -> Self {
        let now = app.clock.now();
        Self {
            connector,
            call: None,
            owner,
            id: row.id,
            bank: row.bank,
            identity: row.identity,
            link: row.link,
            query,
            asked_at: row.asked_at,
            payment: PaymentId::new(app.ids.as_ref(), now),
            receipt: ReceiptId::new(app.ids.as_ref()),
            meter: Arc::default(),
            caller: None,
            settling: None,
            failure: None,
            bank_call: row.calls + 1,
            app: Arc::clone(app),
        }
    }

    /// The id that its row has or will have.
    pub(super) fn id(&self) -> VerificationId {
        self.id
    }

    /// Carries the verification from wherever it is to the end of this run.
    pub(super) async fn drive(mut self) {
        let (mut stage, effect) = if self.call.is_some() { begin() } else { take_over() };
        let mut next = Some(effect);
        while let Some(effect) = next {
            let event = self.perform(effect).await;
            (stage, next) = step(stage, event);
        }
        let (app, connector) = (Arc::clone(&self.app), Arc::clone(&self.connector));
        let kept = Kept { owner: self.owner, bank: self.bank, identity: self.identity };
        self.report(stage);
        // Nobody waits for it any more: the rest of what the bank has shown.
        keep(&app, kept, &*connector).await;
    }

    /// Performs one effect and reports its result.
    pub(super) async fn perform(&mut self, effect: Effect) -> Event {
        match effect {
            Effect::Reserve => self.reserve().await,
            Effect::Ask => Event::Answered(self.ask().await),
            Effect::Settle(answer) => self.settle(answer).await,
        }
    }

    async fn reserve(&mut self) -> Event {
        let Some(call) = self.call.clone() else { return Event::Reserved };
        let (id, price) = (self.id, call.price(&self.app.settings));
        let now = self.asked_at;
        let (app, store) = (Arc::clone(&self.app), &self.app.store);
        let write = move |tx: &mut Tx<'_>| reserve(tx, &app, &call, id, price, now);
        match store.write(&self.meter, Lane::Admission, self.owner, write).await {
            Ok(Reservation::Reserved) => Event::Reserved,
            Ok(Reservation::Refused(refusal)) => Event::Refused(refusal),
            Ok(Reservation::Repeated(settling, body)) => {
                let settled = settling.settled.clone();
                self.settling = Some((*settling, Some(body)));
                Event::Settled(settled)
            }
            Ok(Reservation::Joined(other)) => Event::Joined(other),
            Ok(Reservation::Changed) => Event::Changed,
            Err(error) => self.store_event(error),
        }
    }

    /// Asks the bank, renewing the lease as long as it takes; gives up when a search must end.
    async fn ask(&self) -> Answer {
        let opened = match self.access().await {
            Ok(opened) => opened,
            Err(failure) => return Answer::Failed(failure),
        };
        let notices = match self.same_bank_notices().await {
            Ok(notices) => notices,
            Err(failure) => return Answer::Failed(failure),
        };
        let (access, sealed) =
            opened.as_ref().map(|(opened, sealed)| (opened.access(), &**sealed)).unzip();
        let tokens = AccountTokens::new(&self.app, (self.owner, self.bank), sealed);
        let clock = &self.app.clock;
        let begun = clock.uptime();
        let longest = SEARCH.min(self.connector.capabilities().deadline);
        let question = Question {
            owner: self.owner,
            bank: self.bank,
            identity: self.identity,
            access,
            tokens: &tokens,
            query: &self.query,
            notices: &notices,
            is_strangers: self.link.is_some(),
            asked_at: searched_from(self.asked_at, clock.now()),
            now: clock.now(),
        };
        let mut asking = self.connector.ask(question);
        // An answer that is there at once needs no timer.
        if let Some(answer) = futures_util::FutureExt::now_or_never(&mut asking) {
            return answer;
        }
        loop {
            let left = longest.saturating_sub(clock.uptime().saturating_sub(begun));
            if left.is_zero() {
                return Answer::Failed(Failure::TimedOut);
            }
            match select(asking, clock.sleep(left.min(LEASE / 3))).await {
                Either::Left((answer, _)) => return answer,
                Either::Right(((), still_asking)) => asking = still_asking,
            }
            if left > LEASE / 3 {
                self.renew_lease(clock.now().plus(LEASE)).await;
            }
        }
    }

    /// Opens what the account is reached with, where its bank wants that: as it is now, for a
    /// verification that was taken over as for one that has just begun; and the credentials as they are sealed.
    async fn access(&self) -> Result<Option<(Opened, Vec<u8>)>, Failure> {
        if self.connector.capabilities().credentials.is_empty() {
            return Ok(None);
        }
        let (owner, bank) = (self.owner, self.bank);
        let read =
            self.app.store.look_up(&self.meter, move |tx| bank_access::find(tx, owner, bank));
        let kept = read
            .await
            .and_then(|kept| kept.map(|kept| Opened::of(&self.app, owner, kept)).transpose());
        match kept {
            Ok(Some(opened)) => Ok(Some(opened)),
            // The account has been put into the trash since.
            Ok(None) => Err(Failure::RejectedCredentials),
            Err(error) => {
                tracing::error!(verification = %self.id, ?error, "an account cannot be reached");
                Err(Failure::Unavailable)
            }
        }
    }

    /// Returns the bank's notices of payments that the query may mean and that the bank lists under another reference.
    async fn same_bank_notices(&self) -> Result<Vec<SameBankNotice>, Failure> {
        if self.connector.capabilities().same_bank().is_none() {
            return Ok(Vec::new());
        }
        let (owner, identity) = (self.owner, self.identity);
        let typed = self.query.reference.clone();
        let read = self.app.store.look_up(&self.meter, move |tx| {
            bank_notifications::same_bank_by_receipt(tx, owner, identity, &typed)
        });
        let mut notices = read.await.map_err(|error| {
            tracing::error!(verification = %self.id, ?error, "notices cannot be read");
            Failure::Unavailable
        })?;
        notices.retain(|notice| self.query.reference.matches(&notice.receipt));
        Ok(notices)
    }

    /// Keeps others from taking the row over. A failure is harmless: at worst two nodes ask, and
    /// the first to settle wins.
    async fn renew_lease(&self, until: Timestamp) {
        let (owner, id, call) = (self.owner, self.id, self.bank_call);
        let renewed = self
            .app
            .store
            .write(&self.meter, Lane::Completion, owner, move |tx| {
                verification_leases::renew(tx, owner, id, call, until)
            })
            .await;
        if let Err(error) = renewed {
            tracing::warn!(verification = %self.id, %error, "a lease could not be renewed");
        }
    }

    async fn settle(&mut self, answer: Answer) -> Event {
        let now = self.app.clock.now();
        let sightings =
            if let Answer::Shown { sightings, .. } = &answer { sightings.len() } else { 0 };
        let work = SettleInput {
            owner: self.owner,
            verification: self.id,
            identity: self.identity,
            link: self.link.map(|link| (link, LinkEvents::new(&self.app, now))),
            provider: self.connector.capabilities().provider,
            livemode: self.connector.capabilities().livemode,
            review: self.app.review,
            bank: self.bank,
            same_bank: self.connector.capabilities().same_bank(),
            query: self.query.clone(),
            rule: self.connector.capabilities().rule,
            days_back: self.connector.capabilities().days_back,
            first_report: self.call.as_ref().and_then(|call| call.first_report),
            is_awaited: self.caller.as_ref().is_some_and(|caller| !caller.is_closed()),
            payment: self.payment,
            receipt: self.receipt,
            movements: (0..sightings.min(SIGHTINGS_MAX))
                .map(|_| MovementId::new(self.app.ids.as_ref(), now))
                .collect(),
            now,
            answer,
        };
        let (app, call) = (Arc::clone(&self.app), self.call.clone());
        // What is written here need not be looked at once more when the statement is kept.
        let taken_in = self.connector.statements().zip(match &work.answer {
            Answer::Shown { sightings, .. } => {
                Some(Unkept { rows: sightings.clone(), ..Unkept::default() })
            }
            _ => None,
        });
        let written = self
            .app
            .store
            .write(&self.meter, Lane::Completion, self.owner, move |tx| {
                let settling = settle(tx, &work)?;
                let body = match &call {
                    Some(call) if work.is_awaited => call.keep_answer(&app, tx, &settling)?,
                    _ => None,
                };
                Ok((settling, body))
            })
            .await;
        match written {
            Ok((settling, body)) => {
                if let Some((statements, rows)) = taken_in {
                    statements.note_kept(self.identity, &rows);
                }
                let settled = settling.settled.clone();
                self.settling = Some((settling, body));
                Event::Settled(settled)
            }
            Err(error) => self.store_event(error),
        }
    }

    fn store_event(&mut self, error: WriteError) -> Event {
        if matches!(error, WriteError::Unknown) {
            return Event::StoreUnknown;
        }
        tracing::error!(verification = %self.id, error = ?error, "a verification's step failed");
        self.failure = Some(error);
        Event::StoreFailed
    }

    /// Tells whoever waits.
    fn report(mut self, stage: Stage) {
        let failed = |failure: Option<WriteError>| {
            RunOutcome::Failed(failure.unwrap_or(WriteError::Unknown).into())
        };
        let outcome = match stage {
            Stage::Ended(RunEnd::Settled(_)) => match self.settling.take() {
                Some((settling, body)) => {
                    let call = self.call.as_ref();
                    let first_report =
                        call.and_then(|call| FirstReportGuard::of(&self.app, call, &settling));
                    RunOutcome::Settled(Box::new(settling), body, first_report)
                }
                None => failed(self.failure.take()),
            },
            Stage::Ended(RunEnd::Refused(refusal)) => RunOutcome::Refused(refusal),
            Stage::Ended(RunEnd::Joined(other)) => RunOutcome::Joined(other),
            Stage::Ended(RunEnd::Changed) => RunOutcome::Changed,
            _ => failed(self.failure.take()),
        };
        if let Some(caller) = self.caller.take() {
            // What nobody is there to take comes back here and is dropped, its report transferred.
            drop(caller.send(outcome));
        }
    }
}

/// Tells whether a verification's row has been committed: its id is told to nobody before.
///
/// # Errors
/// A failure of the store.
pub(super) async fn has_begun(
    app: &App,
    meter: &Meter,
    owner: OwnerId,
    id: VerificationId,
) -> Result<bool, Error> {
    Ok(app.store.look_up(meter, move |tx| verifications::find(tx, owner, id)).await?.is_some())
}
