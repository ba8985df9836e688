//! The verification machine under a seeded scheduler: many calls of one owner are interleaved at
//! every point where they can be, callers hang up, the process crashes between any two effects, writes
//! fail, commits are lost, and the clock is set ahead and back, by seconds and by years. Whatever happened, a simple
//! model must agree at the end.
//!
//! Everything is the real thing but the clock, the randomness, the bank and the scheduler: the store
//! is SQLite in memory, the futures are those that requests and tasks run. A seed replays a run.

pub(crate) mod bank;
pub(crate) mod questions;
pub(crate) mod surroundings;
mod trouble;
mod world;

use std::ops::Range;

use domain::verification::{RESERVATION, SEARCH};
use store::Store;

use self::surroundings::Chance;
use self::trouble::Troubles;
use self::world::World;

/// After one in so many seeds, everybody asks everything once more: dear, and telling.
const ASK_AGAIN_EVERY: u64 = 20;

/// How many steps the scheduler takes with one seed.
const STEPS: usize = 80;

/// How many seeds each of the four tests has, which run side by side; and into how many parts they are taken apart, of
/// which a run takes one.
const SEEDS: u64 = 500;
const PARTS: u64 = 5;

/// The number by which a run chooses its part, which `cargo xtask test` takes from the commit; and what is set where
/// nothing is to be left out, as by `cargo xtask test --long` and `cargo xtask soak`.
const PART_VARIABLE: &str = "TEST_PART";
const LONG_VARIABLE: &str = "TEST_LONG";

#[test]
fn no_order_of_events_loses_doubles_or_overspends_1() {
    run_all(0);
}

#[test]
fn no_order_of_events_loses_doubles_or_overspends_2() {
    run_all(1);
}

#[test]
fn no_order_of_events_loses_doubles_or_overspends_3() {
    run_all(2);
}

#[test]
fn no_order_of_events_loses_doubles_or_overspends_4() {
    run_all(3);
}

/// A lost answer's first report goes to the next call, and only there.
#[test]
fn a_lost_answer_is_given_back_once() {
    let mut world = World::new(&store::inline().unwrap(), &Troubles::default(), 0);
    world.bank_shows_all();
    assert_eq!(world.ask_alone(None, true), None);
    world.settle();
    assert_eq!(world.ask_alone(None, false), Some(true));
    assert_eq!(world.ask_alone(None, false), Some(false));
    world.check_end(false);
}

/// Whoever comes for a lost answer by the same `Idempotency-Key` before its first report is given back gets
/// the answer and keeps the first report.
#[test]
fn a_lost_answer_that_was_replayed_is_not_given_back() {
    let mut world = World::new(&store::inline().unwrap(), &Troubles::default(), 0);
    world.bank_shows_all();
    assert_eq!(world.ask_alone(Some(1), true), None);
    assert_eq!(world.ask_alone(Some(1), false), Some(true));
    world.settle();
    assert_eq!(world.ask_alone(None, false), Some(false));
    assert_eq!(world.ask_alone(Some(1), false), Some(true));
    world.check_end(false);
}

/// The seeds that this run takes of those of a test, which are taken apart into so many parts.
#[expect(
    clippy::disallowed_methods,
    reason = "which part of the seeds is run is said from outside"
)]
pub(crate) fn chosen(seeds: Range<u64>, parts: u64) -> Range<u64> {
    if std::env::var_os(LONG_VARIABLE).is_some() {
        return seeds;
    }
    let part: u64 = std::env::var(PART_VARIABLE).map_or(0, |part| part.parse().unwrap());
    let length = (seeds.end - seeds.start) / parts;
    let begin = seeds.start + part % parts * length;
    begin..begin + length
}

/// Runs seeds of a test, each with an owner of its own in one store.
fn run_all(test: u64) {
    let seeds = chosen(test * SEEDS..(test + 1) * SEEDS, PARTS);
    eprintln!("seeds {seeds:?}");
    let least = usize::try_from((seeds.end - seeds.start) / 5).unwrap();
    let troubles = Troubles::default();
    let (store, mut befallen) = (troubles.store(), 0);
    for seed in seeds {
        run(&store, &troubles, seed);
        befallen += troubles.begin_anew();
    }
    assert!(befallen > least, "the store was in trouble {befallen} times");
}

/// One run: a storm of calls, hang-ups, crashes and jumps, then quiet, then the model.
fn run(store: &Store, troubles: &Troubles, seed: u64) {
    let mut chance = Chance::new(seed);
    // Some runs go without a crash and without trouble: only there can every first report be expected to arrive, since a crash
    // or a lost commit after the claim and before the answer takes it along.
    let is_calm = seed.is_multiple_of(ASK_AGAIN_EVERY);
    let mut world = World::new(store, troubles, seed);
    for _ in 0..STEPS {
        match chance.below(106) {
            0..30 => world.call(&mut chance),
            30..80 if !is_calm => world.poll_in_trouble(&mut chance),
            30..80 => world.poll_one(&mut chance),
            80..86 => world.hang_up(&mut chance),
            86..90 if !is_calm => world.crash(),
            90..93 => world.advance(RESERVATION / 4),
            93..96 => world.advance(SEARCH / 8),
            96..98 => world.look_after(),
            100..102 => world.set_clock(&mut chance, is_calm),
            102..104 => world.set_clock_right(),
            104..106 if !is_calm => world.vanish(),
            _ => world.bank_posts(&mut chance),
        }
        world.check_limits();
    }
    // Nobody calls any more, and the clock is corrected. Whatever is open is answered, taken over or expires.
    world.set_clock_right();
    world.settle();
    if is_calm {
        world.ask_all_again();
    }
    world.check_end(is_calm);
}
