//! One test, run on each engine, or on one of them where it does not matter on which.

use std::future::Future;
use std::time::Duration;

use crate::{Engine, Setup, TestApp};

/// How long a test may take.
const TEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Set where nothing is to be left out, as by `cargo xtask test --long`.
const LONG_VARIABLE: &str = "TEST_LONG";

/// What a test is given.
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

/// Runs a test on one engine, always the same by its name; in a long run on both.
///
/// # Panics
/// Where the test does.
pub fn run_on_either<F: Fixture>(name: &str, test: impl AsyncFnOnce(F) + Copy) {
    if std::env::var_os(LONG_VARIABLE).is_none() {
        return run(engine_of(name), test);
    }
    run(Engine::Sqlite, test);
    run(Engine::Postgres, test);
}

/// The engine of a test: FNV-1a, which is the same in every build.
fn engine_of(name: &str) -> Engine {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The upper half is mixed best.
    if (hash >> 32).count_ones().is_multiple_of(2) { Engine::Sqlite } else { Engine::Postgres }
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

/// Makes of every function one test, `<its name>::on_either_engine`, for what the engine cannot matter to: shapes,
/// texts, pages and receivers. Who may ask, money, leases and lists are for [`both_engines!`], since SQL decides
/// them.
#[macro_export]
macro_rules! either_engine {
    ($($(#[$meta:meta])* async fn $name:ident($($given:ident)+: $fixture:ty) $body:block)+) => {
        $(
            $(#[$meta])*
            async fn $name($($given)+: $fixture) $body

            mod $name {
                #[test]
                fn on_either_engine() {
                    $crate::run_on_either(module_path!(), super::$name);
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
        let on_sqlite =
            (0..100).filter(|number| engine_of(&name(*number)) == Engine::Sqlite).count();
        assert!((30..=70).contains(&on_sqlite), "{on_sqlite}");
        assert_eq!(engine_of("it::cors"), engine_of("it::cors"));
    }
}
