//! SIGKILL under load, again and again: nothing answered is lost, nothing is charged or called new
//! twice, no limit is exceeded, and nothing stays reserved. Then the same with PostgreSQL's
//! connections cut at any message, with payers who pay links of which a shop is notified, with
//! subscriptions whose clocks are set ahead, and with nothing but events that are made and sent.

use std::env;
use std::time::Duration;

use testkit::Engine;

use crate::episode::{Outcome, of_cuts, of_kills};
use crate::events::of_events;
use crate::patience::now;
use crate::sales::of_sales;
use crate::subscriptions::of_subscriptions;

const SECONDS_VARIABLE: &str = "COTEJO_CRASH_SECONDS";
const SEED_VARIABLE: &str = "COTEJO_CRASH_SEED";

/// Variable with the first seed by default: `cargo xtask test` sets it to a number of its own for each commit.
const PART_VARIABLE: &str = "TEST_PART";

/// How long an engine is put to the test where nobody says: each commit for a moment and with other choices, and
/// `cargo xtask soak` for hours.
const SECONDS: u64 = 12;

/// How long one history lasts at most: long runs begin anew, so that the last audit is never of a
/// store too large to ask for everything.
const HISTORY: Duration = Duration::from_secs(120);

/// How long connections are cut, of a whole.
const CUT_SHARE: u32 = 3;

/// How much of the time in which links are paid the end takes, when everybody comes back to see the result.
const SALES_END: Duration = Duration::from_secs(6);

/// How much of the time of subscriptions the end takes, when each of them is brought to its own.
const SUBSCRIPTIONS_END: Duration = Duration::from_secs(6);

/// How long events are made and sent, of a whole; and how much of that the end takes.
const EVENTS_SHARE: u32 = 2;
const EVENTS_END: Duration = Duration::from_secs(2);

#[expect(clippy::disallowed_methods, reason = "the length of a run is said from outside")]
fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

/// One history after the other until the time is over, each with a seed of its own.
fn endure(name: &str, time: Duration, reserve: Duration, live: impl Fn(u64, Duration) -> Outcome) {
    let end = now() + time;
    let first = number(SEED_VARIABLE).or_else(|| number(PART_VARIABLE)).unwrap_or_default();
    for seed in first.. {
        let left = end.saturating_duration_since(now());
        if seed > first && left < reserve + Duration::from_secs(5) {
            break;
        }
        let lasting = left.min(HISTORY).saturating_sub(reserve).max(Duration::from_secs(3));
        eprintln!("{name}: seed {seed} for {} s", lasting.as_secs());
        let Outcome { blows, summary, violations } = live(seed, lasting);
        eprintln!("{name}: seed {seed}: {blows} times; {summary}; {} wrong", violations.len());
        assert!(violations.is_empty(), "{name}, {SEED_VARIABLE}={seed}: {violations:#?}");
    }
}

fn time() -> Duration {
    Duration::from_secs(number(SECONDS_VARIABLE).unwrap_or(SECONDS))
}

#[test]
fn killed_under_load_on_sqlite() {
    endure("killed, sqlite", time(), Duration::ZERO, |seed, lasting| {
        of_kills(Engine::Sqlite, seed, lasting)
    });
}

#[test]
fn killed_under_load_on_postgres() {
    endure("killed, postgres", time(), Duration::ZERO, |seed, lasting| {
        of_kills(Engine::Postgres, seed, lasting)
    });
}

#[test]
fn cut_off_under_load_on_postgres() {
    endure("cut off, postgres", time() / CUT_SHARE, Duration::ZERO, of_cuts);
}

#[test]
fn links_are_paid_under_load_on_sqlite() {
    endure("links, sqlite", time(), SALES_END, |seed, lasting| {
        of_sales(Engine::Sqlite, seed, lasting)
    });
}

#[test]
fn links_are_paid_under_load_on_postgres() {
    endure("links, postgres", time(), SALES_END, |seed, lasting| {
        of_sales(Engine::Postgres, seed, lasting)
    });
}

#[test]
fn subscriptions_go_on_under_load_on_sqlite() {
    endure("subscriptions, sqlite", time(), SUBSCRIPTIONS_END, |seed, lasting| {
        of_subscriptions(Engine::Sqlite, seed, lasting)
    });
}

#[test]
fn subscriptions_go_on_under_load_on_postgres() {
    endure("subscriptions, postgres", time(), SUBSCRIPTIONS_END, |seed, lasting| {
        of_subscriptions(Engine::Postgres, seed, lasting)
    });
}

#[test]
fn events_are_sent_under_load_on_sqlite() {
    endure("events, sqlite", time() / EVENTS_SHARE, EVENTS_END, |seed, lasting| {
        of_events(Engine::Sqlite, seed, lasting)
    });
}

#[test]
fn events_are_sent_under_load_on_postgres() {
    endure("events, postgres", time() / EVENTS_SHARE, EVENTS_END, |seed, lasting| {
        of_events(Engine::Postgres, seed, lasting)
    });
}
