//! The feed of an owner's events: every event at one place, and nothing before what was read.

use domain::ids::{EventCursor, EventId};
use domain::webhooks::EventKind;

use super::deliveries::{attempt, event, record, take, with_event};
use super::*;
use crate::deliveries::{self, Event, Next};
use crate::event_feed::{self, Asked, LOOKED_MAX, Page, ROUND_LEN};

fn asked(after: Option<EventCursor>, limit: u32) -> Asked {
    Asked { after, event: None, limit }
}

fn page(store: &Store, owner: OwnerId, asked: Asked) -> Page {
    let look = move |tx: &mut Tx<'_>| event_feed::page(tx, owner, &asked, at(1_000));
    wait(store.read(&Meter::default(), look)).unwrap().expect("a place of the owner's")
}

fn enter(store: &Store, owner: OwnerId) {
    write(store, owner, move |tx| event_feed::enter(tx, owner)).unwrap();
}

fn ids(page: &Page) -> Vec<EventId> {
    page.events.iter().map(|event| event.listed.id).collect()
}

/// Writes events of those numbers, which are their order as ids, in one transaction.
fn with_events(store: &Store, owner: OwnerId, numbers: &[u64], kind: EventKind) -> Vec<EventId> {
    let events: Vec<_> = numbers.iter().map(|number| Event { kind, ..event(*number) }).collect();
    let ids = events.iter().map(|event| event.id).collect();
    let job = move |tx: &mut Tx<'_>| {
        events.iter().try_for_each(|event| deliveries::enqueue(tx, owner, event, at(100)))
    };
    write(store, owner, job).unwrap();
    ids
}

pub(crate) fn an_event_is_shown_at_one_place_whatever_comes_after_it(store: &Store) {
    let (owner, first) = with_event(store);
    let unknown = |after| {
        let asked = asked(Some(after), 10);
        let look = move |tx: &mut Tx<'_>| event_feed::page(tx, owner, &asked, at(0));
        wait(store.read(&Meter::default(), look)).unwrap().is_none()
    };
    let cursor = |id: EventId| EventCursor::from_bytes(id.to_bytes());
    let empty = page(store, owner, asked(None, 10));
    assert_eq!((ids(&empty), empty.next, empty.goes_on), (vec![], None, false));
    assert!(empty.is_behind, "nobody has asked before");
    assert!(unknown(cursor(first)), "no answer has named it");

    enter(store, owner);
    let shown = page(store, owner, asked(None, 10));
    assert_eq!((ids(&shown), shown.goes_on, shown.is_behind), (vec![first], false, false));
    assert_eq!(shown.next, Some(cursor(first)));
    assert_eq!(shown.events[0].body.as_deref(), Some(&event(0).body[..]), "byte for byte");
    assert!(shown.events[0].digest.is_some());

    // What has an earlier id and comes later is shown later, and no attempt moves anything.
    let earlier = with_events(store, owner, &[2, 1], EventKind::LinkFailed);
    let (_, lease) = take(store, owner, first, 100).unwrap();
    assert!(record(store, owner, first, lease, &attempt(1, None), Next::Delivered));
    enter(store, owner);
    enter(store, owner);
    let all = page(store, owner, asked(None, 10));
    assert_eq!(ids(&all), [first, earlier[1], earlier[0]]);
    let rest = page(store, owner, asked(shown.next, 1));
    assert_eq!((ids(&rest), rest.goes_on), (vec![earlier[1]], true));
    let rest = page(store, owner, asked(rest.next, 10));
    assert_eq!((ids(&rest), rest.goes_on), (vec![earlier[0]], false));
    let none = page(store, owner, asked(rest.next, 10));
    assert_eq!((ids(&none), none.next), (vec![], rest.next));

    // A place of somebody else's is none.
    let (_, foreign) = with_event(store);
    assert!(unknown(cursor(foreign)) && unknown(cursor(EventId::from_bytes([u8::MAX; 16]))));
}

pub(crate) fn rounds_are_bounded_and_so_is_what_a_page_looks_at(store: &Store) {
    let (owner, first) = with_event(store);
    enter(store, owner);
    let many: Vec<u64> = (1..LOOKED_MAX.unsigned_abs()).collect();
    with_events(store, owner, &many, EventKind::LinkPaid);
    let last = with_events(store, owner, &[2_000], EventKind::LowBalance)[0];
    let rounds = (LOOKED_MAX + ROUND_LEN - 1) / ROUND_LEN;
    for done in 1..=rounds {
        assert!(page(store, owner, asked(None, 1)).is_behind, "{done}");
        enter(store, owner);
        let entered = page(store, owner, asked(None, 2_000)).events.len();
        assert_eq!(entered as i64, 1 + (done * ROUND_LEN).min(LOOKED_MAX), "{done}");
    }
    assert!(!page(store, owner, asked(None, 1)).is_behind);

    // The one that is sought lies behind as many others as one page looks at.
    let sought = |after| Asked { after, event: Some(EventKind::LowBalance), limit: 10 };
    let nothing = page(store, owner, sought(None));
    assert_eq!((ids(&nothing), nothing.goes_on), (vec![], true));
    let found = page(store, owner, sought(nothing.next));
    assert_eq!((ids(&found), found.goes_on), (vec![last], false));
    let others = Asked { after: None, event: Some(EventKind::LinkPaid), limit: 2 };
    let others = page(store, owner, others);
    assert_eq!((ids(&others).len(), ids(&others)[0], others.goes_on), (2, first, true));
    assert_eq!(
        others.next,
        page(store, owner, asked(None, 2)).next,
        "it goes on behind the second"
    );
}
