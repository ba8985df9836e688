//! Webhooks on their way: written with what makes them true, taken by one, kept once.

use std::time::Duration;

use domain::ids::{EventId, NoticeId};
use domain::notices::Notice;
use domain::webhooks::evidence::Digest;
use domain::webhooks::{DeliveryState, EventKind, Phase, Phases, Trouble};

use super::*;
use crate::deliveries::{self, Attempt, Conclusion, Delivery, Event, NewDelivery, Next};
use crate::due::Lease;
use crate::evidence::{AttemptDigests, of_attempt};
use crate::list::PageBounds;
use crate::{delivery_audit, delivery_lines, evidence, notices, owners, recording};

const URL: &str = "https://shop.example/hook";

/// An owner with a row of its own, and an event that is due at 100.
pub(super) fn with_event(store: &Store) -> (OwnerId, EventId) {
    let owner = owner();
    let event = event(random());
    let id = event.id;
    let made = write(store, owner, move |tx| {
        let email = format!("{owner}@example.com");
        owners::insert(tx, owner, &email, "a", "b", at(0))?;
        deliveries::enqueue(tx, owner, &event, at(100))
    });
    made.unwrap();
    (owner, id)
}

/// Events whose ids come behind that one, in their order.
fn behind<const COUNT: usize>(first: EventId) -> [Event; COUNT] {
    let id = first.to_bytes();
    let number = u64::from_be_bytes(id[8..].try_into().unwrap());
    std::array::from_fn(|at| event(number + 1 + at as u64))
}

pub(super) fn event(number: u64) -> Event {
    let mut id = [0; 16];
    id[8..].copy_from_slice(&number.to_be_bytes());
    // Any bytes, since they are kept as they are.
    let body = vec![b'{', 0, 255, b'}'];
    Event {
        id: EventId::from_bytes(id),
        kind: EventKind::LinkPaid,
        subject: [5; 16],
        client: None,
        url: URL.to_owned(),
        body,
    }
}

pub(super) fn take(
    store: &Store,
    owner: OwnerId,
    id: EventId,
    now: i64,
) -> Option<(Delivery, Lease)> {
    write(store, owner, move |tx| deliveries::claim(tx, owner, id, at(now), at(now + 50))).unwrap()
}

pub(super) fn attempt(number: u32, trouble: Option<Trouble>) -> Attempt {
    let status = trouble.is_none().then_some(204);
    let duration = Duration::from_micros(7);
    let mut phases = Phases::default();
    phases.add(Phase::Waiting, duration);
    Attempt {
        number,
        began_at: at(200),
        duration,
        status,
        answer_head: b"HTTP/1.1 204\r\n".to_vec(),
        answer: vec![b'a'; 2_000],
        trouble,
        sent: Some("POST / HTTP/1.1\r\n".to_owned()),
        address: Some("192.0.2.7".parse().unwrap()),
        is_reused: true,
        phases,
    }
}

pub(super) fn record(
    store: &Store,
    owner: OwnerId,
    id: EventId,
    lease: Lease,
    attempt: &Attempt,
    next: Next,
) -> bool {
    let attempt = attempt.clone();
    // A caller that writes again does not know that it was kept, and notifies again.
    let notice = attempt.trouble.map(|why| Notice::webhook_failing(URL, why, attempt.began_at));
    let notice_id = owner.to_bytes();
    let notice = notice.map(|notice| (NoticeId::from_bytes(notice_id), notice));
    let digests = of_attempt(chain_before(store, owner, id, attempt.number), &attempt);
    let (step, trouble) = (attempt.number, attempt.trouble);
    let conclusion = Conclusion { step, trouble, attempt, next, notice, digests };
    write(store, owner, move |tx| recording::record(tx, owner, id, lease, &conclusion)).unwrap()
}

/// The end of the chain when that attempt was made, whether or not it is kept already.
fn chain_before(store: &Store, owner: OwnerId, id: EventId, number: u32) -> Option<Digest> {
    let job = move |tx: &mut Tx<'_>| evidence::kept(tx, owner, id, id, 1);
    let found = wait(store.read(&Meter::default(), job)).unwrap().remove(0);
    let earlier = found.attempts.iter().rfind(|kept| kept.number < i64::from(number));
    earlier.map_or(found.digest(owner), |kept| kept.digests.digest)
}

/// How often the owner was notified of that receiver.
fn times_notified(store: &Store, owner: OwnerId) -> Vec<i64> {
    let bounds = PageBounds { limit: 10, offset: 0, count_max: 10 };
    let page = move |tx: &mut Tx<'_>| notices::page(tx, owner, &(at(0)..at(1_000)), None, bounds);
    let listed = wait(store.read(&Meter::default(), page)).unwrap();
    assert_eq!(usize::try_from(listed.total), Ok(listed.entries.len()));
    listed.entries.iter().map(|notice| notice.times).collect()
}

