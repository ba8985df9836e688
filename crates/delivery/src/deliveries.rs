//! What sends webhooks, and what its parts share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use domain::time::Timestamp;
use domain::webhooks::HeaderWord;
use egress::WebhookClient;
use store::Store;
use tokio::sync::Notify;

use crate::batcher::Batcher;
use crate::claimed::{Made, Ticket};
use crate::limits::{
    NOT_QUICK_MAX, NOT_QUICK_OF_ONE_OWNER_MAX, OF_ONE_OWNER_MAX, OF_ONE_OWNER_TO_ONE_RECEIVER_MAX,
    RECEIVERS_MAX, SLOW_MAX, SLOW_OF_ONE_OWNER_MAX, TO_ONE_RECEIVER_MAX, UNDER_WAY_MAX,
    WAITING_IN_A_LINE_MAX, WAITING_MAX, WAITING_OF_ONE_OWNER_MAX,
};
use crate::runtime::{Runtime, Secrets};
use crate::scheduler::{Limits, Quota, Scheduler};
use crate::shared_time::SharedTime;

/// All that is shared.
pub(crate) const LIMITS: Limits = Limits {
    slots: [
        Quota { in_all: UNDER_WAY_MAX, of_one: OF_ONE_OWNER_MAX },
        Quota { in_all: NOT_QUICK_MAX, of_one: NOT_QUICK_OF_ONE_OWNER_MAX },
        Quota { in_all: SLOW_MAX, of_one: SLOW_OF_ONE_OWNER_MAX },
    ],
    at_a_receiver: Quota { in_all: TO_ONE_RECEIVER_MAX, of_one: OF_ONE_OWNER_TO_ONE_RECEIVER_MAX },
    room: Quota { in_all: WAITING_MAX, of_one: WAITING_OF_ONE_OWNER_MAX },
    in_a_line: WAITING_IN_A_LINE_MAX,
    receivers: RECEIVERS_MAX,
};

/// Sender of webhooks.
pub struct Deliveries {
    pub(crate) store: Store,
    pub(crate) client: Arc<WebhookClient>,
    pub(crate) secrets: Arc<dyn Secrets>,
    pub(crate) runtime: Runtime,
    pub(crate) bell: Arc<Notify>,
    pub(crate) word: HeaderWord,
    pub(crate) scheduler: Arc<Scheduler>,
    shared_time: SharedTime,
    /// What has a slot and is to be claimed.
    pub(crate) to_claim: Arc<Batcher<Ticket>>,
    /// The results of attempts, which are to be recorded.
    pub(crate) to_record: Arc<Batcher<Arc<Made>>>,
    /// Nothing more begins.
    pub(crate) is_stopping: AtomicBool,
}

impl Deliveries {
    /// Sends what `store` has, signed with what `secrets` returns, in headers with that `word`. A ring
    /// of the `bell` has it look at once for what is due again; what is written, it learns of by
    /// itself.
    #[must_use]
    pub fn new(
        store: Store,
        client: Arc<WebhookClient>,
        secrets: Arc<dyn Secrets>,
        runtime: Runtime,
        bell: Arc<Notify>,
        word: HeaderWord,
    ) -> Self {
        let scheduler = Arc::new(Scheduler::new(LIMITS));
        Self {
            store,
            client,
            secrets,
            runtime,
            bell,
            word,
            scheduler,
            shared_time: SharedTime::default(),
            to_claim: Arc::default(),
            to_record: Arc::default(),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// This instant of this node's, by the shared clock: for whatever other nodes judge.
    pub(crate) fn shared(&self, at: Timestamp) -> Timestamp {
        self.shared_time.of(at)
    }

    /// Compares the clocks, unless that was done a moment ago.
    pub(crate) async fn compare_clocks(&self) {
        self.shared_time.compare(&self.runtime).await;
    }
}

impl fmt::Debug for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliveries").field("scheduler", &self.scheduler).finish_non_exhaustive()
    }
}
