//! One test, run on each engine.

use std::future::Future;
use std::time::Duration;

use crate::{Engine, Setup, TestApp};

/// How long a test may take.
const PATIENCE: Duration = Duration::from_secs(120);

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

#[expect(clippy::disallowed_methods, reason = "a test that waits for nothing must fail, not hang")]
async fn limited(test: impl Future<Output = ()>) {
    let ended = tokio::time::timeout(PATIENCE, test).await;
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
