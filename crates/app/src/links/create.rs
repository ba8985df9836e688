//! The operation: `POST /v1/paymentlink`.

use std::sync::Arc;
use std::time::Duration;

use bank::Bank;
use domain::access::{Caller, CreateLink};
use domain::ids::{BankId, LinkId, OwnerId};
use domain::language::Language;
use domain::links::{Price, Standing, State};
use domain::text::Text;
use domain::time::Timestamp;
use domain::url::UrlText;
use store::idempotency::Slot;
use store::links::{Link, Origin};
use store::tx::Tx;
use store::{accounts, audit, due, links};

use super::{FirstLock, LinkDescription, LinkName, LinkRecord, usable};
use crate::accounts::reached;
use crate::audit_entry::audited;
use crate::locator::Locator;
use crate::outcome::{Outcome, as_answer};
use crate::{Act, App, Error, changes, kept_answers};

/// How much of a description stands for a name that is not there.
const NAME_CHARS: usize = 120;

/// Request for a link.
#[derive(Clone, Debug)]
pub struct LinkRequest {
    /// The account that is to be paid to.
    pub bank: BankId,
    /// What is asked for.
    pub price: Price,
    /// Where it comes from, as the caller says.
    pub origin: Origin,
    /// Its label; the beginning of the description where there is none.
    pub name: Option<LinkName>,
    /// What it is for.
    pub description: LinkDescription,
    /// The address that is notified of its end.
    pub webhook_url: Option<UrlText>,
    /// Where the payer goes on.
    pub redirect_url: Option<UrlText>,
    /// For how many minutes; `None` is for ever.
    pub expiration_minutes: Option<i64>,
    /// For how many minutes a rate is to hold.
    pub rate_minutes: i64,
    /// What the caller keeps with it, a JSON object.
    pub metadata: String,
}

/// Writes a new link as the body of an answer.
pub type Render = fn(&LinkRecord, Language) -> Vec<u8>;

/// Everything that one transaction needs to make a link.
struct Making {
    caller: Caller,
    owner: OwnerId,
    link: Link,
    slot: Option<Slot>,
    entry: audit::Entry,
    render: Render,
    language: Language,
}

/// Makes a link, with a rate that is held from then on where one serves; with an `Idempotency-Key` that was used before,
/// answers what was answered then.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn create(
    app: &Arc<App>,
    act: &Act<CreateLink>,
    request: LinkRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Vec<u8>, Error> {
    let owner = act.owner();
    let id = LinkId::new(&*app.ids);
    let making = Arc::new(Making {
        caller: act.caller().clone(),
        owner,
        link: link(act, id, request),
        slot,
        entry: audited(app, act, id.to_string()),
        render,
        language: act.request.language,
    });
    // Looked at first, so that what is refused or repeated leaves no locator behind.
    let (inner, looked) = (Arc::clone(app), Arc::clone(&making));
    let look = move |tx: &mut Tx<'_>| as_answer(look(tx, &inner, &looked));
    if let Some(known) = app.store.look_up(act.meter(), look).await?? {
        return Ok(known);
    }
    // Looked up last: a name can take its time, and a repeat has been answered already.
    if let Some(url) = &making.link.webhook_url {
        app.webhooks.check_url(url.as_str()).await?;
    }
    let id = Locator::claim_link(app, act.meter(), owner, id).await?;
    let inner = Arc::clone(app);
    // Where it fails the locator stays behind and leads to nothing. Where it is not known whether it
    // was applied, a call with the same `Idempotency-Key` shows it.
    act.write(app, move |tx| write(tx, &inner, &making, id)).await
}

