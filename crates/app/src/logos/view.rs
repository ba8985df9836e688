//! What is at the address of a logo.

use domain::access::ViewLogo;
use domain::logo::{LogoHash, LogoKind};
use store::locators::{self, Kind};
use store::logos;

use crate::{Act, App, Error};

/// The bytes of the logo of that name, while it is somebody's.
///
/// # Errors
/// A failure of the store.
pub async fn view(
    app: &App,
    act: &Act<ViewLogo>,
    hash: LogoHash,
    kind: LogoKind,
) -> Result<Option<Vec<u8>>, Error> {
    let found = app.store.look_up(act.meter(), move |tx| {
        let located = locators::find(tx, Kind::Logo, hash.as_bytes())?;
        located.map_or(Ok(None), |located| logos::bytes(tx, located.owner, hash, kind))
    });
    Ok(found.await?)
}
