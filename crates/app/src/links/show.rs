//! The operations `GET /paymentlink/{payment_link_id}/info` and `GET /paymentlink/{payment_link_id}`, which are one.

use domain::access::{Guarded, ShowLink};
use domain::ids::LinkId;
use store::links;
use store::tx::Tx;

use super::{Link, LinkRecord, NOT_FOUND, within_reach};
use crate::outcome::{Outcome, as_answer};
use crate::verification::{Around, Whole, whole};
use crate::{Act, App, Error};

/// Shows a link of an account that the caller reaches.
///
/// # Errors
/// Not found, also where it is of an account out of reach; or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowLink>, id: LinkId) -> Result<LinkRecord, Error> {
    let link = find(app, act, id).await?;
    Ok(LinkRecord::of(app, act.owner(), link, act.now))
}

/// Shows a link of an account that the caller reaches, with the payment that paid it.
///
/// # Errors
/// Not found, also where it is of an account out of reach; or a failure of the store.
pub async fn show_paid<O: Guarded>(
    app: &App,
    act: &Act<O>,
    id: LinkId,
) -> Result<(LinkRecord, Option<Whole>), Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let base_url = app.settings.base_url.clone();
    let look = move |tx: &mut Tx<'_>| -> Outcome<(Link, Option<Whole>)> {
        let link = links::find(tx, owner, id)?.ok_or(NOT_FOUND)?;
        let link = within_reach(tx, owner, &caller, link)?;
        let around = Around { livemode: link.livemode, base_url: &base_url };
        let paid = match link.payment {
            Some(payment) => Some(whole(tx, owner, &caller, payment, around)?),
            None => None,
        };
        Ok((link, paid))
    };
    let found = app.store.look_up(act.meter(), move |tx| as_answer(look(tx))).await?;
    let (link, paid) = found?;
    Ok((LinkRecord::of(app, owner, link, act.now), paid))
}

/// Checks that the caller reaches the link: a caller who does not must learn nothing else about
/// its request.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn check_reach<O: Guarded>(app: &App, act: &Act<O>, id: LinkId) -> Result<(), Error> {
    find(app, act, id).await.map(drop)
}

async fn find<O: Guarded>(app: &App, act: &Act<O>, id: LinkId) -> Result<Link, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let find = move |tx: &mut Tx<'_>| -> Outcome<Link> {
        let link = links::find(tx, owner, id)?.ok_or(NOT_FOUND)?;
        within_reach(tx, owner, &caller, link)
    };
    Ok(app.store.look_up(act.meter(), move |tx| as_answer(find(tx))).await??)
}
