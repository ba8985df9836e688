//! Subscriptions: made, shown, changed and ended by their owner's keys and sessions; each of their cycles asks for one
//! payment by a link.
//!
//! `domain::subscriptions` decides what is due of a subscription at an instant, and [`steps`] does it, one step in a
//! transaction, on the node that comes first. An act of a person does first what is due by then.

mod cancel;
mod change;
mod clock;
mod collected;
mod cycles;
mod issue_payer_page;
mod list;
mod make;
mod pause;
mod payer_cancel;
mod payer_page;
mod price;
mod remind;
mod renew;
mod show;
#[cfg(test)]
mod simulation;
mod steps;
mod stop_reminders;
mod sums;
mod terms;
mod unpaid_policy;
mod waive;

use domain::access::{Caller, IssuePayerPage, Operation};
use domain::ids::{LinkId, OwnerId, SubscriptionId};
use domain::refusal::Refusal;
use domain::subscriptions::{self, PayerAddress, Status as Standing};
use domain::text::Text;
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
pub use store::subscription_cycles::State as CycleState;
use store::subscription_cycles::{self, Cycle};
pub use store::subscription_pages::Status;
pub use store::subscriptions::{Customer, Product, Subscription};
use store::tx::Tx;
use store::{accounts, subscriptions as rows};

use crate::App;
use crate::accounts::sees;
use crate::links::LinkRecord;
use crate::outcome::Outcome;

pub use cancel::{When, cancel, undo_cancel};
pub use clock::{Advanced, CLOCK_DAYS_MAX, ClockTarget, Happened, advance_clock};
pub use collected::{CYCLES_SUMMED_MAX, Collected, collected};
pub use cycles::{CycleRecord, cycles, owed_cycle};
pub use issue_payer_page::issue_payer_page;
pub use list::{Listing, list};
pub use make::{Render, SubscriptionRequest, make};
pub use pause::{PauseEnd, RESUMES_ON, pause, resume};
pub use payer_cancel::cancel_by_payer;
pub use payer_page::{
    OwedByPayer, PaidByPayer, PayerPage, Remains, link_of_cycle, view_payer_page,
};
pub use price::set_price;
pub use renew::renew;
pub use show::{check_reach, show};
pub use steps::SubscriptionStep;
pub use stop_reminders::{ReminderStop, stop_reminder_mail, view_reminder_stop};
pub use sums::{SUBSCRIPTIONS_SUMMED_MAX, SubscriptionSums, UNPAID_SUMMED_MAX, sums};
pub use terms::{AHEAD_DAYS_MAX, CYCLES_MAX, Wanted, WrongTerm};
pub use unpaid_policy::set_unpaid_policy;
pub use waive::waive;

/// Reason for which a cycle is waived, for the audit trail.
pub type WaiveReason = Text<1, 200>;

/// Label of a subscription.
pub type SubscriptionName = Text<0, 120>;

/// Purpose of a subscription, shown to the payer beside the period.
pub type SubscriptionDescription = Text<0, 400>;

/// Name of a product or a customer.
pub type PartyName = Text<1, 120>;

/// Phone of a customer, kept as it was typed.
pub type PhoneText = Text<1, 40>;

/// Code of a product or a customer at the merchant's.
pub type PartyCode = Text<0, 60>;

/// A subscription as it is shown.
#[derive(Clone, Debug)]
pub struct SubscriptionRecord {
    /// Whose it is.
    pub owner: OwnerId,
    /// What is kept of it.
    pub subscription: Subscription,
    /// The instant of the answer by its own clock, which may be ahead of the real one.
    pub now: Timestamp,
    /// What it is then.
    pub standing: Standing,
    /// The day on which somebody has to pay next.
    pub next_due: Option<CaracasDate>,
    /// Whether nothing is owed whose due day has come.
    pub is_settled: bool,
    /// The number of the first cycle that is owed, and its latest link.
    pub owed: Option<(u32, LinkId)>,
    /// Where payers reach that link.
    pub url: Option<String>,
    /// Where its payer reaches its page; nothing for a caller who may not cancel it, as anybody may who has that.
    pub payer_url: Option<String>,
}

impl SubscriptionRecord {
    fn of(
        app: &App,
        owner: OwnerId,
        (subscription, owed): (Subscription, &[Cycle]),
        now: Timestamp,
    ) -> Self {
        let rules = rules(&subscription, owed);
        let first = rules.owed().next().map(|cycle| cycle.number);
        let owed = owed.iter().find(|cycle| Some(cycle.number) == first);
        let owed = owed.map(|cycle| (cycle.number, cycle.link));
        let page = PayerAddress { owner, page: subscription.page };
        let base_url = &app.settings.base_url;
        Self {
            owner,
            now: rules.clock.virtual_now(now),
            standing: rules.status(now),
            next_due: rules.next_due(),
            is_settled: rules.is_settled(now),
            url: owed.map(|(_, link)| LinkRecord::url_of(base_url, link)),
            payer_url: Some(page.url(base_url)),
            owed,
            subscription,
        }
    }

    /// Returns the record as that caller sees it.
    fn seen_by(self, caller: &Caller) -> Self {
        let may_have = IssuePayerPage::RULE.check(caller).is_ok();
        Self { payer_url: self.payer_url.filter(|_| may_have), ..self }
    }

    /// Returns its status as callers of the API read it.
    #[must_use]
    pub const fn status(&self) -> Status {
        match self.standing {
            Standing::Pending => Status::Pending,
            Standing::Trialing | Standing::Active | Standing::PastDue => Status::Active,
            Standing::Paused => Status::Inactive,
            Standing::Completed => Status::Completed,
            Standing::Canceled | Standing::Expired => Status::Cancelled,
        }
    }
}

/// A subscription as the rules see it.
fn rules(of: &Subscription, owed: &[Cycle]) -> subscriptions::Subscription {
    subscriptions::Subscription {
        terms: of.terms,
        clock: of.clock,
        standing: of.standing,
        owed: owed.iter().filter_map(Cycle::owed).collect(),
    }
}

/// The record of a subscription, with what is owed of it.
///
/// # Errors
/// A fault of the store.
fn record(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    of: Subscription,
    now: Timestamp,
) -> Result<SubscriptionRecord, Fault> {
    let owed = subscription_cycles::owed(tx, owner, of.id)?;
    Ok(SubscriptionRecord::of(app, owner, (of, &owed), now))
}

/// The subscription of that id, if the caller reaches it: it sees its account, and a client's caller those that its
/// client made.
///
/// # Errors
/// Not found, also where it is out of reach; or a fault of the store.
fn reached(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    caller: &Caller,
    id: SubscriptionId,
) -> Outcome<Subscription> {
    let of = rows::find(tx, owner, id)?.ok_or(NOT_FOUND)?;
    if !caller.is_scoped() {
        return Ok(of);
    }
    let account = accounts::find(tx, owner, of.bank)?;
    let is_seen = account.is_some_and(|account| sees(&account, caller));
    if is_seen && caller.sees_made_for(of.client) { Ok(of) } else { Err(NOT_FOUND.into()) }
}

/// Refusal about a subscription that is not there, or out of reach.
const NOT_FOUND: Refusal = Refusal::NotFound("subscription");
