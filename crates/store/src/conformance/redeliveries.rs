//! Deliveries that begin again, one by one and many at once.

use std::time::Duration;

use domain::ids::{EventId, IdSource, LinkId, RedeliveryId};
use domain::webhooks::{DeliveryState, Trouble};

use super::deliveries::{attempt, event, kept, record, take, with_event};
use super::*;
use crate::deliveries::{self, Next};
use crate::delivery_pages::{self, Filter, Found};
use crate::evidence::AttemptDigests;
use crate::list::PageBounds;
use crate::recording;
use crate::redeliveries::{self, RedeliveryStart};
use crate::redelivery_jobs::{self, COUNT_LEN, Job, SLICE_LEN, Wanted};

fn begin(store: &Store, owner: OwnerId, id: EventId, now: i64) -> RedeliveryStart {
    write(store, owner, move |tx| redeliveries::begin(tx, owner, id, at(now))).unwrap()
}

fn next(store: &Store, owner: OwnerId, id: EventId, now: i64) -> delivery_pages::Next {
    let look = move |tx: &mut Tx<'_>| delivery_pages::one(tx, owner, id, at(now));
    wait(store.look_up(&Meter::default(), look)).unwrap().expect("it was written").next
}

pub(crate) fn what_begins_again_is_due_once_no_matter_who_wants_it(store: &Store) {
    let (owner, id) = with_event(store);
    assert_eq!(begin(store, owner, event(random()).id, 100), RedeliveryStart::Unknown);
    // Waiting for its first attempt, under way, and waiting for its second.
    assert_eq!(begin(store, owner, id, 90), RedeliveryStart::Due);
    assert_eq!(next(store, owner, id, 90), delivery_pages::Next::At(at(90)));
    let (_, lease) = take(store, owner, id, 90).unwrap();
    assert_eq!(begin(store, owner, id, 91), RedeliveryStart::UnderWay);
    assert_eq!(next(store, owner, id, 91), delivery_pages::Next::UnderWay);
    let failed = attempt(1, Some(Trouble::Refused));
    assert!(record(store, owner, id, lease, &failed, Next::At(at(900))));
    assert_eq!(next(store, owner, id, 300), delivery_pages::Next::At(at(900)));
    for now in [300, 301] {
        assert_eq!(begin(store, owner, id, now), RedeliveryStart::Due);
        assert_eq!(next(store, owner, id, now), delivery_pages::Next::At(at(300)));
        assert_eq!(kept(store, owner, id).0.step, 0, "the schedule is a new one");
    }
    // A lease that is over is nobody's.
    let (_, lease) = take(store, owner, id, 310).unwrap();
    assert_eq!(begin(store, owner, id, 359), RedeliveryStart::UnderWay);
    assert_eq!(begin(store, owner, id, 360), RedeliveryStart::Due);
    assert!(!record(store, owner, id, lease, &attempt(2, None), Next::Delivered));
    let (_, lease) = take(store, owner, id, 360).unwrap();
    assert!(record(store, owner, id, lease, &attempt(2, None), Next::Delivered));
    assert_eq!(next(store, owner, id, 400), delivery_pages::Next::Nothing);
    // Delivered, and again.
    for now in [400, 401] {
        assert_eq!(begin(store, owner, id, now), RedeliveryStart::Due);
    }
    let (delivery, lease) = take(store, owner, id, 401).unwrap();
    assert_eq!((delivery.state, delivery.attempts, delivery.step), (DeliveryState::Pending, 2, 0));
    assert_eq!((delivery.ended_at, lease.tries), (None, 4), "the attempts go on");
    assert!(take(store, owner, id, 401).is_none(), "it was due once");
    assert!(record(store, owner, id, lease, &attempt(3, None), Next::Delivered));
    assert_eq!(kept(store, owner, id).1.len(), 3);
}

pub(crate) fn a_delivery_that_was_attempted_too_often_does_not_begin_again(store: &Store) {
    let (owner, id) = with_event(store);
    for number in 1..=u32::try_from(redeliveries::BEGINS_AGAIN_BELOW).unwrap() {
        let now = 100 * i64::from(number);
        assert_eq!(begin(store, owner, id, now), RedeliveryStart::Due, "{number}");
        let (_, lease) = take(store, owner, id, now).unwrap();
        assert!(record(store, owner, id, lease, &attempt(number, None), Next::Delivered));
    }
    assert_eq!(begin(store, owner, id, 100_000), RedeliveryStart::Never);
    assert!(take(store, owner, id, 100_000).is_none());
}

