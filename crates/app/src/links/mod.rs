//! Payment links: made, shown, changed and ended by their owner's keys and sessions, and paid by
//! anybody who has their page.
//!
//! A caller reaches a link where it reaches the link's account, and a client's caller only those that its client
//! made. What a payer may do needs no caller: see [`checkout`].

mod accept;
mod acceptable;
mod attempts;
mod change;
pub mod checkout;
mod create;
mod currencies;
mod end;
mod exhausted;
mod expiry;
mod first_lock;
mod for_movement;
mod hold_rate;
mod link_events;
mod list;
mod owed_cycle;
mod rate;
mod renew;
mod settings;
mod show;
mod wire_event;
mod wire_link;

use std::sync::Arc;

use bank::Bank;
use domain::access::Caller;
use domain::ids::{LinkId, OwnerId};
use domain::links::Status;
use domain::refusal::Refusal;
use domain::text::Text;
use domain::time::Timestamp;
use store::accounts::Account;
pub use store::links::{Link, Origin};
use store::tx::Tx;
use store::{accounts, links};

use crate::App;
use crate::accounts::sees;
use crate::outcome::Outcome;

pub use accept::{Chosen, accept};
pub use acceptable::{Acceptable, acceptable};
pub use attempts::{LinkAttempts, LinkCheck, attempts};
pub use change::{Change, change};
pub use create::{LinkRequest, Render, create};
pub use currencies::currencies;
pub use end::{End, StatusDetail, end};
pub(crate) use exhausted::fail_if_exhausted;
pub use expiry::LinkExpiry;
pub(crate) use first_lock::FirstLock;
pub use for_movement::{ForMovement, for_movement};
pub use hold_rate::hold_rate;
pub(crate) use link_events::LinkEvents;
pub use list::{Found, Listing, list};
pub(crate) use owed_cycle::{LAPSED, OwedCycle, is_payable};
pub(crate) use rate::{lock_of, locks_of, owed_by, shorten_lock};
pub use renew::renew;
pub(crate) use renew::{minutes_until, pending_until, renewed};
pub use settings::{LinkSettingsChange, set_settings, show_settings};
pub use show::{check_reach, show, show_paid};
pub use wire_event::WireLinkEvent;
pub(crate) use wire_event::{LinkEvent, LinkOutcome, pairs};
pub use wire_link::WireLink;

/// A link's label.
pub type LinkName = Text<0, 120>;

/// Purpose of a link, shown to the payer.
pub type LinkDescription = Text<1, 500>;

/// A link as it is shown.
#[derive(Clone, Debug)]
pub struct LinkRecord {
    /// Whose link it is.
    pub owner: OwnerId,
    /// The link.
    pub link: Link,
    /// What it is at the instant of the answer.
    pub status: Status,
    /// Where payers reach it.
    pub url: String,
}

impl LinkRecord {
    pub(crate) fn of(app: &App, owner: OwnerId, link: Link, now: Timestamp) -> Self {
        let status = link.standing.status(now);
        let url = Self::url_of(&app.settings.base_url, link.id);
        Self { owner, link, status, url }
    }

    /// The address of a link's page.
    pub(crate) fn url_of(base_url: &str, id: LinkId) -> String {
        format!("{base_url}/pay/{id}")
    }
}

/// The connector of an account that money can come to through this service.
///
/// # Errors
/// Why none can.
pub(crate) fn usable<'a>(app: &'a App, account: &Account) -> Result<&'a Arc<dyn Bank>, Refusal> {
    if account.is_disabled {
        return Err(Refusal::UserBankDisabled);
    }
    if account.client_is_active == Some(false) {
        return Err(Refusal::ClientNotActive);
    }
    app.open_bank(&account.provider).ok_or(Refusal::InvalidBankProvider)
}

/// The link of that id, held for a change, if the caller sees what was made on its account.
///
/// # Errors
/// Not found, also where it is of an account out of reach; or a fault of the store.
fn reached(tx: &mut Tx<'_>, owner: OwnerId, caller: &Caller, id: LinkId) -> Outcome<Link> {
    let link = links::find_held(tx, owner, id)?.ok_or(NOT_FOUND)?;
    within_reach(tx, owner, caller, link)
}

/// The link, if the caller reaches it.
///
/// # Errors
/// Not found, or a fault of the store.
fn within_reach(tx: &mut Tx<'_>, owner: OwnerId, caller: &Caller, link: Link) -> Outcome<Link> {
    if !caller.is_scoped() {
        return Ok(link);
    }
    let account = accounts::find(tx, owner, link.bank)?;
    let is_seen = account.is_some_and(|account| sees(&account, caller));
    let is_reached = is_seen && caller.sees_made_for(link.client);
    if is_reached { Ok(link) } else { Err(NOT_FOUND.into()) }
}

/// Refusal about a link that is not there, or out of reach.
const NOT_FOUND: Refusal = Refusal::NotFound("payment_link");
