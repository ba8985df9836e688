//! One test, run on each engine, or on one of them that changes with each commit.

use std::future::Future;
use std::time::Duration;

use crate::{Engine, Setup, TestApp, log};

/// How long a test may take.
const TEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Set where nothing is to be left out, as by `cargo xtask test --long`.
const LONG_VARIABLE: &str = "TEST_LONG";

/// Set where the tests run against a server that somebody has prepared: those that take one engine in turn take that.
const ENGINE_VARIABLE: &str = "TEST_ENGINE";

/// The number of commits, which `cargo xtask test` sets.
const PART_VARIABLE: &str = "TEST_PART";

/// Fixture that a test is given.
pub trait Fixture: Sized {
    /// Makes it.
    fn make(setup: Setup) -> impl Future<Output = Self>;
}

impl Fixture for Setup {
    async fn make(setup: Setup) -> Self {
        setup
    }
}

impl Fixture for TestApp {
    async fn make(setup: Setup) -> Self {
        setup.start().await
    }
}

/// Runs a test on that engine. The service has threads of its own, so that one for the test does.
///
/// # Panics
/// Where the test does.
pub fn run<F: Fixture>(engine: Engine, test: impl AsyncFnOnce(F)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime for the test").block_on(limited(async {
        test(F::make(Setup::on(engine)).await).await;
    }));
}

/// Runs a test on one engine, by its name and the number of commits: two commits after each other run it on both. A long
/// run does so at once.
///
/// # Panics
/// Where the test does.
pub fn run_in_turn<F: Fixture>(name: &str, test: impl AsyncFnOnce(F) + Copy) {
    if std::env::var_os(ENGINE_VARIABLE).is_some_and(|engine| engine == "postgres") {
        return run(Engine::Postgres, test);
    }
    if std::env::var_os(LONG_VARIABLE).is_none() {
        return run(engine_of(name, commits()), test);
    }
    run(Engine::Sqlite, test);
    // The test counts the lines of its own engine.
    log::forget();
    run(Engine::Postgres, test);
}

/// The number of commits; zero where nobody says it.
#[expect(clippy::disallowed_methods, reason = "which part is taken is said from outside")]
fn commits() -> u32 {
    std::env::var(PART_VARIABLE).ok().and_then(|part| part.parse().ok()).unwrap_or_default()
}

/// The engine of a test at a commit. Names are mixed by FNV-1a, which is the same in every build.
fn engine_of(name: &str, commits: u32) -> Engine {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The upper half is mixed best.
    let turn = (hash >> 32).count_ones() ^ commits;
    if turn.is_multiple_of(2) { Engine::Sqlite } else { Engine::Postgres }
}

#[expect(clippy::disallowed_methods, reason = "a test that waits for nothing must fail, not hang")]
async fn limited(test: impl Future<Output = ()>) {
    let ended = tokio::time::timeout(TEST_TIMEOUT, test).await;
    ended.expect("the test waits for what does not come");
}

/// Makes of every function two tests, `<its name>::sqlite` and `<its name>::postgres`. It takes a
/// running `TestApp`, or a `Setup` that it starts by itself.
#[macro_export]
macro_rules! both_engines {
    ($($(#[$meta:meta])* async fn $name:ident($($given:ident)+: $fixture:ty) $body:block)+) => {
        $(
            $(#[$meta])*
            async fn $name($($given)+: $fixture) $body

            mod $name {
                #[test]
                fn sqlite() {
                    $crate::run($crate::Engine::Sqlite, super::$name);
                }

                #[test]
                fn postgres() {
                    $crate::run($crate::Engine::Postgres, super::$name);
                }
            }
        )+
    };
}

/// Makes of every function one test, `<its name>::on_either_engine`, which runs on the other engine after each commit. Both
/// are held equal by the tests of `store`. What one engine alone can get wrong at any commit is for [`both_engines!`]:
/// races and locks, limits, leases, lists with SQL of their own, clocks, corruption, and who reaches what over the API.
#[macro_export]
macro_rules! either_engine {
    ($($(#[$meta:meta])* async fn $name:ident($($given:ident)+: $fixture:ty) $body:block)+) => {
        $(
            $(#[$meta])*
            async fn $name($($given)+: $fixture) $body

            mod $name {
                #[test]
                fn on_either_engine() {
                    $crate::run_in_turn(module_path!(), super::$name);
                }
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_spread_over_both_engines() {
        let name = |number| format!("it::webhooks::hostile::receiver_{number}");
        let is_sqlite = |number: &u32| engine_of(&name(*number), 0) == Engine::Sqlite;
        let on_sqlite = (0..100).filter(is_sqlite).count();
        assert!((30..=70).contains(&on_sqlite), "{on_sqlite}");
    }

    #[test]
    fn two_commits_after_each_other_run_a_test_on_both_engines() {
        for commits in 0..5 {
            let one = engine_of("it::cors", commits);
            assert_ne!(one, engine_of("it::cors", commits + 1));
            assert_eq!(one, engine_of("it::cors", commits));
        }
    }
}
