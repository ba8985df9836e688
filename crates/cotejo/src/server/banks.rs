//! The connectors that this installation has.

use std::sync::Arc;

use anyhow::Context;
use app::Clock;
use bank::{Bank, Banks};
use banks::BANKS;
use egress::Wait;

use super::measured_bank::measured;
use crate::config::OpenBank;

/// Makes the connectors of the banks that are open here.
///
/// # Errors
/// Where the machine cannot offer what a bank's address needs.
pub(super) fn connect(
    config: &[OpenBank],
    clock: &Arc<dyn Clock>,
    wait: &Wait,
) -> anyhow::Result<Banks> {
    let now = Arc::clone(clock);
    let timed = Arc::clone(clock);
    let clock = banks::Clock { now: Arc::new(move || now.now()), wait: Wait::clone(wait) };
    let connectors = config.iter().map(|open| -> anyhow::Result<Arc<dyn Bank>> {
        let context = || format!("the connection to the bank {}", open.bank.name);
        let bank = (open.connect)(&clock).with_context(context)?;
        Ok(measured(bank, &timed))
    });
    let connectors = connectors.collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Banks::new(BANKS.iter().map(|bank| bank.capabilities), connectors))
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

    use app::ports::Task;
    use domain::time::Timestamp;
    use futures_util::FutureExt;

    use super::*;

    /// A clock that was set back as soon as somebody waits for an hour.
    struct SetBack;

    impl Clock for SetBack {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(0)
        }

        fn sleep_until(&self, _: Timestamp) -> Task {
            Box::pin(std::future::pending())
        }

        fn sleep(&self, _: Duration) -> Task {
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