pub(super) fn kept(store: &Store, owner: OwnerId, id: EventId) -> (Delivery, Vec<Attempt>) {
    let job = move |tx: &mut Tx<'_>| {
        let delivery = deliveries::find(tx, owner, id)?.expect("it was written");
        Ok((delivery, deliveries::attempts(tx, owner, id)?))
    };
    wait(store.read(&Meter::default(), job)).unwrap()
}

/// Tells whether a scan finds the delivery at that instant: a scan of all that is due, and one of what is due to its
/// receiver.
fn is_found(store: &Store, owner: OwnerId, now: i64) -> bool {
    let line = |receiver| {
        let job = move |tx: &mut Tx<'_>| delivery_lines::scan(tx, owner, receiver, at(now), 10);
        wait(store.read(&Meter::default(), job)).unwrap()
    };
    assert_eq!(line("another.example"), []);
    let is_found = is_found_among_all(store, owner, now);
    assert_eq!(is_found, !line("shop.example").is_empty());
    is_found
}

fn is_found_among_all(store: &Store, owner: OwnerId, now: i64) -> bool {
    let mut after = None;
    loop {
        let job = move |tx: &mut Tx<'_>| deliveries::scan(tx, at(now), after);
        let found = wait(store.read(&Meter::default(), job)).unwrap();
        if let Some(one) = found.iter().find(|found| found.due.owner == owner) {
            assert_eq!(one.receiver, "shop.example");
            return true;
        }
        match found.last() {
            Some(last) => after = Some(last.due),
            None => return false,
        }
    }
}

pub(crate) fn an_event_is_there_with_what_made_it_true_or_not_at_all(store: &Store) {
    let (owner, id) = with_event(store);
    let other = event(random());
    let lost = write(store, owner, move |tx| {
        deliveries::enqueue(tx, owner, &other, at(100))?;
        Err::<(), _>(Fault::broken("what would have made it true"))
    });
    assert_eq!(kind(lost), FaultKind::Broken);
    let (delivery, attempts) = kept(store, owner, id);
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Pending, 0));
    assert_eq!((delivery.event.body, delivery.event.url.as_str()), (vec![b'{', 0, 255, b'}'], URL));
    assert_eq!(attempts, []);
    assert!(!is_found(store, owner, 99) && is_found(store, owner, 100));
    // The same event again is a mistake, and takes everything with it.
    let mut again = event(0);
    again.id = id;
    let again = write(store, owner, move |tx| deliveries::enqueue(tx, owner, &again, at(100)));
    assert_eq!(kind(again), FaultKind::Constraint);
}

pub(crate) fn a_delivery_is_taken_by_one_and_ends_once(store: &Store) {
    let (owner, id) = with_event(store);
    assert!(take(store, owner, id, 99).is_none());
    let (_, lease) = take(store, owner, id, 100).unwrap();
    assert!(take(store, owner, id, 149).is_none(), "somebody has it");
    assert!(!is_found(store, owner, 149));
    let failed = attempt(1, Some(Trouble::Reset));
    assert!(record(store, owner, id, lease, &failed, Next::At(at(300))));
    // As a caller does whose commit was not answered.
    assert!(!record(store, owner, id, lease, &failed, Next::At(at(300))));
    let (delivery, attempts) = kept(store, owner, id);
    assert_eq!((delivery.attempts, delivery.trouble), (1, Some(Trouble::Reset)));
    assert_eq!((attempts.len(), attempts[0].status), (1, None));
    let answer = failed.answer[..deliveries::ANSWER_KEPT_MAX].to_vec();
    assert!(attempts[0] == deliveries::Attempt { answer, ..failed }, "it reads back as it was");
    assert_eq!(times_notified(store, owner), [1], "of what is kept once is told once");

    let (delivery, lease) = take(store, owner, id, 300).unwrap();
    assert_eq!(delivery.attempts, 1);
    let done = attempt(2, None);
    assert!(record(store, owner, id, lease, &done, Next::Delivered));
    assert!(!record(store, owner, id, lease, &done, Next::Delivered));
    let (delivery, attempts) = kept(store, owner, id);
    assert_eq!((delivery.state, delivery.trouble), (DeliveryState::Delivered, None));
    assert_eq!((delivery.ended_at, attempts.len()), (Some(at(207)), 2));
    // The chain that was written twice is one.
    assert_eq!(delivery.chain, chain_before(store, owner, id, 3));
    let check = move |tx: &mut Tx<'_>| delivery_audit::check_page(tx, owner, None);
    let (found, next) = wait(store.read(&Meter::default(), check)).unwrap();
    assert_eq!((found.differences, found.attempts, next), (Vec::new(), 2, None));
    assert!(take(store, owner, id, 10_000).is_none() && !is_found(store, owner, 10_000));
}

