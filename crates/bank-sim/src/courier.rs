//! Who carries the notices: each goes out when its payment is posted, and once more when somebody
//! asks for that.

use std::future::pending;

use futures_util::future::{Either, select};
use futures_util::stream::{StreamExt, iter};

use crate::books::Delivery;
use crate::runtime::Notice;
use crate::simulator::Simulator;

/// How many notices are under way at once.
const UNDER_WAY_MAX: usize = 8;

/// How many are taken from the books at a time.
const TAKEN_MAX: usize = 64;

/// Carries notices until the simulator stops. What is under way then is dropped, as it is when a
/// bank goes down.
pub(crate) async fn run(simulator: Simulator) {
    let stop = simulator.stop().clone();
    let rounds = Box::pin(async {
        loop {
            simulator.deliver_due().await;
            let next = simulator.books().next_due();
            let due = async {
                match next {
                    Some(at) => simulator.time().sleep_until(at).await,
                    None => pending().await,
                }
            };
            select(Box::pin(due), Box::pin(simulator.due_changed())).await;
        }
    });
    match select(rounds, Box::pin(stop.cancelled())).await {
        Either::Left(((), _)) | Either::Right(((), _)) => {}
    }
}

/// Carries everything that is due by now.
pub(crate) async fn deliver_due(simulator: &Simulator) {
    loop {
        let due = simulator.books().take_due(simulator.now(), TAKEN_MAX);
        if due.is_empty() {
            return;
        }
        let carried = iter(due).for_each_concurrent(UNDER_WAY_MAX, |(number, notice)| async move {
            deliver(simulator, number, notice).await;
        });
        carried.await;
    }
}

/// Carries one, and records the outcome.
pub(crate) async fn deliver(simulator: &Simulator, number: u64, notice: Notice) -> Delivery {
    let end = simulator.runtime().poster.post(notice).await;
    let delivery = Delivery { at: simulator.now(), end };
    simulator.books().delivered(number, delivery.clone());
    delivery
}