pub(crate) fn a_report_is_ignored_of_a_lease_that_was_over_when_it_began_again(store: &Store) {
    let (owner, id) = with_event(store);
    let (_, lease) = take(store, owner, id, 100).unwrap();
    assert_eq!(begin(store, owner, id, 150), RedeliveryStart::Due, "the lease is over");
    assert!(!record(store, owner, id, lease, &attempt(1, Some(Trouble::Gone)), Next::Exhausted));
    assert_eq!(kept(store, owner, id).0.state, DeliveryState::Pending);
    assert!(take(store, owner, id, 150).is_some());
}

pub(crate) fn what_was_reported_in_a_former_life_of_a_delivery_is_ignored(store: &Store) {
    let (owner, id) = with_event(store);
    let (_, former) = take(store, owner, id, 100).unwrap();
    let (_, lease) = take(store, owner, id, 150).unwrap();
    assert!(record(store, owner, id, lease, &attempt(1, Some(Trouble::Gone)), Next::Exhausted));
    assert_eq!(begin(store, owner, id, 160), RedeliveryStart::Due);
    let mut fences = vec![former.fence, lease.fence];
    for now in [160, 210, 260] {
        let (_, taken) = take(store, owner, id, now).unwrap();
        assert!(fences.iter().all(|fence| *fence < taken.fence));
        fences.push(taken.fence);
        for old in [former, lease] {
            for next in [Next::At(at(170)), Next::Delivered] {
                assert!(!record(store, owner, id, old, &attempt(2, None), next));
            }
        }
    }
    assert_eq!(kept(store, owner, id).1.len(), 1);
}

/// Ids of one instant after another.
struct Ids;

impl IdSource for Ids {
    fn fill(&self, bytes: &mut [u8]) {
        let number = random().to_be_bytes();
        bytes.iter_mut().zip(number.iter().cycle()).for_each(|(byte, from)| *byte = *from);
    }
}

/// Writes so many events, a millisecond apart, each of which was given up after an attempt.
fn with_given_up(store: &Store, owner: OwnerId, count: i64) -> Vec<EventId> {
    let ids: Vec<_> = (0..count).map(|number| EventId::new(&Ids, at(number * 1_000))).collect();
    let all = ids.clone();
    let written = write(store, owner, move |tx| {
        for (number, id) in (0..).zip(&all) {
            let event = deliveries::Event { id: *id, ..event(0) };
            deliveries::enqueue(tx, owner, &event, at(number * 1_000))?;
            let now = at(1_000_000.max(number * 1_000));
            let taken = deliveries::claim(tx, owner, *id, now, now.plus(Duration::from_secs(1)))?;
            let (_, lease) = taken.expect("it is due");
            let (attempt, next) = (attempt(1, Some(Trouble::Refused)), Next::Exhausted);
            let conclusion = deliveries::Conclusion {
                attempt,
                step: 1,
                trouble: None,
                next,
                notice: None,
                digests: AttemptDigests::default(),
            };
            recording::record(tx, owner, *id, lease, &conclusion)?;
        }
        Ok(())
    });
    written.unwrap();
    ids
}

fn job(store: &Store, owner: OwnerId, id: RedeliveryId) -> Job {
    let find = move |tx: &mut Tx<'_>| redelivery_jobs::find(tx, owner, id);
    wait(store.look_up(&Meter::default(), find)).unwrap().expect("it was made")
}

