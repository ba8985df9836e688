//! The operation `DELETE /v1/profile/logo`.

use domain::access::RemoveLogo;
use domain::profile::PublicProfile;
use store::{audit, logos, public_profiles};

use crate::audit_entry::audited;
use crate::changes::changed;
use crate::{Act, App, Error, Precondition};

/// Takes the owner's logo away. Its address leads nowhere from then on. Where there is none, nothing happens.
///
/// # Errors
/// Another logo than the person saw; a session that ended meanwhile; or a failure of the store.
pub async fn remove(
    app: &App,
    act: &Act<RemoveLogo>,
    precondition: Precondition<PublicProfile>,
) -> Result<PublicProfile, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    let write = act.write(app, move |tx| {
        let former = public_profiles::find(tx, owner)?;
        let profile = PublicProfile { logo: None, ..former.clone() };
        if profile != former {
            precondition.check(&former)?;
            logos::delete(tx, owner)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &profile), now)?;
        }
        Ok(profile)
    });
    write.await
}
