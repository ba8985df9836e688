//! A running service: made from a configuration, reached over HTTP, and stopped without losing
//! anything that it has begun.

mod banks;
mod deliveries;
mod http;
mod janitor;
mod listeners;
mod measured_bank;
mod operations;
mod out_of_credits;
mod queue;
mod rates;
mod scrape;
mod waiting;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use app::App;
use app::access::KeyLocationCache;
use app::admin::{CreatedOwner, Operator, installation};
use app::bank_tokens::TokenFlights;
use app::key_uses::KeyUses;
use app::logos::drawing::Drawing;
use app::passwords::Passwords;
use app::refusals::Refusals;
use app::review::{Mark, mark};
use app::settings::Settings;
use app::sign_in_failures::SignInFailures;
use app::statement::Statements;
use app::verification::janitor::{Which, pass};
use app::webhooks::Webhooks;
use app::works::WORKS;
use domain::review::ReviewWindow;
use egress::{MailServer, WebhookClient};
use store::ended::Ended;
use store::{OnFatal, Store};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::listeners::Listeners;
use self::operations::Operations;
use self::out_of_credits::OutOfCreditsCount;
use crate::admin_socket::AdminSocket;
use crate::config::Config;
use crate::data_folder::{DataFolder, FolderLock};
use crate::ended_log::{EndedLog, WAITING_MAX};
use crate::first_start::first_owner;
use crate::master_key::open_vault;
use crate::metrics;
use crate::opening::close_store;
use crate::system::{Runtime, TrackedTasks};

/// How long a stop waits for callers to be answered and for loops to end.
const DRAIN_MAX: Duration = Duration::from_secs(30);

/// How long it waits, after that, for what nobody waits for any more: a search under way is taken over by the next start or
/// by another node.
const SEARCHES_MAX: Duration = Duration::from_secs(5);

/// A running service.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    operations_addr: Option<SocketAddr>,
    app: Arc<App>,
    data: DataFolder,
    first_owner: Option<CreatedOwner>,
    /// Asks every loop to end; so does dropping it.
    stop: DropGuard,
    /// The loop that writes down what has ended.
    ended: LastLoop,
    /// The loops: HTTP, the janitor, refusals, the admin socket, the queue of work, rates, deliveries and their attempts.
    loops: TrackedTasks,
    /// What requests began and nobody may cut short.
    tasks: TrackedTasks,
    /// Why the process must end, once it must.
    fatal: watch::Receiver<Option<String>>,
    _lock: FolderLock,
}

impl Server {
    /// Starts a service on the present runtime: the store is open, its schema up to date, the
    /// first owner made, and the address bound when this returns.
    ///
    /// # Errors
    /// What stands against it, as a sentence for the operator.
    pub async fn start(config: &Config, runtime: Runtime) -> anyhow::Result<Self> {
        let started = Self::start_unless(config, runtime, &CancellationToken::new()).await?;
        started.context("nobody ended the start, and it ended")
    }

