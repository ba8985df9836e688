//! The operations `POST /v1/paymentlink/{payment_link_id}/cancel`, `stop`, `resume` and `reject`.

use domain::access::Guarded;
use domain::ids::{LinkId, OwnerId};
use domain::links::{Act as LinkAct, Decision, State};
use domain::refusal::Refusal;
use domain::text::Text;
use domain::time::Timestamp;
use domain::webhooks::Outcome;
use store::fault::Fault;
use store::links::Link;
use store::tx::Tx;
use store::{Lane, audit, credits, link_settings, links};

use super::{LinkRecord, Teller, reached};
use crate::keys::audited;
use crate::{Act, App, Error};

/// Why a link is rejected, for people.
pub type StatusDetail = Text<0, 300>;

/// What is told of a link that was rejected without a word.
const REJECTED: &str = "El comercio rechazó el enlace de pago.";

/// Ends, stops or resumes a link. What it is already stays as it is, and is no error.
///
/// # Errors
/// Not found; past it, or not while a payer is being checked; or a failure of the store.
pub async fn end<O: Guarded>(
    app: &App,
    act: &Act<O>,
    id: LinkId,
    what: LinkAct,
    detail: Option<StatusDetail>,
) -> Result<LinkRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let detail = detail.map(Text::into_string).filter(|detail| !detail.is_empty());
    let detail = detail.unwrap_or_else(|| REJECTED.to_owned());
    let entry = audited(app, act, id.to_string());
    let teller = Teller::new(app, now);
    let ended = app
        .store
        .write(act.meter(), Lane::Admission, owner, move |tx| {
            let link = match reached(tx, owner, &caller, id)? {
                Ok(link) => link,
                Err(refusal) => return Ok(Err(refusal)),
            };
            match link.standing.decide(what, now) {
                Decision::Done => return Ok(Ok(link)),
                Decision::Closed => return Ok(Err(Refusal::LinkClosed)),
                Decision::Wait => return Ok(Err(Refusal::RequestInProgress)),
                Decision::Do => {}
            }
            audit::insert(tx, owner, &entry, now)?;
            let link = write(tx, owner, link, (what, &detail), now)?;
            let outcome = match what {
                LinkAct::Reject => Some(Outcome::Failed { detail: &detail }),
                LinkAct::Cancel if link_settings::find(tx, owner)?.announce_expiry => {
                    Some(Outcome::Canceled)
                }
                _ => None,
            };
            if let Some(outcome) = outcome {
                let balance = credits::balance(tx, owner)?;
                teller.tell(tx, owner, &link, outcome, balance, now)?;
            }
            Ok(Ok(link))
        })
        .await?;
    app.webhooks.ring();
    Ok(LinkRecord::of(app, owner, ended?, now))
}

/// Does what was decided; answers the link as it is then.
fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    mut link: Link,
    (what, detail): (LinkAct, &str),
    now: Timestamp,
) -> Result<Link, Fault> {
    match what {
        LinkAct::Cancel => {
            links::end(tx, owner, link.id, (State::Canceled, None), now)?;
            link.standing.state = State::Canceled;
        }
        LinkAct::Reject => {
            links::end(tx, owner, link.id, (State::Failed, Some(detail)), now)?;
            link.standing.state = State::Failed;
            link.status_detail = Some(detail.to_owned());
        }
        LinkAct::Stop | LinkAct::Resume => {
            link.standing.is_stopped = what == LinkAct::Stop;
            links::set_stopped(tx, owner, link.id, link.standing.is_stopped, now)?;
        }
        LinkAct::Change => return Err(Fault::broken("a change is no end")),
    }
    link.updated_at = now;
    Ok(link)
}