pub(crate) fn a_job_goes_on_where_it_was_and_revives_each_once(store: &Store) {
    let (owner, waiting) = with_event(store);
    let count = SLICE_LEN + 50;
    let ids = with_given_up(store, owner, count);
    let make = |wanted: Wanted| {
        let id = RedeliveryId::new(&Ids, at(0));
        let made = write(store, owner, move |tx| {
            redelivery_jobs::begin(tx, owner, id, &wanted, at(5_000_000))
        });
        (id, made.unwrap())
    };
    let wanted = |receiver: Option<&str>| Wanted {
        since: at(10_000),
        until: at((count - 10) * 1_000),
        receiver: receiver.map(str::to_owned),
    };
    let advance = |id: RedeliveryId| {
        let now = at(5_000_000);
        write(store, owner, move |tx| redelivery_jobs::advance(tx, owner, id, now))
    };
    // Somebody else's receiver: everything is looked at, and nothing begins.
    let (id, made) = make(wanted(Some("other.example")));
    assert_eq!(made, Ok(()));
    assert_eq!(make(wanted(None)).1, Err(id), "one at a time");
    while advance(id).unwrap() {}
    let over = job(store, owner, id);
    assert_eq!((over.looked, over.redelivered), (count - 20, 0));
    assert_eq!(over.ended_at, Some(at(5_000_000)));

    let (id, made) = make(wanted(Some("shop.example")));
    assert_eq!(made, Ok(()));
    assert!(advance(id).unwrap(), "there is more");
    // A slice that was done and never committed is done again.
    let lost = write(store, owner, move |tx| {
        redelivery_jobs::advance(tx, owner, id, at(5_000_000))?;
        Err::<(), _>(Fault::broken("a crash between the slice and its commit"))
    });
    assert_eq!(kind(lost), FaultKind::Broken);
    let half = job(store, owner, id);
    assert_eq!((half.looked, half.redelivered, half.ended_at), (SLICE_LEN, SLICE_LEN, None));
    while advance(id).unwrap() {}
    let over = job(store, owner, id);
    assert_eq!((over.looked, over.redelivered), (count - 20, count - 20));
    assert!(!advance(id).unwrap(), "it is over");
    for (number, id) in (0..).zip(&ids) {
        let is_meant = (10..count - 10).contains(&number);
        let state = kept(store, owner, *id).0.state;
        assert_eq!(state == DeliveryState::Pending, is_meant, "{number}");
        assert_eq!(take(store, owner, *id, 5_000_000).is_some(), is_meant);
        assert!(take(store, owner, *id, 5_000_000).is_none());
    }
    assert!(take(store, owner, waiting, 100).is_some(), "what was not given up is as it was");
    // The next one, after a long time, has the former ones forgotten.
    let (next, wanted) = (RedeliveryId::new(&Ids, at(0)), wanted(None));
    let later = at(5_000_000).plus(Duration::from_secs(91 * 24 * 60 * 60));
    let made = write(store, owner, move |tx| {
        let made = redelivery_jobs::begin(tx, owner, next, &wanted, later)?;
        Ok((made, redelivery_jobs::find(tx, owner, id)?))
    });
    assert_eq!(made.unwrap(), (Ok(()), None));
}

/// Makes a job about everything since the first millisecond, at that instant.
fn job_of_all(store: &Store, owner: OwnerId, now: i64) -> RedeliveryId {
    let id = RedeliveryId::new(&Ids, at(0));
    let wanted = Wanted { since: at(1_000), until: at(now), receiver: None };
    let begin = move |tx: &mut Tx<'_>| redelivery_jobs::begin(tx, owner, id, &wanted, at(now));
    assert_eq!(write(store, owner, begin).unwrap(), Ok(()));
    id
}

pub(crate) fn a_job_counts_in_slices_before_it_begins(store: &Store) {
    let (owner, _) = with_event(store);
    let count = 2 * COUNT_LEN + 5;
    with_given_up(store, owner, 1 + count);
    let id = job_of_all(store, owner, 5_000_000);
    let advance = move |tx: &mut Tx<'_>| redelivery_jobs::advance(tx, owner, id, at(5_000_000));
    let stands = || {
        let job = job(store, owner, id);
        (job.total, job.looked)
    };
    assert_eq!(stands(), (None, 0), "more than are counted at once");
    assert!(write(store, owner, advance).unwrap());
    assert_eq!(stands(), (None, 0));
    // A slice of the count that was never committed is counted again, and once.
    let lost = write(store, owner, move |tx| {
        advance(tx)?;
        Err::<(), _>(Fault::broken("a crash between the slice and its commit"))
    });
    assert_eq!(kind(lost), FaultKind::Broken);
    assert!(write(store, owner, advance).unwrap());
    assert_eq!(stands(), (Some(count), 0));
    while write(store, owner, advance).unwrap() {
        assert_eq!(stands().0, Some(count));
    }
    assert_eq!(stands(), (Some(count), count));
    assert_eq!(job(store, owner, id).redelivered, count);
    // Few are counted when it is made.
    let id = job_of_all(store, owner, 999_000);
    assert_eq!(job(store, owner, id).total, Some(998));
}

