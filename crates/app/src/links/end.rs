//! The operations `POST /v1/paymentlink/{payment_link_id}/cancel`, `stop`, `resume` and `reject`.

use domain::access::Guarded;
use domain::ids::{LinkId, OwnerId};
use domain::links::{Decision, LinkAct, State};
use domain::refusal::{LinkRefusal, Refusal};
use domain::text::Text;
use domain::time::Timestamp;
use store::fault::Fault;
use store::links::Link;
use store::tx::Tx;
use store::{audit, link_settings, links};

use super::owed_cycle::check_link;
use super::{LinkEvents, LinkOutcome, LinkRecord, NOT_FOUND, within_reach};
use crate::audit_entry::audited;
use crate::changes::LinkStands;
use crate::{Act, App, Error, changes};

/// Why a link is rejected, for people.
pub type StatusDetail = Text<0, 300>;

/// Text that is reported of a link that was rejected without a word.
const REJECTED: &str = "El comercio rechazó el enlace de pago.";

/// Act that is done to a link.
#[derive(Clone, Debug)]
pub enum End {
    /// It is called off.
    Cancel,
    /// No payer may begin.
    Stop,
    /// Payers may begin again.
    Resume,
    /// It ends as failed, and this is reported as the reason.
    Reject(Option<StatusDetail>),
}

impl End {
    /// The act that it is.
    const fn act(&self) -> LinkAct {
        match self {
            Self::Cancel => LinkAct::Cancel,
            Self::Stop => LinkAct::Stop,
            Self::Resume => LinkAct::Resume,
            Self::Reject(_) => LinkAct::Reject,
        }
    }
}

/// Ends, stops or resumes a link. What it is already stays as it is, and is no error.
///
/// # Errors
/// Not found; past it, or not while a payer is being checked; or a failure of the store.
pub async fn end<O: Guarded>(
    app: &App,
    act: &Act<O>,
    id: LinkId,
    what: End,
) -> Result<LinkRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let entry = audited(app, act, id.to_string());
    let events = LinkEvents::new(app, now);
    let ended = act
        .write(app, move |tx| {
            let found = links::find_held_with_balance(tx, owner, id)?;
            let (link, balance) = found.ok_or(NOT_FOUND)?;
            let link = within_reach(tx, owner, &caller, link)?;
            match link.standing.decide(what.act(), now) {
                Decision::Done => return Ok(link),
                Decision::Closed => return Err(Refusal::Link(LinkRefusal::Closed).into()),
                Decision::Wait => return Err(Refusal::RequestInProgress.into()),
                Decision::Do => {}
            }
            if matches!(what, End::Resume) {
                check_link(tx, owner, &link)?;
            }
            let was = LinkStands(link.standing.status(now));
            let link = write(tx, owner, link, &what, now)?;
            let change = changes::changed(&was, &LinkStands(link.standing.status(now)));
            audit::insert_change(tx, owner, &entry, &change, now)?;
            let outcome = match &what {
                End::Reject(_) => Some(LinkOutcome::Failed),
                End::Cancel if link_settings::find(tx, owner)?.announce_expiry => {
                    Some(LinkOutcome::Canceled)
                }
                End::Cancel | End::Stop | End::Resume => None,
            };
            if let Some(outcome) = outcome {
                events.emit(tx, owner, &link, outcome, balance, now)?;
            }
            Ok(link)
        })
        .await?;
    Ok(LinkRecord::of(app, owner, ended, now))
}

/// Does what was decided; answers the link as it is then.
fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    mut link: Link,
    what: &End,
    now: Timestamp,
) -> Result<Link, Fault> {
    link.updated_at = now;
    match what {
        End::Cancel => {
            link.standing.state = State::Canceled;
            links::end(tx, owner, &link)?;
        }
        End::Reject(detail) => {
            link.standing.state = State::Failed;
            link.status_detail = Some(detail_text(detail.as_ref()).to_owned());
            links::end(tx, owner, &link)?;
        }
        End::Stop | End::Resume => {
            link.standing.is_stopped = matches!(what, End::Stop);
            links::set_stopped(tx, owner, link.id, link.standing.is_stopped, now)?;
        }
    }
    Ok(link)
}

/// Returns the text that people read of a rejection.
fn detail_text(detail: Option<&StatusDetail>) -> &str {
    detail.map(StatusDetail::as_str).filter(|detail| !detail.is_empty()).unwrap_or(REJECTED)
}
