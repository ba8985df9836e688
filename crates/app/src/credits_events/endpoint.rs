//! The operations `GET` and `PUT /v1/webhooks/endpoint`.

use domain::access::{SetWebhookEndpoint, ShowWebhookEndpoint};
use domain::ids::OwnerId;
use domain::time::{CaracasMonth, Timestamp};
use domain::url::UrlText;
use domain::webhooks::{Endpoint, LowBalanceLevels};
use store::fault::Fault;
use store::tx::Tx;
use store::{audit, due, webhook_endpoints};

use crate::audit_entry::audited;
use crate::changes::changed;
use crate::{Act, App, Error, Precondition};

/// Choice of an owner: where it is notified of its credits, and at which levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The address of its events; the inner nothing is nowhere, and `None` leaves it as it is.
    pub url: Option<Option<UrlText>>,
    /// At which levels; `None` leaves them as they are, or as they are at first.
    pub levels: Option<LowBalanceLevels>,
}

impl Choice {
    fn is_in_force(&self, endpoint: Option<&Endpoint>) -> bool {
        let url = endpoint.map(|endpoint| &endpoint.url);
        let has_levels = |levels: &_| endpoint.is_none_or(|endpoint| &endpoint.levels == levels);
        self.url.as_ref().is_none_or(|chosen| chosen.as_ref() == url)
            && self.levels.as_ref().is_none_or(has_levels)
    }
}

/// Shows where the owner's systems are notified about its credits.
///
/// # Errors
/// A failure of the store.
pub async fn show_endpoint(
    app: &App,
    act: &Act<ShowWebhookEndpoint>,
) -> Result<Option<Endpoint>, Error> {
    let owner = act.owner();
    Ok(app.store.look_up(act.meter(), move |tx| webhook_endpoints::find(tx, owner)).await?)
}

/// Sets where the owner's systems are notified about its credits, from now on. What is so already,
/// such as a balance below a level, is not reported. What changes nothing leaves no line in the audit trail.
///
/// # Errors
/// An address that nothing may be sent to, a session that ended meanwhile, what somebody else has changed meanwhile, or a
/// failure of the store.
pub async fn set_endpoint(
    app: &App,
    act: &Act<SetWebhookEndpoint>,
    choice: Choice,
    precondition: Precondition<Option<Endpoint>>,
) -> Result<Option<Endpoint>, Error> {
    if let Some(Some(url)) = &choice.url {
        app.webhooks.check_url(url.as_str()).await?;
    }
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    act.write(app, move |tx| {
        let former = webhook_endpoints::find(tx, owner)?;
        precondition.check(&former)?;
        if choice.is_in_force(former.as_ref()) {
            return Ok(former);
        }
        let endpoint = set(tx, owner, &choice, now)?;
        audit::insert_change(tx, owner, &entry, &changed(&former, &endpoint), now)?;
        Ok(endpoint)
    })
    .await
}

fn set(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    choice: &Choice,
    now: Timestamp,
) -> Result<Option<Endpoint>, Fault> {
    let standing = webhook_endpoints::hold_owner(tx, owner)?;
    let before = webhook_endpoints::find(tx, owner)?;
    let (kind, subject) = (due::Kind::MonthTurn, owner.to_bytes());
    let former = before.as_ref().map(|endpoint| endpoint.url.clone());
    let Some(url) = choice.url.clone().unwrap_or(former) else {
        webhook_endpoints::remove(tx, owner)?;
        due::forget(tx, owner, kind, subject)?;
        return Ok(None);
    };
    let kept = before.as_ref().map(|endpoint| &endpoint.levels).cloned();
    let levels = choice.levels.clone().or(kept).unwrap_or_default();
    webhook_endpoints::set(tx, owner, &url, &levels, now)?;
    webhook_endpoints::watch(tx, owner, &levels, standing.balance)?;
    if before.is_none() {
        due::insert(tx, owner, kind, subject, CaracasMonth::of(now).next().start())?;
    }
    let created_at = before.map_or(now, |endpoint| endpoint.created_at);
    Ok(Some(Endpoint { url, levels, created_at, updated_at: now }))
}