pub(crate) fn what_a_former_holder_of_a_delivery_reports_changes_nothing(store: &Store) {
    let (owner, id) = with_event(store);
    let (_, former) = take(store, owner, id, 100).unwrap();
    let (_, lease) = take(store, owner, id, 150).unwrap();
    for next in [Next::At(at(160)), Next::Exhausted] {
        assert!(!record(store, owner, id, former, &attempt(1, Some(Trouble::Reset)), next));
    }
    assert_eq!(kept(store, owner, id).1, []);
    assert!(times_notified(store, owner).is_empty());
    let done = attempt(1, None);
    assert!(record(store, owner, id, lease, &done, Next::Delivered));
}

pub(crate) fn deliveries_are_taken_and_kept_together_as_if_one_by_one(store: &Store) {
    let (owner, first) = with_event(store);
    let [second, third] = behind(first);
    let ids = [first, second.id, third.id];
    let also = move |tx: &mut Tx<'_>| {
        deliveries::enqueue(tx, owner, &second, at(100))?;
        deliveries::enqueue(tx, owner, &third, at(100))
    };
    write(store, owner, also).unwrap();
    // One of them was taken before, so that more may have become of it than was written.
    let (_, former) = take(store, owner, first, 100).unwrap();
    let taken = write(store, owner, move |tx| {
        let wanted = ids.map(|id| (id, id != ids[1]));
        let unknown = (EventId::from_bytes([255; 16]), true);
        let wanted: Vec<_> = wanted.into_iter().chain([unknown]).collect();
        deliveries::claim_all(tx, owner, &wanted, at(150), at(200))
    });
    let (taken, secrets) = taken.unwrap();
    assert_eq!(secrets, None, "nothing has been made yet that signs them");
    let known: Vec<_> =
        taken.iter().map(|one| one.as_ref().map(|(_, found)| found.is_some())).collect();
    assert_eq!(known, [Some(true), Some(true), Some(false), None], "what the taker does not know");
    let found = taken[1].as_ref().unwrap().1.as_ref().unwrap();
    assert_eq!((found.event.id, found.attempts), (ids[1], 0));

    let leases = [former, taken[1].as_ref().unwrap().0, taken[2].as_ref().unwrap().0];
    let holds = write(store, owner, move |tx| {
        let next = [Next::Delivered, Next::Delivered, Next::At(at(300))];
        let made = next.map(|next| Conclusion {
            attempt: attempt(1, None),
            step: 1,
            trouble: None,
            next,
            notice: None,
            digests: AttemptDigests::default(),
        });
        let made = ids.iter().zip(leases).zip(&made);
        let made: Vec<_> = made.map(|((id, lease), made)| (*id, lease, made)).collect();
        recording::record_all(tx, owner, &made)
    });
    assert_eq!(holds.unwrap(), [false, true, true], "the first is another's by now");
    let stands = ids.map(|id| {
        let (delivery, attempts) = kept(store, owner, id);
        (delivery.state, attempts.len())
    });
    let pending = DeliveryState::Pending;
    assert_eq!(stands, [(pending, 0), (DeliveryState::Delivered, 1), (pending, 1)]);
    assert!(take(store, owner, ids[2], 299).is_none() && take(store, owner, ids[2], 300).is_some());
}

pub(crate) fn a_delivery_that_is_given_back_is_as_if_nobody_had_taken_it(store: &Store) {
    let (owner, id) = with_event(store);
    let give_back = |lease, now| {
        write(store, owner, move |tx| deliveries::release(tx, owner, id, lease, at(now))).unwrap()
    };
    let (_, lease) = take(store, owner, id, 100).unwrap();
    assert!(give_back(lease, 110));
    let (delivery, later) = take(store, owner, id, 110).unwrap();
    assert_eq!((later.tries, delivery.attempts), (lease.tries, 0));
    assert!(!give_back(lease, 111), "it is another's");
    assert!(take(store, owner, id, 111).is_none());
}

