//! The order of locks, as far as a job can break it: what it may lock without its owner's row.

use domain::ids::{EventId, NoticeId};
use domain::notices::Notice;
use domain::webhooks::Trouble;

use super::*;
use crate::due::{self, Kind};
use crate::{notices, owners};

const SUBJECT: [u8; 16] = [1; 16];

/// The lanes whose jobs do without their owner's row, and those whose jobs hold it.
const WITHOUT: [Lane; 2] = [Lane::Keeping, Lane::Taking];
const HOLDING: [Lane; 3] = [Lane::Admission, Lane::Completion, Lane::Maintenance];

fn tell(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    let event = EventId::from_bytes(SUBJECT);
    let notice = Notice::webhook_exhausted("https://a.example/", event, None, Trouble::Refused);
    notices::tell(tx, owner, NoticeId::from_bytes(SUBJECT), &notice, at(1))
}

fn take(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    due::take(tx, owner, Kind::Delivery, SUBJECT, at(1), at(1)).map(drop)
}

pub(crate) fn who_does_without_its_owners_row_locks_in_the_order_of_all(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| {
        owners::insert(tx, owner, "a@b", "A", "", at(1))?;
        due::insert(tx, owner, Kind::Delivery, SUBJECT, at(1))?;
        insert(tx, owner, 0)
    })
    .unwrap();
    let meter = Meter::default();
    let in_order = move |tx: &mut Tx<'_>| {
        take(tx, owner)?;
        tell(tx, owner)?;
        // What is locked already is come back to.
        take(tx, owner)
    };
    let backwards = move |tx: &mut Tx<'_>| {
        tell(tx, owner)?;
        take(tx, owner)
    };
    let elsewhere = move |tx: &mut Tx<'_>| add(tx, owner, 1);
    for lane in WITHOUT {
        wait(store.write(&meter, lane, owner, in_order)).unwrap();
        for wrong in [
            kind(wait(store.write(&meter, lane, owner, backwards))),
            kind(wait(store.write(&meter, lane, owner, elsewhere))),
        ] {
            assert_eq!(wrong, FaultKind::Broken, "{lane:?}");
        }
    }
    assert_eq!(seen(store, owner), Some(0));
    for lane in HOLDING {
        wait(store.write(&meter, lane, owner, backwards)).unwrap();
        wait(store.write(&meter, lane, owner, elsewhere)).unwrap();
    }
    assert_eq!(seen(store, owner), Some(3));
}
