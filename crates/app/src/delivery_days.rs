//! The daily work on each owner's deliveries: days that are over are sealed, and contents that have
//! had their time are deleted.
//!
//! An owner has a row in `due` for it from its beginning. A node that finds it due does it, and puts
//! it off until the next day is over. All of it may be done twice, or by two nodes at once, with the
//! same outcome, so that a lease that ends too early does no harm.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::OwnerId;
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::evidence::{DayFacts, Digest, Tree};
use store::due::{self, Due, Kind};
use store::fault::Fault;
use store::sealed_days::{self, Block, LEAVES_MAX, Leaf, Place, SealedDay};
use store::tx::Tx;
use store::{Lane, Meter, Store, retention};

use crate::queue::{Progress, Work};
use crate::{App, Error};

/// How long after its end a day is sealed: what ended in it has been written by then, however long
/// that took.
pub const MARGIN: Duration = Duration::from_secs(2 * 60 * 60);

/// How long a node has an owner's daily work before another may take it.
const LEASE: Duration = Duration::from_secs(10 * 60);

/// Begins the daily work of an owner that is being made.
///
/// # Errors
/// A fault of the store.
pub(crate) fn begin(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<(), Fault> {
    due::insert(tx, owner, Kind::DeliveryDay, owner.to_bytes(), next_after(now))
}

/// Tells whether nothing can be added to that day any more.
fn is_over(day: CaracasDate, now: Timestamp) -> bool {
    day < CaracasDate::of(now.minus(MARGIN))
}

/// When the next day is over.
fn next_after(now: Timestamp) -> Timestamp {
    CaracasDate::of(now.minus(MARGIN)).plus_days(1).start().plus(MARGIN)
}

/// The daily work on an owner's deliveries.
#[derive(Debug)]
pub enum DeliveryDay {}

impl Work for DeliveryDay {
    const KIND: Kind = Kind::DeliveryDay;
    const POLL: Duration = Duration::from_millis(61_700);
    /// Until the next day is over.
    const WAIT_MAX: Option<Duration> = Some(Duration::from_secs(24 * 60 * 60));
    /// A day of an owner with many deliveries takes longer than a stop waits.
    const IS_CUT_SHORT: bool = true;

    fn shown(subject: [u8; 16]) -> String {
        OwnerId::from_bytes(subject).to_string()
    }

    async fn attend(app: &Arc<App>, due: Due, now: Timestamp) -> Result<Progress, Error> {
        let (meter, Due { owner, subject, .. }) = (Meter::default(), due);
        let until = now.plus(LEASE);
        let claim = move |tx: &mut Tx<'_>| due::claim(tx, owner, Self::KIND, subject, now, until);
        let Some(lease) = app.store.write(&meter, Lane::Maintenance, owner, claim).await? else {
            // Another node was faster.
            return Ok(Progress::Rested);
        };
        seal(&app.store, &meter, owner, now).await?;
        prune(app, &meter, owner, now).await?;
        let next = next_after(now);
        let rest =
            move |tx: &mut Tx<'_>| due::postpone(tx, owner, Self::KIND, subject, lease, next);
        app.store.write(&meter, Lane::Maintenance, owner, rest).await?;
        Ok(Progress::Rested)
    }
}

/// Seals every day with attempts that is over and is not sealed yet, the first first.
async fn seal(store: &Store, meter: &Meter, owner: OwnerId, now: Timestamp) -> Result<(), Error> {
    let today = CaracasDate::of(now);
    loop {
        let look = move |tx: &mut Tx<'_>| {
            let latest = sealed_days::latest(tx, owner, today)?;
            Ok((latest, sealed_days::next(tx, owner, latest.map(|sealed| sealed.day))?))
        };
        let (latest, next): (Option<SealedDay>, _) = store.read(meter, look).await?;
        let Some(day) = next.filter(|day| is_over(*day, now)) else { return Ok(()) };
        let tree = gather(store, meter, owner, day).await?;
        let attempts = tree.leaves();
        let Some((root, _)) = tree.end() else { return Ok(()) };
        let before = latest.map(|sealed| sealed.digest);
        let facts = DayFacts { owner, day, attempts, root, before };
        let write = move |tx: &mut Tx<'_>| sealed_days::seal(tx, facts, now);
        store.write(meter, Lane::Maintenance, owner, write).await?;
        // A person who keeps logs elsewhere has a witness of the day.
        let digest: Digest = facts.digest();
        tracing::info!(%owner, %day, attempts, %digest, "a day of deliveries is sealed");
    }
}

/// The tree over the attempts of a day that is over. The root over each block of them is kept on the way.
async fn gather(
    store: &Store,
    meter: &Meter,
    owner: OwnerId,
    day: CaracasDate,
) -> Result<Tree, Error> {
    let (mut tree, mut after, mut number) = (Tree::default(), None, 0);
    loop {
        let page = move |tx: &mut Tx<'_>| sealed_days::leaves(tx, owner, day, after);
        let leaves = store.read(meter, page).await?;
        leaves.iter().for_each(|leaf| tree.push(leaf.digest));
        let Some(block) = block(number, &leaves) else { return Ok(tree) };
        let keep = move |tx: &mut Tx<'_>| sealed_days::keep_block(tx, owner, day, block);
        store.write(meter, Lane::Maintenance, owner, keep).await?;
        (after, number) = (Some(block.last), number + 1);
    }
}

/// The block that these leaves are, if they are one.
fn block(number: i64, leaves: &[Leaf]) -> Option<Block> {
    let last = leaves.last().filter(|_| leaves.len() == LEAVES_MAX as usize)?;
    let mut tree = Tree::default();
    leaves.iter().for_each(|leaf| tree.push(leaf.digest));
    let (root, _) = tree.end()?;
    Some(Block { number, root, last: last.place() })
}

/// Adds the attempts of a day behind that one to a tree, in their order.
pub(crate) async fn grow(
    store: &Store,
    meter: &Meter,
    owner: OwnerId,
    day: CaracasDate,
    mut tree: Tree,
    mut after: Option<Place>,
) -> Result<Tree, Error> {
    loop {
        let page = move |tx: &mut Tx<'_>| sealed_days::leaves(tx, owner, day, after);
        let leaves = store.read(meter, page).await?;
        leaves.iter().for_each(|leaf| tree.push(leaf.digest));
        let Some(last) = leaves.last().filter(|_| leaves.len() == LEAVES_MAX as usize) else {
            return Ok(tree);
        };
        after = Some(last.place());
    }
}

/// Deletes contents that have had their time, slice by slice.
async fn prune(app: &App, meter: &Meter, owner: OwnerId, now: Timestamp) -> Result<(), Error> {
    let before = now.minus(app.settings.delivery_retention);
    let mut at = app.store.look_up(meter, move |tx| retention::start(tx, owner)).await?;
    loop {
        let slice = move |tx: &mut Tx<'_>| retention::prune(tx, owner, at, before, now);
        match app.store.write(meter, Lane::Maintenance, owner, slice).await? {
            Some(next) => at = next,
            None => return Ok(()),
        }
    }
}
