//! An act: one operation by one caller at one instant, permitted.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::access::{Caller, Entry, Guarded, Operation, Permit};
use domain::browser::Program;
use domain::ids::{ActorId, OwnerId};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::outcome::{Outcome, as_answer};
use crate::present::unchanged;
use crate::{App, Clock, Error};

/// Facts of a request that are known before anybody looks at who sends it.
#[derive(Debug)]
pub struct RequestContext {
    /// When its first bytes were here.
    pub received: Timestamp,
    /// How long the clock had run then ([`Clock::uptime`]).
    pub received_uptime: Duration,
    /// Its id in answers and logs.
    pub request_id: String,
    /// The address that it came from.
    pub address: Option<IpAddr>,
    /// The program that sends it, as far as it says so.
    pub program: Program,
    /// The language of its answer.
    pub language: Language,
    /// What it costs the store.
    pub meter: Arc<Meter>,
    /// The caller as it was when the body was here, where that came late and what the caller may do had changed: it was
    /// admitted anew ([`crate::access::admit_again`]).
    pub readmitted: OnceLock<Caller>,
}

impl RequestContext {
    /// The same request, whose caller is whoever is admitted now.
    pub(crate) fn anew(&self) -> Self {
        Self {
            request_id: self.request_id.clone(),
            meter: Arc::clone(&self.meter),
            readmitted: OnceLock::new(),
            ..*self
        }
    }

    /// How much is left of a time that began with the request.
    pub(crate) fn left_of(&self, time: Duration, clock: &dyn Clock) -> Duration {
        time.saturating_sub(clock.uptime().saturating_sub(self.received_uptime))
    }

    /// The address as the audit trail has it.
    pub(crate) fn address_shown(&self) -> Option<String> {
        self.address.map(|address| address.to_string())
    }
}

/// One operation by one caller at one instant. Use cases demand it: having one proves that the
/// access table was asked, because nothing else makes the permit inside.
#[derive(Debug)]
pub struct Act<O: Operation> {
    /// The proof.
    pub permit: Permit<O>,
    /// The instant at which everything in it happens.
    pub now: Timestamp,
    /// The request that it came with.
    pub request: Arc<RequestContext>,
}

impl<O: Operation> Act<O> {
    /// The caller, as it was when all of the request was here.
    pub fn caller(&self) -> &Caller {
        self.request.readmitted.get().unwrap_or_else(|| self.permit.caller())
    }

    /// Returns the meter of what the request costs the store.
    pub fn meter(&self) -> &Meter {
        &self.request.meter
    }

    /// Reads from one snapshot, and answers what is there or why not.
    ///
    /// # Errors
    /// What `job` refuses, or a failure of the store.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        app: &App,
        job: impl Fn(&mut Tx<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, Error> {
        Ok(app.store.read(self.meter(), move |tx| as_answer(job(tx))).await??)
    }
}

impl<O: Guarded> Act<O> {
    /// Returns the owner whose data the operation is about.
    pub fn owner(&self) -> OwnerId {
        self.permit.owner()
    }

    /// Returns the actor whose work the operation is.
    pub fn actor(&self) -> ActorId {
        self.permit.actor()
    }

    /// Checks the proof of the person who acts, for a use case that asks for one where the call does what needs it: the
    /// operation's row of the table says so.
    ///
    /// # Errors
    /// The proof is missing or too old.
    pub(crate) fn proved(&self, app: &App) -> Result<(), Refusal> {
        const { assert!(O::DEMAND.is_found_by_use_case(), "the table says where it asks") };
        self.caller().proof().require(app.clock.now())
    }

    /// Writes for the admitted caller, in one transaction which first looks at whether it still would be admitted: a
    /// caller who has ended meanwhile sets nothing, and gets no answer either. The closure may run more than once.
    /// What it wrote before it refuses is committed; what it wrote before it fails is not.
    ///
    /// # Errors
    /// What `job` refuses, a caller who is not admitted any more, or a failure of the store.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        app: &App,
        job: impl Fn(&mut Tx<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, Error> {
        let (caller, now) = (self.caller().clone(), app.clock.now());
        let job = move |tx: &mut Tx<'_>| as_answer(checked(tx, (&caller, O::ENTRY, now), &job));
        Ok(app.store.write(self.meter(), Lane::Admission, self.owner(), job).await??)
    }

    /// The same for what may be written twice without harm: again, while the commit's answer is lost.
    ///
    /// # Errors
    /// Those of [`Self::write`].
    pub(crate) async fn write_again<T: Send + 'static>(
        &self,
        app: &App,
        job: impl Fn(&mut Tx<'_>) -> Outcome<T> + Clone + Send + 'static,
    ) -> Result<T, Error> {
        let (caller, now) = (self.caller().clone(), app.clock.now());
        let job = move |tx: &mut Tx<'_>| as_answer(checked(tx, (&caller, O::ENTRY, now), &job));
        Ok(app.store.write_again(self.meter(), Lane::Admission, self.owner(), job).await??)
    }
}

/// Does `job`, unless the caller admitted by `entry` is not any more, or has another reach.
fn checked<T>(
    tx: &mut Tx<'_>,
    (caller, entry, now): (&Caller, Entry, Timestamp),
    job: impl Fn(&mut Tx<'_>) -> Outcome<T>,
) -> Outcome<T> {
    unchanged(tx, caller, entry, now)?;
    job(tx)
}
