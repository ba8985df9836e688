//! Consequences of putting a store back from a copy: what the copy takes for good and may have ended since is ended or held,
//! owner by owner.

mod things;

use domain::ids::OwnerId;
use domain::review::ReviewWindow;
use domain::time::Timestamp;
use store::ended::Ended;
use store::fault::Fault;
use store::tx::Tx;
use store::{
    Lane, Meter, audit, email_changes, employees, installation, keys, owners, password_resets,
    receipts, reviews, sessions,
};

use self::things::{Replacements, Things};
use super::{Operator, audit_entry};
use crate::changes;
use crate::error::Error;
use crate::review::{Mark, NAME};
use crate::vault::Vault;

/// How many owners are looked up at once.
const PAGE: i64 = 500;

/// How many numbers of receipts are left out: more than an owner issues between two copies.
const RECEIPTS_SKIPPED: i64 = 1_000;

/// Choice of what happens to API keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// All are switched off until their owner rotates them or switches them on again.
    Hold,
    /// Those that the copy has go on, but for what is known to have ended.
    GoOn,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// How many owners there are.
    pub owners: u64,
    /// How many keys were switched off.
    pub keys_held: u64,
    /// How many things were ended that the copy took for good.
    pub ended: u64,
}

/// Everything that is done about one owner.
struct OfOwner {
    owner: OwnerId,
    keys: Keys,
    things: Things,
    window: ReviewWindow,
    entry: audit::Entry,
    now: Timestamp,
}

/// Marks the store, and then opens the review of each account, ends sessions and one-time links, holds the keys where that is
/// chosen, ends what is named, and leaves numbers of receipts out. Reports to `progress` after each page of owners. Nobody is
/// served before it has come to its end; where it is cut short it is done again from the beginning, which leaves out more
/// numbers and harms nothing.
///
/// # Errors
/// A fault of the store, or a password that cannot be hashed.
pub async fn settle_restored(
    operator: &Operator<'_>,
    vault: &Vault,
    (window, keys): (ReviewWindow, Keys),
    ended: &[Ended],
    mut progress: impl FnMut(Settled),
) -> Result<Settled, Error> {
    put_mark(operator, Mark { window, is_settled: false }).await?;
    let replacements = Replacements::new(operator, vault)?;
    let (meter, mut done) = (Meter::default(), Settled::default());
    let mut after = OwnerId::from_bytes([0; 16]);
    loop {
        let page = operator.store.look_up(&meter, move |tx| owners::page(tx, after, PAGE)).await?;
        let Some(last) = page.last() else { break };
        after = *last;
        for owner in page {
            let lacking = ended.iter().filter(|one| one.owner == owner);
            let lacking = lacking.filter(|one| window.may_lack(one.at)).copied().collect();
            let work = OfOwner {
                owner,
                keys,
                things: Things::new(&replacements, owner, lacking),
                window,
                entry: audit_entry(operator, "RestoreCopy", &owner),
                now: operator.now,
            };
            let (emails, of_owner) = (work.things.clone(), work);
            let write = move |tx: &mut Tx<'_>| settle_owner(tx, &of_owner);
            let (keys_held, ended) =
                operator.store.write(&meter, Lane::Maintenance, owner, write).await?;
            emails.let_addresses_go(operator.store, &meter, owner).await;
            done.owners += 1;
            done.keys_held += keys_held;
            done.ended += ended;
        }
        progress(done);
    }
    put_mark(operator, Mark { window, is_settled: true }).await?;
    Ok(done)
}

/// Answers how many keys were switched off, and how many things were ended.
fn settle_owner(tx: &mut Tx<'_>, work: &OfOwner) -> Result<(u64, u64), Fault> {
    let OfOwner { owner, keys, things, window, entry, now } = work;
    sessions::end_all(tx, *owner, *now)?;
    email_changes::remove_all(tx, *owner)?;
    password_resets::remove_all(tx, *owner)?;
    employees::end_invitations(tx, *owner, *now)?;
    reviews::reopen_all(tx, *owner)?;
    for livemode in [true, false] {
        receipts::skip(tx, *owner, livemode, RECEIPTS_SKIPPED)?;
    }
    let ended = things.end(tx, *owner, *now)?;
    let held = match keys {
        Keys::Hold => keys::hold_all(tx, *owner, *now)?,
        Keys::GoOn => 0,
    };
    audit::insert_change(tx, *owner, entry, &changes::made(window), *now)?;
    Ok((held, ended))
}

async fn put_mark(operator: &Operator<'_>, mark: Mark) -> Result<(), Error> {
    let (meter, value) = (Meter::default(), mark.to_bytes());
    let write = operator.store.write_shared(&meter, move |tx| {
        installation::remove(tx, NAME)?;
        installation::insert(tx, NAME, &value)
    });
    write.await?;
    Ok(())
}
