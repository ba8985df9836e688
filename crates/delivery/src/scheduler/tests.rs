//! The rules of turns, without anything that sends.

use std::time::Duration;

use domain::ids::EventId;
use futures_util::FutureExt;

use super::*;

const ONE: OwnerId = OwnerId::from_bytes([1; 16]);
const OTHER: OwnerId = OwnerId::from_bytes([2; 16]);

/// Plenty of everything, of which a test takes some away.
const PLENTY: Quota = Quota { in_all: 1_000, of_one: 1_000 };
const LIMITS: Limits = Limits {
    slots: [PLENTY; 3],
    at_a_receiver: PLENTY,
    room: PLENTY,
    in_a_line: 1_000,
    receivers: 1_000,
};

fn scheduler(limits: Limits) -> Arc<Scheduler> {
    Arc::new(Scheduler::new(limits))
}

fn owner(number: u8) -> OwnerId {
    OwnerId::from_bytes([number; 16])
}

/// Lets so many of an owner's deliveries wait, numbered from there on; answers how many have room.
fn add(scheduler: &Scheduler, owner: OwnerId, receiver: &str, from: u16, count: u16) -> usize {
    let candidate = |number: u16| {
        let mut id = owner.to_bytes();
        id[..2].copy_from_slice(&number.to_be_bytes());
        let id = EventId::from_bytes(id);
        Candidate { owner, id, receiver: receiver.into(), written: None }
    };
    let added = (from..from + count).map(|number| scheduler.add(candidate(number)));
    added.filter(|added| *added == Added::Waits).count()
}

/// Begins all that may begin.
fn begin(scheduler: &Arc<Scheduler>) -> Vec<Slot> {
    std::iter::from_fn(|| scheduler.next()).map(|(_, slot)| slot).collect()
}

fn of(slots: &[Slot], owner: OwnerId) -> usize {
    slots.iter().filter(|slot| slot.owner == owner).count()
}

fn is_empty(scheduler: &Scheduler) -> bool {
    let state = scheduler.lock();
    state.known.is_empty()
        && state.receivers.are_idle()
        && state.owners.is_empty()
        && (state.under_way.in_all(), state.waiting) == (0, 0)
}

#[test]
fn however_many_take_all_they_can_as_much_is_left_for_the_next() {
    for greedy in 1..=30u8 {
        let slots = [Quota { in_all: 256, of_one: 64 }; 3];
        let room = Quota { in_all: 10_000, of_one: 300 };
        let scheduler = scheduler(Limits { slots, room, ..LIMITS });
        for number in 1..=greedy {
            add(&scheduler, owner(number), "dead", 0, 300);
        }
        let begun = begin(&scheduler);
        let each = 64.min(256 / (usize::from(greedy) + 1));
        for number in 1..=greedy {
            assert!((each..=each + 1).contains(&of(&begun, owner(number))), "of {greedy}");
        }
        // An owner that comes now has a slot at once, though all others want more.
        add(&scheduler, owner(99), "well", 0, 1);
        assert_eq!(of(&begin(&scheduler), owner(99)), 1, "beside {greedy}");
    }
}

#[test]
fn a_receiver_is_shared_by_what_is_free_of_it() {
    let at_a_receiver = Quota { in_all: 16, of_one: 8 };
    let scheduler = scheduler(Limits { at_a_receiver, ..LIMITS });
    add(&scheduler, ONE, "shared", 0, 100);
    let hostile = begin(&scheduler);
    assert_eq!(hostile.len(), 8);
    add(&scheduler, OTHER, "shared", 0, 100);
    let others = begin(&scheduler);
    assert_eq!((others.len(), of(&others, OTHER)), (4, 4));
    // Neither keeps anybody from going elsewhere.
    add(&scheduler, ONE, "elsewhere", 100, 1);
    assert_eq!(begin(&scheduler).len(), 1);
}

#[test]
fn a_slot_that_is_freed_goes_to_the_owner_with_the_fewest_and_then_to_the_one_that_waited_longest()
{
    let scheduler = scheduler(Limits { slots: [Quota { in_all: 4, of_one: 4 }; 3], ..LIMITS });
    // The first has come long before the others, and wants far more.
    add(&scheduler, owner(1), "a", 0, 500);
    let mut begun = begin(&scheduler);
    assert_eq!(begun.len(), 2);
    for number in 2..=5 {
        add(&scheduler, owner(number), "a", 0, 60);
    }
    begun.append(&mut begin(&scheduler));
    assert_eq!(begun.len(), 4);
    let mut had = [0; 6];
    for _ in 0..100 {
        drop(begun.remove(0));
        begun.append(&mut begin(&scheduler));
        had[usize::from(begun[3].owner.to_bytes()[0])] += 1;
    }
    assert!(had[1..].iter().all(|scheduler| (19..=21).contains(scheduler)), "{had:?}");
}