/// Checks that a job sends what has failed and waits now, too. What has not failed is left as it is.
pub(crate) fn a_job_has_what_failed_and_waits_begin_now(store: &Store) {
    let (owner, _) = with_event(store);
    let ids: Vec<_> = (1..=4).map(|number| EventId::new(&Ids, at(number * 1_000))).collect();
    for id in ids.clone() {
        let event = deliveries::Event { id, ..event(0) };
        write(store, owner, move |tx| deliveries::enqueue(tx, owner, &event, at(9_000))).unwrap();
    }
    let [failed, under_way, delivered, untried] = ids[..] else { unreachable!("four") };
    let refused = attempt(1, Some(Trouble::Refused));
    for id in [failed, under_way] {
        let (_, lease) = take(store, owner, id, 9_000).unwrap();
        assert!(record(store, owner, id, lease, &refused, Next::At(at(9_100))));
    }
    let (_, lease) = take(store, owner, delivered, 9_000).unwrap();
    assert!(record(store, owner, delivered, lease, &attempt(1, None), Next::Delivered));
    let (_, lease) = take(store, owner, under_way, 9_100).unwrap();

    let id = job_of_all(store, owner, 9_050);
    let advance = move |tx: &mut Tx<'_>| redelivery_jobs::advance(tx, owner, id, at(9_050));
    while write(store, owner, advance).unwrap() {}
    let over = job(store, owner, id);
    assert_eq!((over.total, over.looked, over.redelivered), (Some(4), 4, 1));
    assert_eq!(next(store, owner, failed, 9_050), delivery_pages::Next::At(at(9_050)));
    assert_eq!(kept(store, owner, failed).0.step, 0, "the schedule is a new one");
    assert_eq!(next(store, owner, under_way, 9_110), delivery_pages::Next::UnderWay);
    assert_eq!(next(store, owner, untried, 8_000), delivery_pages::Next::At(at(9_000)));
    assert_eq!(next(store, owner, delivered, 9_050), delivery_pages::Next::Nothing);
    // The holder of its lease keeps it, and what it reports is accepted.
    assert!(record(store, owner, under_way, lease, &attempt(2, None), Next::Delivered));
    assert!(take(store, owner, failed, 9_050).is_some());
    assert!(take(store, owner, failed, 9_051).is_none(), "it was due once");
}

pub(crate) fn a_search_is_bounded_and_says_so(store: &Store) {
    let (owner, _) = with_event(store);
    let ids = with_given_up(store, owner, 5);
    let page = |filter: &Filter, from: i64, offset: i64, looked_max: i64| {
        let (filter, span) = (filter.clone(), at(from)..at(i64::MAX));
        let bounds = (PageBounds { limit: 3, offset, count_max: 4 }, looked_max);
        let page = move |tx: &mut Tx<'_>| {
            delivery_pages::page(tx, owner, &filter, &span, bounds, at(9_000_000))
        };
        wait(store.read(&Meter::default(), page)).unwrap()
    };
    let listed = |found: &Found| found.page.entries.iter().map(|one| one.id).collect::<Vec<_>>();
    let all = page(&Filter::default(), 0, 1, 1);
    assert_eq!(listed(&all), [ids[3], ids[2], ids[1]], "the newest first");
    assert_eq!((all.page.total, all.looked_since), (4, None), "counted up to four");
    let exhausted = Filter { state: Some(DeliveryState::Exhausted), ..Filter::default() };
    let found = page(&exhausted, 3_000, 0, 5);
    assert_eq!((listed(&found), found.page.total), (vec![ids[4], ids[3]], 2));
    assert_eq!(found.looked_since, None);
    let found = page(&exhausted, 0, 0, 2);
    assert_eq!((listed(&found), found.page.total), (vec![ids[4], ids[3]], 2));
    assert_eq!(found.looked_since, Some(at(3_000)), "the older ones were not looked at");
    // Those of one link are all looked at.
    let of = |link: u8| Filter { link: Some(LinkId::from_bytes([link; 16])), ..exhausted.clone() };
    let found = page(&of(5), 0, 0, 2);
    assert_eq!((listed(&found), found.looked_since), (vec![ids[4], ids[3], ids[2]], None));
    assert_eq!(page(&of(6), 0, 0, 2).page.total, 0);
}
