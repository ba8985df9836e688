//! The connectors that this installation has.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context;
use app::Clock;
use bank::Bank;
use banks::bdv::Bdv;
use banks::test_bank::TestBank;
use egress::{BankClient, Wait};

use crate::config::Banks;

/// Makes the connectors, by their providers' names on the wire.
///
/// # Errors
/// Where the machine cannot offer what a bank's address needs.
pub(super) fn connect(
    config: &Banks,
    clock: &Arc<dyn Clock>,
    wait: &Wait,
) -> anyhow::Result<HashMap<&'static str, Arc<dyn Bank>>> {
    let mut connectors: Vec<Arc<dyn Bank>> = vec![Arc::new(TestBank::new(Wait::clone(wait)))];
    if let Some(bdv) = &config.bdv {
        let client = BankClient::new(bdv.url.clone(), Wait::clone(wait));
        let client = client.context("the connection to Banco de Venezuela (bdv.url)")?;
        let now = Arc::clone(clock);
        let clock = banks::Clock { now: Arc::new(move || now.now()), wait: Wait::clone(wait) };
        connectors.push(Arc::new(Bdv::new(client, bdv.environment, clock)));
    }
    Ok(connectors.into_iter().map(|bank| (bank.capabilities().provider, bank)).collect())
}

/// How whatever goes out waits. Its deadlines are durations, and must not end at an hour of a clock
/// that may be set meanwhile.
pub(super) fn waiting_by(clock: &Arc<dyn Clock>) -> Wait {
    let clock = Arc::clone(clock);
    Arc::new(move |duration| clock.sleep(duration))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use app::ports::Work;
    use domain::time::Timestamp;
    use futures_util::FutureExt;

    use super::*;

    /// A clock that was set back as soon as somebody waits for an hour.
    struct SetBack;

    impl Clock for SetBack {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(0)
        }

        fn sleep_until(&self, _: Timestamp) -> Work {
            Box::pin(std::future::pending())
        }

        fn sleep(&self, _: Duration) -> Work {
            Box::pin(std::future::ready(()))
        }
    }

    #[test]
    fn the_deadlines_of_banks_do_not_hang_on_the_hour() {
        let clock: Arc<dyn Clock> = Arc::new(SetBack);
        let wait = waiting_by(&clock);
        assert_eq!(wait(Duration::from_secs(30)).now_or_never(), Some(()));
    }
}