#[test]
fn receivers_of_an_owner_take_turns() {
    let scheduler = scheduler(Limits { slots: [Quota { in_all: 100, of_one: 6 }; 3], ..LIMITS });
    add(&scheduler, ONE, "a", 0, 50);
    add(&scheduler, ONE, "b", 100, 50);
    add(&scheduler, ONE, "c", 200, 50);
    let begun = begin(&scheduler);
    for receiver in ["a", "b", "c"] {
        assert_eq!(begun.iter().filter(|slot| &*slot.receiver == receiver).count(), 2);
    }
}

#[test]
fn an_owner_that_takes_the_most_room_makes_room_for_others() {
    let room = Quota { in_all: 1_000, of_one: 400 };
    let scheduler = scheduler(Limits { room, in_a_line: 300, ..LIMITS });
    assert_eq!(add(&scheduler, owner(1), "dead", 0, 500), 300);
    // Of an owner the longest line makes room for the others.
    assert_eq!(add(&scheduler, owner(1), "also dead", 500, 300), 200);
    assert_eq!(add(&scheduler, owner(1), "well", 800, 10), 10);
    // And of all owners the one with the most, until each has as much as any.
    for number in 2..=20 {
        let has_room = add(&scheduler, owner(number), "dead", 0, 300);
        assert!(has_room >= 300.min(1_000 / usize::from(number) - 1), "{number}: {has_room}");
    }
    assert_eq!(add(&scheduler, owner(21), "well", 0, 30), 30);
    let state = scheduler.lock();
    assert_eq!((state.waiting, state.known.len()), (1_000, 1_000));
    let counted: usize = state.owners.values().map(|owner| owner.waiting).sum();
    assert_eq!(counted, 1_000);
    for owner in state.owners.values() {
        let lines = owner.lines.values().map(|line| line.waiting.len());
        assert_eq!(lines.sum::<usize>(), owner.waiting);
        assert_eq!(owner.order.len(), owner.lines.len());
    }
}

#[test]
fn what_was_passed_over_is_looked_for_when_its_line_is_nearly_done() {
    let scheduler = scheduler(Limits { in_a_line: 8, ..LIMITS });
    assert_eq!(add(&scheduler, ONE, "a", 0, 8), 8);
    let mut begun: Vec<_> = (0..6).map(|_| scheduler.next().unwrap()).collect();
    assert!(scheduler.backfill_requested().now_or_never().is_none(), "there is no more of it");
    assert_eq!(add(&scheduler, ONE, "a", 8, 20), 6);
    begun.extend((0..5).map(|_| scheduler.next().unwrap()));
    assert!(scheduler.backfill_requested().now_or_never().is_none());
    begun.push(scheduler.next().unwrap());
    assert!(scheduler.backfill_requested().now_or_never().is_some());
    assert_eq!(scheduler.next_backfill(), Some((ONE, "a".into())));
    begun.push(scheduler.next().unwrap());
    assert!(scheduler.backfill_requested().now_or_never().is_none(), "it is asked for once");
    assert_eq!(scheduler.next_backfill(), None);
    // Unless the reader of it did not reach the end.
    scheduler.has_more(ONE, &"a".into());
    begun.push(scheduler.next().unwrap());
    assert_eq!(scheduler.next_backfill(), Some((ONE, "a".into())));
}

#[test]
fn a_hungry_line_is_read_once_however_often_it_is_asked_for() {
    let scheduler = scheduler(LIMITS);
    for receiver in ["a", "b", "a"] {
        scheduler.request_backfill(ONE, &receiver.into());
    }
    assert!(scheduler.backfill_requested().now_or_never().is_some());
    assert_eq!(scheduler.next_backfill(), Some((ONE, "a".into())));
    assert!(scheduler.backfill_requested().now_or_never().is_some(), "there is another");
    assert_eq!(scheduler.next_backfill(), Some((ONE, "b".into())));
    assert_eq!(scheduler.next_backfill(), None);
}

