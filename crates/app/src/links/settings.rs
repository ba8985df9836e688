//! The operations `GET` and `PUT /v1/payment-link-settings`.

use domain::access::{SetLinkSettings, ShowLinkSettings};
use domain::links::LinkSettings;
use store::{audit, link_settings};

use crate::audit_entry::audited;
use crate::changes::changed;
use crate::{Act, App, Error, Precondition};

/// A change of the owner's choices. What it does not name stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkSettingsChange {
    /// The number of references that came to nothing after which a link fails; the inner nothing: never.
    pub max_attempts: Option<Option<u32>>,
    /// Says whether ends without a payment are reported to webhooks.
    pub announce_expiry: Option<bool>,
}

impl LinkSettingsChange {
    fn of(self, former: LinkSettings) -> LinkSettings {
        LinkSettings {
            max_attempts: self.max_attempts.unwrap_or(former.max_attempts),
            announce_expiry: self.announce_expiry.unwrap_or(former.announce_expiry),
        }
    }
}

impl From<LinkSettings> for LinkSettingsChange {
    fn from(LinkSettings { max_attempts, announce_expiry }: LinkSettings) -> Self {
        Self { max_attempts: Some(max_attempts), announce_expiry: Some(announce_expiry) }
    }
}

/// Shows what the owner has chosen for its links.
///
/// # Errors
/// A failure of the store.
pub async fn show_settings(app: &App, act: &Act<ShowLinkSettings>) -> Result<LinkSettings, Error> {
    let owner = act.owner();
    Ok(app.store.look_up(act.meter(), move |tx| link_settings::find(tx, owner)).await?)
}

/// Keeps what the owner chooses for its links, those that are there included. What changes nothing leaves no line in the
/// audit trail either.
///
/// # Errors
/// A session that ended meanwhile, what somebody else has changed meanwhile, or a failure of the store.
pub async fn set_settings(
    app: &App,
    act: &Act<SetLinkSettings>,
    change: LinkSettingsChange,
    precondition: Precondition<LinkSettings>,
) -> Result<LinkSettings, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    act.write(app, move |tx| {
        let former = link_settings::find(tx, owner)?;
        precondition.check(&former)?;
        let settings = change.of(former);
        if former != settings {
            link_settings::set(tx, owner, settings, now)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &settings), now)?;
        }
        Ok(settings)
    })
    .await
}
