//! The operation: `POST /v1/webhooks/check`.
//!
//! A receiver is asked a short row of questions, one after the other, and its answers are graded. It is
//! called by the client that delivers, and so goes nowhere that a webhook does not; of what it answers,
//! less is shown than of a test.
//!
//! What a secret of the owner signs here is made up here, but for the address, the owner's id and its balance,
//! which its body says as any other, and is of nothing: `test_…`, `livemode: false`. Nobody gets a
//! signature on what it chose, and none is shown. What is sent altered is made up like what was signed
//! in its place; what is signed wrongly never meets a secret of the owner's; and no time is signed
//! that lies ahead by more than the second that distinguishes a repeat from what it repeats. Nothing
//! of it is kept but a line of the audit trail: it is no event, and a log of deliveries that showed
//! forged ones would prove nothing.

mod checks;
mod questions;

use std::time::Duration;

use domain::access::CheckReceiver;
use domain::ids::{ClientId, EventId, OwnerId};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::conformance::{
    ANSWER_MAX, Finding, Grade, Probe, grade_of_all, grade_of_clock, grade_of_time,
};
use domain::webhooks::{ClockCheck, Trouble};
use egress::{DEADLINE, Destination, Exchange};
use store::{audit, credits, webhook_trials};

pub(super) use self::checks::Checks;
use self::questions::{Question, Questions};
use super::for_client::{check_known, check_permitted};
use crate::audit_entry::audited;
use crate::{Act, App, Error};

/// How long all of it may take: nothing is asked that might end later. A process that stops waits a
/// little longer for what it has begun.
pub const CHECK_MAX: Duration = Duration::from_secs(25);

const _: () = assert!(ANSWER_MAX.as_secs() == DEADLINE.as_secs());

/// Result of a check of a receiver.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Every probe, in order.
    pub steps: Vec<Step>,
    /// The receiver's clock, where an answer has shown it.
    pub clock: Option<ClockCheck>,
    /// How long the slowest exchange took.
    pub slowest: Option<Duration>,
}

/// Result of one probe in the check of a receiver.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What was asked.
    pub probe: Probe,
    /// What was found.
    pub finding: Finding,
    /// The status that was answered.
    pub status: Option<u16>,
    /// How long that took, where it was asked.
    pub took: Option<Duration>,
}

impl Step {
    /// How good it is.
    #[must_use]
    pub const fn grade(&self) -> Grade {
        self.finding.grade(self.probe)
    }
}

impl Checked {
    /// How good all of it is.
    #[must_use]
    pub fn grade(&self) -> Grade {
        let (clock, time) = (grade_of_clock(self.clock), grade_of_time(self.slowest));
        grade_of_all(self.steps.iter().map(Step::grade), clock, time)
    }

    /// Why the receiver was not asked everything, where it gave no answer at all.
    #[must_use]
    pub fn out_of_reach(&self) -> Option<Trouble> {
        match self.steps.first()?.finding {
            Finding::Unheard(trouble) => Some(trouble),
            _ => None,
        }
    }
}

/// Asks a receiver what shows whether it keeps the rules that receivers are given. An owner has
/// one check at a time in this process. Where a client is named, the receiver is one of its, and everything is signed for
/// these too where it has a secret.
///
/// # Errors
/// A client that the caller may not see, or that is none; an address that may not be called; a check of the owner's that is
/// still under way, too many of all, or too many in this minute; or a failure of the store.
pub async fn check(
    app: &App,
    act: &Act<CheckReceiver>,
    url: UrlText,
    client: Option<ClientId>,
) -> Result<Checked, Error> {
    check_permitted(act.caller(), client)?;
    let _turn = app.webhooks.checks.begin(act.owner())?;
    let end = app.clock.uptime() + CHECK_MAX;
    app.webhooks.check_url(url.as_str()).await?;
    let questions = begin(app, act, url, client).await?;
    let mut checked = Checked { steps: Vec::new(), clock: None, slowest: None };
    let mut why_not = None;
    for probe in Probe::ALL {
        let (now, began) = (app.clock.now(), app.clock.uptime());
        if began + DEADLINE > end {
            why_not = why_not.or(Some(Finding::OutOfTime));
        }
        if let Some(finding) = why_not {
            checked.steps.push(Step { probe, finding, status: None, took: None });
            continue;
        }
        let question = questions.of(app, act.meter(), probe, now).await?;
        let exchange = ask(app, act.owner(), questions.url(), question, end).await;
        let took = app.clock.uptime().saturating_sub(began);
        if !checked.add(probe, &exchange, now, took) {
            why_not = Some(Finding::OutOfReach);
        }
    }
    Ok(checked)
}

/// Counts the try, leaves a line in the audit trail, and reads what is said of credits.
async fn begin(
    app: &App,
    act: &Act<CheckReceiver>,
    url: UrlText,
    client: Option<ClientId>,
) -> Result<Questions, Error> {
    let (owner, now) = (act.owner(), act.now);
    let id = EventId::new(&*app.ids, now);
    let entry = audited(app, act, id.to_string());
    let write = act.write(app, move |tx| {
        check_known(tx, owner, client)?;
        if let Err(retry_after) = webhook_trials::take(tx, owner, now)? {
            return Err(Refusal::TooManyRequests { retry_after }.into());
        }
        let balance = credits::balance(tx, owner)?;
        audit::insert(tx, owner, &entry, now)?;
        Ok(balance)
    });
    Ok(Questions::new(app, (owner, client, id), url, write.await?))
}

/// Asks, and asks again where a connection that was kept was no longer there: the receiver had done
/// nothing wrong, and the schedule that repeats a delivery for that is none of a check's.
async fn ask(
    app: &App,
    owner: OwnerId,
    url: &UrlText,
    question: Question,
    end: Duration,
) -> Exchange {
    let parts = Destination::parse(url.as_str())
        .and_then(|to| Ok((to, egress::headers(&question.headers)?)));
    let (to, headers) = match parts {
        Ok(parts) => parts,
        Err(trouble) => return Exchange::none(trouble),
    };
    let client = app.webhooks.client();
    let exchange = client.post(owner, &to, &headers, question.body.clone().into()).await;
    match exchange.answer {
        Err(Trouble::Reset) if exchange.is_reused && app.clock.uptime() + DEADLINE <= end => {
            client.post(owner, &to, &headers, question.body.into()).await
        }
        _ => exchange,
    }
}

impl Checked {
    /// Adds the result of a probe; answers whether there is anybody to ask the next.
    fn add(&mut self, probe: Probe, exchange: &Exchange, began: Timestamp, took: Duration) -> bool {
        let answer = exchange.answer.as_ref();
        let status = answer.ok().map(|answer| answer.status);
        let genuine = self.steps.first().and_then(|step| step.status);
        let finding =
            Finding::of(probe, answer.map(|answer| answer.status).map_err(|t| *t), genuine);
        if let (None, Ok(answer)) = (self.clock, answer) {
            let answered_at = began.plus(exchange.phases.before_reading());
            self.clock = ClockCheck::of(&answer.head, answered_at);
        }
        if exchange.sent.is_some() {
            self.slowest = self.slowest.max(Some(took));
        }
        let is_first = self.steps.is_empty();
        self.steps.push(Step { probe, finding, status, took: Some(took) });
        status.is_some() || (!is_first && exchange.sent.is_some())
    }
}