    /// Starts a service as [`Server::start`] does. Answers nothing where `ended` comes while it waits for its database.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub async fn start_unless(
        config: &Config,
        runtime: Runtime,
        ended: &CancellationToken,
    ) -> anyhow::Result<Option<Self>> {
        let data = DataFolder::make(&config.data)?;
        let lock = data.try_lock()?.with_context(|| {
            format!("another process works on the data folder {}", config.data.display())
        })?;
        // Taken before anything is made, so that a taken address leaves nothing behind.
        let listeners = Listeners::bind(config).await?;
        let (addr, operations_addr) = (listeners.addr()?, listeners.operations_addr()?);
        let recorder = metrics::recorder()?;
        let (on_fatal, fatal) = watch_store();
        let opening = waiting::open(config, &data, &runtime, on_fatal, &listeners, ended);
        let Some(store) = opening.await? else { return Ok(None) };
        let ends = store.subscribe::<Ended>(WAITING_MAX);
        let out_of_credits = Arc::new(OutOfCreditsCount::of(&store));
        let tasks = TrackedTasks::default();
        let app = Arc::new(build(config, addr, runtime, &store, tasks.clone()).await?);
        let stop = CancellationToken::new();
        let requests = Arc::new(metrics::Requests::default());
        let state = state(&app, config, &requests);
        let operations = Operations {
            app: Arc::clone(&app),
            stop: stop.clone(),
            recorder: recorder.clone(),
            places: Arc::new(http::Places::new(&config.http, stop.clone())),
            requests,
            out_of_credits,
            data: data.clone(),
        };
        let rates = rates::connect(&app, config.rates.as_ref())?;
        // The API comes last, so that its answer to unknown paths is the one that stays.
        let router = pages::router(state.clone()).merge(api::router(state));
        let socket = match config.postgres {
            // There, commands go to the database themselves.
            Some(_) => None,
            None => Some(AdminSocket::bind(&data.socket())?),
        };
        take_over(&app, config).await?;
        // Last of all that can fail: its secrets are shown once, by the caller that started this.
        let first_owner = first_owner(&app, &data).await?;

        let loops = TrackedTasks::default();
        if let Some(socket) = socket {
            start_loop(&loops, socket.run(Arc::clone(&app), stop.clone()));
        }
        start_loop(&loops, janitor::run(Arc::clone(&app), recorder, stop.clone()));
        start_loop(&loops, rates::run(Arc::clone(&app), rates, stop.clone()));
        start_work(&loops, &app, config, &stop);
        listeners.serve(&loops, operations, router, &config.http);
        let ended = LastLoop::start(|stop| EndedLog::of(&data).run(ends, stop));
        let stop = stop.drop_guard();
        Ok(Some(Self {
            addr,
            operations_addr,
            app,
            data,
            first_owner,
            stop,
            ended,
            loops,
            tasks,
            fatal,
            _lock: lock,
        }))
    }

    /// Returns the address that it listens at.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the address that it shows metrics at, where they have one of their own.
    #[must_use]
    pub fn operations_addr(&self) -> Option<SocketAddr> {
        self.operations_addr
    }

    /// The use cases behind it.
    #[must_use]
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Returns the tasks that requests began and that go on without them.
    #[must_use]
    pub fn tasks(&self) -> &TrackedTasks {
        &self.tasks
    }

    /// Its data folder.
    #[must_use]
    pub fn data(&self) -> &DataFolder {
        &self.data
    }

    /// The owner that this start made, because there was none.
    #[must_use]
    pub fn first_owner(&self) -> Option<&CreatedOwner> {
        self.first_owner.as_ref()
    }

    /// Waits until the process must end at once, and says why.
    pub async fn failed(&self) -> String {
        let mut fatal = self.fatal.clone();
        let reason = match fatal.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone(),
            // The store is gone without a word, so that it will never give one.
            Err(_) => std::future::pending().await,
        };
        reason.unwrap_or_default()
    }

    /// Stops: no new connection is accepted, what is under way is finished, the store is closed. Answers
    /// whether everything was finished in time; what was not is taken up at the next start.
    ///
    /// # Errors
    /// Where the store cannot be closed, or has failed: a commit was lost, or a checkpoint failed.
    pub async fn stop(self) -> anyhow::Result<bool> {
        tracing::info!(tasks = self.tasks.count(), "stopping");
        drop(self.stop);
        let are_loops_over = within(DRAIN_MAX, self.loops.drain()).await;
        if !are_loops_over {
            tracing::warn!(loops = self.loops.count(), "stopped with callers or loops under way");
        }
        let are_tasks_over = within(SEARCHES_MAX, self.tasks.drain()).await;
        if !are_tasks_over {
            tracing::info!(
                tasks = self.tasks.count(),
                "what is under way is taken over by the next start"
            );
        }
        let is_drained = are_loops_over && are_tasks_over;
        if !within(SEARCHES_MAX, self.ended.end()).await {
            tracing::error!("what has ended was not written to the data folder in time");
        }
        close_store(&self.app.store).await?;
        if let Some(reason) = self.fatal.borrow().as_ref() {
            bail!("the store failed: {reason}");
        }
        tracing::info!("stopped");
        Ok(is_drained)
    }
}

/// Takes over what the last run left open, where nobody else has the data.
async fn take_over(app: &Arc<App>, config: &Config) -> anyhow::Result<()> {
    if config.postgres.is_some() {
        return Ok(());
    }
    // Nobody is served yet: every lease is of a holder that is gone, however long it still runs.
    pass(app, Which::All).await.context("the takeover of what the last run left open")
}

/// Returns what the store calls where it has failed, and where the reason is read then.
fn watch_store() -> (OnFatal, watch::Receiver<Option<String>>) {
    let (failed, fatal) = watch::channel(None);
    let on_fatal = OnFatal::new(move |reason: &str| {
        tracing::error!(reason, "the store failed, and the process must end");
        failed.send_replace(Some(reason.to_owned()));
    });
    (on_fatal, fatal)
}

