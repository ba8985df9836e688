//! The loop that delivers webhooks.

use std::future::{Future, ready};
use std::sync::Arc;

use app::{App, Tasks, client_webhook_secrets, webhook_secrets};
use delivery::{Deliveries, GATHERING, Runtime, Secrets, Skew, Telling, TellingOfClient};
use domain::ids::{ClientId, OwnerId};
use store::Meter;
use store::webhook_secrets::Sealed;
use tokio_util::sync::CancellationToken;

use super::banks::waiting_by;
use crate::config::Config;
use crate::system::TrackedTasks;

/// Delivers until it is asked to stop. Attempts are among `tasks`, so that a stop waits for those
/// that have begun.
pub(super) fn run(
    app: &Arc<App>,
    config: &Config,
    tasks: TrackedTasks,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + 'static {
    let clock = Arc::clone(&app.clock);
    let (store, is_of_the_world) = (app.store.clone(), clock.is_of_the_world());
    let skew: Skew = Arc::new(move |now| {
        let store = store.clone();
        Box::pin(async move { if is_of_the_world { store.clock_skew(now).await } else { Ok(0) } })
    });
    let gathering = Arc::clone(&app.clock);
    let runtime = Runtime {
        skew,
        gather: Arc::new(move || match is_of_the_world {
            true => gathering.sleep(GATHERING),
            false => Box::pin(ready(())),
        }),
        now: Arc::new(move || clock.now()),
        wait: waiting_by(&app.clock),
        spawn: Arc::new(move |work| tasks.spawn(work)),
        ids: Arc::clone(&app.ids),
    };
    let deliveries = Deliveries::new(
        app.store.clone(),
        Arc::clone(app.webhooks.client()),
        Arc::new(OfApp(Arc::clone(app))),
        runtime,
        Arc::clone(app.webhooks.bell()),
        config.webhooks.header_word.clone(),
    );
    Arc::new(deliveries).run(async move { stop.cancelled().await })
}

/// The secrets, as the use cases keep them.
struct OfApp(Arc<App>);

impl Secrets for OfApp {
    fn of(&self, owner: OwnerId, found: Option<Sealed>) -> Telling {
        let app = Arc::clone(&self.0);
        Box::pin(async move {
            Ok(match found {
                Some(sealed) => webhook_secrets::open(&app, owner, &sealed)?,
                None => webhook_secrets::of(&app, &Meter::default(), owner).await?,
            })
        })
    }

    fn of_client(
        &self,
        owner: OwnerId,
        client: ClientId,
        found: Option<Sealed>,
    ) -> TellingOfClient {
        let app = Arc::clone(&self.0);
        Box::pin(async move {
            Ok(match found {
                Some(sealed) => Some(client_webhook_secrets::open(&app, owner, client, &sealed)?),
                None => client_webhook_secrets::of(&app, &Meter::default(), owner, client).await?,
            })
        })
    }
}
