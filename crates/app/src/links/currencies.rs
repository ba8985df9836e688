//! Which other currencies links wait to be paid in.

use domain::access::ListLinks;
use domain::links::Currency;
use store::links;

use crate::{Act, App, Error};

/// The currencies but bolívares that links of the owner ask for which can still be paid: all links, or those alone for
/// money that exists or does not. None for a caller who does
/// not reach all links: the answer would show others' links, and rates are the owner's to mend.
///
/// # Errors
/// A failure of the store.
pub async fn currencies(
    app: &App,
    act: &Act<ListLinks>,
    livemode: Option<bool>,
) -> Result<Vec<Currency>, Error> {
    if act.caller().is_scoped() {
        return Ok(Vec::new());
    }
    let (owner, now) = (act.owner(), act.now);
    let read = app.store.read(act.meter(), move |tx| {
        let mut waiting = Vec::new();
        for currency in Currency::ALL.into_iter().filter(|currency| *currency != Currency::Vef) {
            if links::waits_in(tx, owner, currency, livemode, now)? {
                waiting.push(currency);
            }
        }
        Ok(waiting)
    });
    Ok(read.await?)
}