/// Builds the app: everything that the use cases work with.
async fn build(
    config: &Config,
    addr: SocketAddr,
    runtime: Runtime,
    store: &Store,
    tasks: TrackedTasks,
) -> anyhow::Result<App> {
    let Runtime { clock, ids, internet } = runtime;
    let password_cost = config.settings.password_cost;
    let (vault, sends_mail, app) = (None, false, None);
    let operator =
        Operator { store, ids: &*ids, now: clock.now(), password_cost, vault, sends_mail, app };
    let vault = open_vault(&operator, &config.master_key_file).await?;
    let review = review(store).await?;
    let sessions = installation::session_tokens(&operator, &vault).await?;
    let wait = banks::waiting_by(&clock);
    let banks = banks::connect(&config.banks, &clock, &wait)?;
    let measure = Arc::clone(&clock);
    let now = Arc::new(move || measure.now());
    let passwords = Passwords::new(password_cost);
    if let Err(error) = passwords.read_kept(store).await {
        // The janitor tries again. Nobody is kept waiting by owners that cannot be reached.
        tracing::warn!(%error, "the cost of the passwords that are kept could not be read");
    }
    let mail = config.mail.as_ref().map(|mail| MailServer::new(mail, Arc::clone(&wait)));
    let mail = mail.transpose().context("the connection to the mail server")?;
    let client = WebhookClient::new(config.webhooks.reach, wait, now)
        .refusing(config.webhooks.refuse.clone())
        .in_internet(internet);
    let webhooks = Webhooks::by(client).with_word(config.webhooks.header_word.clone());
    Ok(App {
        store: store.clone(),
        key_locations: KeyLocationCache::default(),
        key_uses: KeyUses::default(),
        refusals: Refusals::default(),
        token_flights: TokenFlights::default(),
        statements: Statements::default(),
        sign_in_failures: SignInFailures::default(),
        clock,
        ids,
        tasks: Arc::new(tasks),
        banks: Arc::new(banks),
        vault,
        sessions,
        passwords,
        drawing: Drawing::default(),
        webhooks,
        mail,
        review,
        settings: settings(config, addr),
    })
}

/// The window in which movements may have been claimed that the store does not know as claimed, where it was put back from a
/// copy.
async fn review(store: &Store) -> anyhow::Result<Option<ReviewWindow>> {
    let Some(Mark { window, is_settled }) = mark(store).await? else { return Ok(None) };
    if !is_settled {
        bail!(
            "this database was put back from a copy, and that did not come to its end: sessions and keys that had ended may \
             be good in it. Empty the place and restore again, or on PostgreSQL say cotejo restored again"
        );
    }
    Ok(Some(window))
}

/// The settings, with the address that was bound where any port would do.
fn settings(config: &Config, addr: SocketAddr) -> Settings {
    let mut settings = config.settings.clone();
    if settings.base_url == format!("http://{}", config.listen) {
        settings.base_url = format!("http://{addr}");
    }
    settings
}

/// Builds the state that every request is served with, to the API and to the pages.
fn state(app: &Arc<App>, config: &Config, requests: &Arc<metrics::Requests>) -> web::AppState {
    let observer: Arc<dyn web::Observer> = Arc::<metrics::Requests>::clone(requests);
    let settings = web::Settings {
        trusted_proxies: config.http.trusted_proxies.clone(),
        attempts_per_minute: config.http.attempts_per_minute,
        key_requests_per_minute: config.http.key_requests_per_minute,
        observer: Some(observer),
    };
    web::AppState::new(Arc::clone(app), settings)
}

/// Starts the loops that do what requests have left to be done.
fn start_work(loops: &TrackedTasks, app: &Arc<App>, config: &Config, stop: &CancellationToken) {
    start_loop(loops, janitor::write_refusals(Arc::clone(app), stop.clone()));
    for work in WORKS.into_iter().filter(|work| work.is_done_by(app)) {
        start_loop(loops, queue::run(Arc::clone(app), work, stop.clone()));
    }
    if config.webhooks.deliver {
        start_loop(loops, deliveries::run(app, config, loops.clone(), stop.clone()));
    }
}

/// A loop that goes on until everything else has ended.
#[derive(Debug)]
struct LastLoop {
    /// Asks it to end; so does dropping it.
    stop: DropGuard,
    tasks: TrackedTasks,
}

impl LastLoop {
    fn start<F>(work: impl FnOnce(CancellationToken) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (stop, tasks) = (CancellationToken::new(), TrackedTasks::default());
        start_loop(&tasks, work(stop.clone()));
        Self { stop: stop.drop_guard(), tasks }
    }

    /// Asks it to end, and waits for that.
    async fn end(self) {
        drop(self.stop);
        self.tasks.drain().await;
    }
}

fn start_loop(loops: &TrackedTasks, work: impl Future<Output = ()> + Send + 'static) {
    app::Tasks::spawn(loops, Box::pin(work));
}

/// Tells whether the work ended within that time.
#[expect(
    clippy::disallowed_methods,
    reason = "a stop of a process is waited for by the wall's clock"
)]
async fn within(limit: Duration, work: impl Future<Output = ()>) -> bool {
    tokio::time::timeout(limit, work).await.is_ok()
}
