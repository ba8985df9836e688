//! The operation `PUT /v1/profile/logo`.

use domain::access::SetLogo;
use domain::logo::{Logo, LogoHash};
use domain::profile::PublicProfile;
use domain::refusal::Refusal;
use store::{audit, logos, public_profiles};

use super::drawing::Drawn;
use crate::audit_entry::audited;
use crate::changes::changed;
use crate::locator::Locator;
use crate::{Act, App, Error, Precondition};

/// Draws the picture anew and keeps it as the owner's logo, on the pages that are open from their next look on. The logo
/// that it has already leaves no line in the audit trail.
///
/// # Errors
/// A file that is no logo; another logo than the person saw; too many that wait to be drawn; a session that ended
/// meanwhile; or a failure of the store.
pub async fn set(
    app: &App,
    act: &Act<SetLogo>,
    file: impl AsRef<[u8]> + Send + 'static,
    precondition: Precondition<PublicProfile>,
) -> Result<PublicProfile, Error> {
    let (owner, now) = (act.owner(), act.now);
    let drawn = app.drawing.draw(file).await?;
    let Drawn { kind, size, bytes } = drawn.map_err(|unfit| Refusal::invalid("logo", unfit))?;
    let logo = Logo { hash: LogoHash::of(owner, &bytes), kind, size };
    let to = (owner, owner.to_bytes());
    Locator::of_logo(logo.hash).claim(&app.store, act.meter(), to).await?;
    let entry = audited(app, act, owner.to_string());
    let write = act.write(app, move |tx| {
        let former = public_profiles::find(tx, owner)?;
        let profile = PublicProfile { logo: Some(logo), ..former.clone() };
        if profile != former {
            precondition.check(&former)?;
            logos::set(tx, owner, &logo, &bytes, now)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &profile), now)?;
        }
        Ok(profile)
    });
    write.await
}
