//! The operations `GET` and `PUT /v1/payment-link-settings`.

use domain::access::{SetLinkSettings, ShowLinkSettings};
use domain::links::LinkSettings;
use store::{audit, link_settings};

use crate::audit_entry::audited;
use crate::changes::changed;
use crate::{Act, App, Error};

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
/// A session that ended meanwhile, or a failure of the store.
pub async fn set_settings(
    app: &App,
    act: &Act<SetLinkSettings>,
    settings: LinkSettings,
) -> Result<LinkSettings, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    act.write(app, move |tx| {
        let former = link_settings::find(tx, owner)?;
        if former != settings {
            link_settings::set(tx, owner, settings, now)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &settings), now)?;
        }
        Ok(())
    })
    .await?;
    Ok(settings)
}