fn link(act: &Act<CreateLink>, id: LinkId, request: LinkRequest) -> Link {
    let description = request.description.into_string();
    Link {
        id,
        bank: request.bank,
        actor: act.actor(),
        client: act.caller().client(),
        name: named(request.name, &description),
        description,
        price: request.price,
        webhook_url: request.webhook_url,
        redirect_url: request.redirect_url,
        metadata: request.metadata,
        origin: request.origin,
        cycle: None,
        livemode: true,
        status_detail: None,
        payment: None,
        expiration_minutes: request.expiration_minutes,
        rate_minutes: request.rate_minutes,
        held_rate: None,
        standing: Standing {
            state: State::Pending,
            is_stopped: false,
            expires_at: end_of(request.expiration_minutes, act.now),
            is_checking: false,
            expired_at: None,
        },
        created_at: act.now,
        updated_at: act.now,
    }
}

/// The label of a link: what it is called, or the beginning of its description.
pub(super) fn named(name: Option<LinkName>, description: &str) -> String {
    let name = name.map(Text::into_string).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| description.chars().take(NAME_CHARS).collect())
}

/// When a link is over that lasts so many minutes from `now` on; nothing where it lasts for ever.
pub(super) fn end_of(minutes: Option<i64>, now: Timestamp) -> Option<Timestamp> {
    let minutes = minutes.and_then(|minutes| u64::try_from(minutes).ok());
    minutes.map(|minutes| now.plus(Duration::from_secs(minutes.saturating_mul(60))))
}

/// Looks for what answers the request before anything is written: the answer to the same request, or why not.
fn look(tx: &mut Tx<'_>, app: &App, making: &Making) -> Outcome<Option<Vec<u8>>> {
    if let Some(slot) = &making.slot
        && let Some(earlier) =
            kept_answers::find(tx, app, making.owner, slot, making.link.created_at)?
    {
        return Ok(Some(earlier));
    }
    payee(tx, app, making)?;
    Ok(None)
}

/// Writes the link under the id whose locator was claimed.
fn write(tx: &mut Tx<'_>, app: &App, making: &Making, id: LinkId) -> Outcome<Vec<u8>> {
    let Making { owner, link, slot, entry, .. } = making;
    let (owner, now) = (*owner, link.created_at);
    if let Some(link) = links::find(tx, owner, id)? {
        // The same write again: its answer was lost.
        return Ok(answer(app, making, link));
    }
    let bank = payee(tx, app, making)?;
    let subject = id.to_bytes();
    // Only now, so that a refusal leaves no slot behind.
    if let Some(slot) = slot
        && let Some(earlier) = kept_answers::begin(tx, app, owner, slot, subject, now)?
    {
        return Ok(earlier);
    }
    let mut link = Link { id, livemode: bank.capabilities().livemode, ..link.clone() };
    let lock = FirstLock::begin(tx, app, owner, &mut link, now)?;
    links::insert(tx, owner, &link)?;
    let entry = audit::Entry { subject: id.to_string(), ..entry.clone() };
    audit::insert_change(tx, owner, &entry, &changes::made(&link), now)?;
    if let (Some(_), Some(expires_at)) = (&link.webhook_url, link.standing.expires_at) {
        due::insert(tx, owner, due::Kind::LinkExpiry, subject, expires_at)?;
    }
    let body = answer(app, making, link);
    if let Some(slot) = slot {
        kept_answers::keep(tx, app, owner, slot, &body, subject)?;
    }
    if let Some(lock) = lock {
        lock.write(tx, owner, id)?;
    }
    Ok(body)
}

fn answer(app: &App, making: &Making, link: Link) -> Vec<u8> {
    let now = link.created_at;
    (making.render)(&LinkRecord::of(app, making.owner, link, now), making.language)
}

/// The bank of the account that is to be paid to, if the caller reaches it and money can come to it.
fn payee<'a>(tx: &mut Tx<'_>, app: &'a App, making: &Making) -> Outcome<&'a Arc<dyn Bank>> {
    let found = accounts::find(tx, making.owner, making.link.bank)?;
    let account = reached(found, &making.caller)?;
    Ok(usable(app, &account)?)
}