/// Checks that a delivery found due while it is under way is looked for again. What is kept of an attempt is seen
/// before its slot is free, and it may be due again by then.
#[test]
fn a_delivery_that_is_found_due_while_it_is_under_way_is_looked_for_again() {
    let scheduler = scheduler(LIMITS);
    add(&scheduler, ONE, "a", 0, 1);
    assert_eq!(add(&scheduler, ONE, "a", 0, 1), 0, "it waits already");
    let (_, slot) = scheduler.next().unwrap();
    assert_eq!(add(&scheduler, ONE, "a", 0, 1), 0, "it is due until it is taken");
    drop(slot);
    assert!(scheduler.backfill_requested().now_or_never().is_none());
    add(&scheduler, ONE, "a", 0, 1);
    let (_, slot) = scheduler.next().unwrap();
    slot.claimed();
    assert_eq!(add(&scheduler, ONE, "a", 0, 1), 0);
    drop(slot);
    assert!(scheduler.backfill_requested().now_or_never().is_some());
    assert_eq!(add(&scheduler, ONE, "a", 0, 1), 1);
}

#[test]
fn a_receivers_slot_is_free_once_it_has_answered_and_the_rest_once_that_is_kept() {
    let slots = [Quota { in_all: 10, of_one: 2 }; 3];
    let scheduler =
        scheduler(Limits { slots, at_a_receiver: Quota { in_all: 2, of_one: 1 }, ..LIMITS });
    add(&scheduler, ONE, "a", 0, 5);
    let (_, mut first) = scheduler.next().unwrap();
    assert!(scheduler.next().is_none());
    first.ended(Duration::ZERO);
    let (_, mut second) = scheduler.next().unwrap();
    second.ended(Duration::ZERO);
    assert!(scheduler.next().is_none(), "two of the owner's are being kept");
    assert_eq!(add(&scheduler, ONE, "a", 0, 1), 0, "it is known until then");
    drop(first);
    assert!(scheduler.next().is_some());
    drop(second);
    drop(begin(&scheduler));
    drop(begin(&scheduler));
    assert!(is_empty(&scheduler), "{scheduler:?}");
}

/// Ends these attempts, each after so long.
fn end(slots: Vec<Slot>, took: Duration) {
    for mut slot in slots {
        slot.ended(took);
    }
}

/// Checks the service's own limits with as many deliveries as it takes to fill all slots.
#[test]
fn a_slow_receiver_leaves_slots_to_the_quick_and_to_those_that_nobody_knows() {
    const TIMED_OUT: Duration = Duration::from_secs(10);
    let scheduler = scheduler(crate::deliveries::LIMITS);
    add(&scheduler, owner(99), "quick", 0, 1);
    end(begin(&scheduler), Duration::from_millis(20));

    // Nobody knows them, and each has as much as it may.
    let mut dead = Vec::new();
    for number in 1..=30 {
        for receiver in 0..8 {
            add(&scheduler, owner(number), &format!("dead {number} {receiver}"), receiver * 8, 8);
        }
        dead.append(&mut begin(&scheduler));
    }
    assert_eq!(dead.len(), crate::NOT_QUICK_MAX);
    assert_eq!(of(&dead, owner(1)), crate::NOT_QUICK_OF_ONE_OWNER_MAX);
    add(&scheduler, owner(99), "quick", 1, 8);
    assert_eq!(begin(&scheduler).len(), 8, "it has all slots that it may have at a receiver");

    // From the first answers on it is known what they are.
    while !dead.is_empty() {
        end(std::mem::take(&mut dead), TIMED_OUT);
        dead = begin(&scheduler);
    }
    for number in 1..=30 {
        for receiver in 0..8 {
            add(&scheduler, owner(number), &format!("dead {number} {receiver}"), receiver * 8, 8);
        }
        dead.append(&mut begin(&scheduler));
    }
    assert_eq!(dead.len(), crate::SLOW_MAX);
    assert_eq!(of(&dead, owner(1)), crate::SLOW_OF_ONE_OWNER_MAX);
    add(&scheduler, owner(99), "quick", 1, 8);
    add(&scheduler, owner(98), "nobody knows it", 0, 8);
    let others = begin(&scheduler);
    assert_eq!((of(&others, owner(99)), of(&others, owner(98))), (8, 8));
    drop(others);
    // Even an owner of slow ones has slots for its own that are quick.
    add(&scheduler, owner(1), "quick", 900, 8);
    assert_eq!(begin(&scheduler).len(), 8);
    drop(dead);
    drop(begin(&scheduler));
}

#[test]
fn owners_take_turns_to_have_their_lines_read() {
    let scheduler = scheduler(LIMITS);
    for (owner, receiver) in [(ONE, "a"), (ONE, "b"), (ONE, "a"), (ONE, "c"), (OTHER, "d")] {
        scheduler.request_backfill(owner, &receiver.into());
    }
    let read = std::iter::from_fn(|| scheduler.next_backfill()).map(|(owner, receiver)| {
        assert_eq!(owner == OTHER, &*receiver == "d");
        receiver.to_string()
    });
    assert_eq!(read.collect::<Vec<_>>(), ["a", "d", "b", "c"]);
}