pub(crate) fn a_new_delivery_is_published_after_its_commit_and_nothing_else_is(store: &Store) {
    let mut published = store.subscribe::<NewDelivery>(2);
    let (owner, id) = with_event(store);
    let new = published.try_recv().unwrap();
    let fields = (new.owner, new.delivery.event.id, new.delivery.created_at);
    assert_eq!(fields, (owner, id, at(100)));
    let lost = event(random());
    let lost = write(store, owner, move |tx| {
        deliveries::enqueue(tx, owner, &lost, at(100))?;
        Err::<(), _>(Fault::broken("it is not to be"))
    });
    assert_eq!(kind(lost), FaultKind::Broken);
    assert!(published.try_recv().is_err());
    // What has no room is found by looking.
    let many = [0; 3].map(|_| event(random()));
    let ids = [many[0].id, many[1].id];
    let job = move |tx: &mut Tx<'_>| {
        many.iter().try_for_each(|event| deliveries::enqueue(tx, owner, event, at(100)))
    };
    write(store, owner, job).unwrap();
    let received =
        [published.try_recv(), published.try_recv()].map(|new| new.unwrap().delivery.event.id);
    assert_eq!(received, ids);
    assert!(published.try_recv().is_err());
}

pub(crate) fn who_follows_an_attempt_up_keeps_the_delivery(store: &Store) {
    let (owner, id) = with_event(store);
    let (_, first) = take(store, owner, id, 100).unwrap();
    let failed = attempt(1, Some(Trouble::Refused));
    let go_on = |lease| {
        let (attempt, trouble) = (failed.clone(), failed.trouble);
        let next = Next::At(at(250));
        let conclusion = Conclusion {
            attempt,
            step: 0,
            trouble,
            next,
            notice: None,
            digests: AttemptDigests::default(),
        };
        let job = move |tx: &mut Tx<'_>| {
            recording::record_and_go_on(tx, owner, id, lease, &conclusion, at(250))
        };
        write(store, owner, job).unwrap()
    };
    let second = go_on(first).unwrap();
    assert_eq!(second.tries, first.tries + 1);
    // Its own lease of before is over like anybody else's.
    assert!(go_on(first).is_none());
    assert!(!record(store, owner, id, first, &failed, Next::Exhausted));
    assert!(take(store, owner, id, 249).is_none());
    let (delivery, attempts) = kept(store, owner, id);
    assert_eq!((delivery.state, delivery.step), (DeliveryState::Pending, 0));
    assert_eq!((delivery.attempts, attempts.len()), (1, 1));
    assert!(record(store, owner, id, second, &attempt(2, None), Next::Delivered));
    assert_eq!(kept(store, owner, id).1.len(), 2);
}

pub(crate) fn attempts_that_are_kept_together_are_each_as_they_were(store: &Store) {
    let (owner, first) = with_event(store);
    let more: [Event; 4] = behind(first);
    let ids: Vec<_> = [first].into_iter().chain(more.iter().map(|event| event.id)).collect();
    let also = move |tx: &mut Tx<'_>| {
        more.iter().try_for_each(|event| deliveries::enqueue(tx, owner, event, at(100)))
    };
    write(store, owner, also).unwrap();
    let troubles = [None, Some(Trouble::Reset), None, Some(Trouble::Refused), None];
    let bare = |attempt| Attempt { sent: None, address: None, is_reused: false, ..attempt };
    let attempts = troubles.map(|trouble| match trouble {
        None => attempt(1, trouble),
        Some(_) => bare(attempt(1, trouble)),
    });
    let leases: Vec<_> = ids.iter().map(|id| take(store, owner, *id, 100).unwrap().1).collect();
    let (wanted, made) = (ids.clone(), attempts.clone());
    let holds = write(store, owner, move |tx| {
        let conclude = |attempt: &Attempt| Conclusion {
            attempt: attempt.clone(),
            step: 1,
            trouble: attempt.trouble,
            next: attempt.trouble.map_or(Next::Delivered, |_| Next::Exhausted),
            notice: None,
            digests: AttemptDigests::default(),
        };
        let made: Vec<_> = made.iter().map(conclude).collect();
        let all = wanted.iter().zip(&leases).zip(&made);
        let all: Vec<_> = all.map(|((id, lease), made)| (*id, *lease, made)).collect();
        recording::record_all(tx, owner, &all)
    });
    assert_eq!(holds.unwrap(), [true; 5]);
    for ((id, trouble), attempt) in ids.into_iter().zip(troubles).zip(attempts) {
        let (delivery, kept) = kept(store, owner, id);
        assert_eq!(delivery.trouble, trouble);
        let answer = attempt.answer[..deliveries::ANSWER_KEPT_MAX].to_vec();
        assert_eq!(kept, [Attempt { answer, ..attempt }]);
    }
}
