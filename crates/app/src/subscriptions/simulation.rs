//! Subscriptions under a seeded scheduler, through years that pass in jumps: two nodes look for work, payers come in time,
//! late and twice and cancel, people cancel, pause, waive and change their minds, writes fail, commits are lost, processes
//! end, the clocks of subscriptions are set ahead, and those of the nodes ahead and back by hours and days. Whatever
//! happened, a simple model must agree at the end.
//!
//! Everything is the real thing but the clock, the randomness, the bank and the scheduler. A store in memory lets nobody
//! wait, so that a pass of a node is one piece for whoever polls it: what nodes and people do is interleaved at its
//! writes, before each of which somebody else may come first, or the process end. A seed replays a run.

mod books;
mod events;
mod payers;
mod people;
mod reminders;
mod terms;
mod trouble;
mod verdict;
mod world;

use std::time::Duration;

use store::Store;

use self::trouble::Troubles;
use self::verdict::Tally;
use self::world::World;
use crate::verification::simulation::chosen;
use crate::verification::simulation::surroundings::Chance;

/// How many seeds each of the two tests has, which run side by side; and into how many parts they are taken apart, of
/// which a run takes one.
const SEEDS: u64 = 200;
const PARTS: u64 = 4;

const HOUR_S: u64 = 60 * 60;
const DAY_S: u64 = 24 * HOUR_S;

#[test]
fn no_order_of_events_opens_a_cycle_twice_or_leaves_one_out_1() {
    run_all(0);
}

#[test]
fn no_order_of_events_opens_a_cycle_twice_or_leaves_one_out_2() {
    run_all(1);
}

/// Runs seeds of a test, each with an owner of its own in one store.
fn run_all(test: u64) {
    let seeds = chosen(test * SEEDS..(test + 1) * SEEDS, PARTS);
    eprintln!("seeds {seeds:?}");
    let least = usize::try_from(seeds.end - seeds.start).unwrap();
    let troubles = Troubles::default();
    let (store, mut tally) = (troubles.store(), Tally::default());
    let (mut mishaps, mut interruptions) = (0, 0);
    for seed in seeds {
        tally += run(&store, &troubles, seed);
        let befallen = troubles.begin_anew();
        mishaps += befallen.mishaps;
        interruptions += befallen.interruptions;
    }
    eprintln!("{tally:?}, {mishaps} mishaps, {interruptions} interruptions");
    let often = [tally.opened, tally.reminded, tally.paid, mishaps, interruptions];
    assert!(often.iter().all(|count| *count > least), "little happened: {often:?}");
    let Tally { skipped, paid_by_another, canceled, completed, expired, .. } = tally;
    let Tally { waived, begun_anew, set_ahead, canceled_by_payer, ended_unpaid, .. } = tally;
    let now_and_then = [
        skipped,
        paid_by_another,
        canceled,
        completed,
        expired,
        waived,
        begun_anew,
        set_ahead,
        canceled_by_payer,
        ended_unpaid,
    ];
    assert!(now_and_then.iter().all(|count| *count > 0), "little happened: {tally:?}");
}

/// One run: some years of everything that may happen, then quiet, then the model.
fn run(store: &Store, troubles: &Troubles, seed: u64) -> Tally {
    let mut chance = Chance::new(seed);
    let mut world = World::new(store, troubles, seed, &mut chance);
    let years = Duration::from_secs((3 * 365 + chance.below(2 * 365)) * DAY_S);
    while world.age() < years {
        world.advance(jump(&mut chance));
        world.look_after(usize::from(chance.below(2) == 0));
        for _ in 0..1 + chance.below(6) {
            world.happen(&mut chance);
        }
        world.go_on_for_a_while(&mut chance);
    }
    // Nobody comes any more, and the clocks are corrected.
    world.come_to_rest();
    world.judge()
}

/// Draws how much time passes at once: hours, days or weeks.
fn jump(chance: &mut Chance) -> Duration {
    let hours = match chance.below(4) {
        0 => 1 + chance.below(24),
        1 => 24 * (1 + chance.below(7)),
        _ => 24 * (7 + chance.below(33)),
    };
    Duration::from_secs(hours * HOUR_S + chance.below(HOUR_S))
}
