//! The ways of a few attempts to the root of their day, of which others may have a million: where a block
//! holds none of them, its root is enough.

use domain::ids::OwnerId;
use domain::webhooks::evidence::{Digest, Step, Tree};
use store::sealed_days::{self, BLOCKS_MAX, LEAVES_MAX, Place, SealedDay};
use store::tx::Tx;
use store::{Meter, Store};

use crate::Error;
use crate::delivery_days::grow;

/// The ways of these attempts to the root of a sealed day.
///
/// # Errors
/// A failure of the store.
pub(super) async fn climb(
    store: &Store,
    meter: &Meter,
    owner: OwnerId,
    sealed: &SealedDay,
    followed: &[(Place, Digest)],
) -> Result<Vec<Vec<Step>>, Error> {
    let tree = by_blocks(store, meter, owner, sealed, followed).await?;
    if let Some((root, paths)) = tree.end()
        && root == sealed.root
    {
        return Ok(paths);
    }
    // Somebody has altered the blocks, which prove nothing, or more: the attempts themselves will show it.
    let tree = grow(store, meter, owner, sealed.day, following(followed), None).await?;
    Ok(tree.end().map(|(_, paths)| paths).unwrap_or_default())
}

fn following(followed: &[(Place, Digest)]) -> Tree {
    Tree::following(followed.iter().map(|(_, digest)| *digest).collect())
}

/// The tree of the day, of which no more is read than it takes.
async fn by_blocks(
    store: &Store,
    meter: &Meter,
    owner: OwnerId,
    sealed: &SealedDay,
    followed: &[(Place, Digest)],
) -> Result<Tree, Error> {
    let day = sealed.day;
    let mut tree = following(followed);
    let (mut after, mut number): (Option<Place>, Option<i64>) = (None, None);
    loop {
        let page = move |tx: &mut Tx<'_>| sealed_days::blocks(tx, owner, day, number);
        let blocks = store.read(meter, page).await?;
        for block in &blocks {
            let is_in_it =
                |place: Place| after.is_none_or(|after| place > after) && place <= block.last;
            if followed.iter().any(|(place, _)| is_in_it(*place)) {
                let leaves = move |tx: &mut Tx<'_>| sealed_days::leaves(tx, owner, day, after);
                let leaves = store.read(meter, leaves).await?;
                leaves.iter().for_each(|leaf| tree.push(leaf.digest));
            } else if tree.leaves() % LEAVES_MAX == 0 {
                tree.push_part(LEAVES_MAX, block.root);
            }
            (after, number) = (Some(block.last), Some(block.number));
        }
        if blocks.len() < BLOCKS_MAX as usize {
            return grow(store, meter, owner, day, tree, after).await;
        }
    }
}
