//! Owners' logos: a picture that somebody sends is drawn anew, kept, and shown to anybody who has its address.

pub mod drawing;
mod redraw;
mod remove;
mod set;
mod view;

use domain::ids::OwnerId;
use domain::logo::LogoHash;
use store::Meter;
use store::locators::{self, Kind, Located};

pub use self::remove::remove;
pub use self::set::set;
pub use self::view::view;
use crate::{App, Error};

/// Makes a logo's address lead to its owner. Written before the row, and never removed: what is no logo any more may
/// be sent again, and a locator that leads to nothing opens nothing. There are no more of them than lines of the
/// audit trail.
async fn claim_locator(
    app: &App,
    meter: &Meter,
    hash: LogoHash,
    owner: OwnerId,
) -> Result<(), Error> {
    let to = Located { owner, subject: owner.to_bytes() };
    let claim = app.store.write_shared(meter, move |tx| {
        locators::claim(tx, Kind::Logo, hash.as_bytes(), to).map(drop)
    });
    Ok(claim.await?)
}
