//! A whole service on a real socket, with everything that a test may do to it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use app::credits_events::MonthTurn;
use app::ledger_audit::audit;
use app::links::LinkExpiry;
use app::ports::Clock;
use app::queue;
use app::verification::janitor::{self, Which};
use app::{App, admin};
use cotejo::Server;
use cotejo::system::{SystemClock, SystemRandom};
use domain::ids::{IdSource, OwnerId};
use domain::money::Credits;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use egress::MailSettings;
use store::Meter;
use store::ledger_audit::Findings;
use store::sql::Sql;
use store::tx::{Expect, Tx};
use tokio::runtime::Runtime;

use crate::database::Database;
use crate::folder::Folder;
use crate::principal::{Address, Credential};
use crate::proxy::Proxy;
use crate::setup::SeededIds;
use crate::{Browser, Owner, Principal, Setup, VirtualClock, log};

/// How long whatever is under way may take to end; past it, a test has left something open.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// The credits that an owner begins with.
const CREDITS: Credits = Credits::new(1_000);

/// Changes nothing, and touches a table of authentication, which invalidates the store's cache.
static TOUCH_SESSIONS: Sql =
    Sql::new("update sessions set ended_at = ended_at where owner_id = $1").writes_auth();

/// A running service. Dropping it looks whether everything that was begun has ended, whether the
/// ledger is in order, and stops it.
#[derive(Debug)]
pub struct TestApp {
    setup: Setup,
    injected: cotejo::Runtime,
    clock: Option<VirtualClock>,
    address: Address,
    running: Option<Running>,
    is_broken: bool,
    proxy: Option<Proxy>,
    // Last, since the service works on them.
    database: Database,
    folder: Folder,
}

impl Setup {
    /// Starts the service on a store of its own.
    pub async fn start(self) -> TestApp {
        TestApp::start(self).await
    }
}

/// A server and its threads.
#[derive(Debug)]
struct Running {
    runtime: Runtime,
    server: Server,
}

impl TestApp {
    async fn start(setup: Setup) -> Self {
        log::start();
        let folder = Folder::new();
        let database = Database::new(setup.engine, &folder);
        let url = database.url().filter(|_| setup.has_database_proxy);
        let proxy = url.map(|url| Proxy::before(&url));
        let clock = setup.clock.clone().or_else(|| setup.start.map(VirtualClock::at));
        let time: Arc<dyn Clock> = match &clock {
            Some(clock) => Arc::new(clock.clone()),
            None => Arc::new(SystemClock),
        };
        let ids: Arc<dyn IdSource> = match setup.seed {
            Some(seed) => Arc::new(SeededIds::new(seed)),
            None => Arc::new(SystemRandom),
        };
        let mut app = Self {
            injected: cotejo::Runtime { clock: time, ids, internet: setup.internet.clone() },
            clock,
            address: Address::default(),
            running: None,
            is_broken: false,
            proxy,
            database,
            folder,
            setup,
        };
        app.run().await;
        app
    }

    /// Starts the server on the store, as it is.
    async fn run(&mut self) {
        let proxied = self.proxy.as_ref().map(|proxy| proxy.url().to_owned());
        let url = proxied.or_else(|| self.database.url());
        let config = self.setup.config(&self.folder, url);
        let injected = self.injected.clone();
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build();
        let runtime = runtime.expect("threads for the service");
        let starting = runtime.spawn(async move { Server::start(&config, injected).await });
        let server = starting.await.expect("a start without a panic").expect("a service");
        self.address.set(server.addr(), server.app());
        self.running = Some(Running { runtime, server });
    }

    /// The use cases behind the service.
    #[must_use]
    pub fn app(&self) -> &Arc<App> {
        self.running().server.app()
    }

    /// The database, past the service.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Changes rows past the running service, and invalidates its cache of authentication answers.
    ///
    /// # Panics
    /// Where the database refuses the statements.
    pub async fn tamper(&self, statements: &str) {
        self.database.execute(statements);
        self.invalidate_auth_cache().await;
    }

    /// Invalidates the service's cache of authentication answers.
    ///
    /// # Panics
    /// Where the store does not write.
    pub async fn invalidate_auth_cache(&self) {
        let meter = Meter::default();
        let touch = |tx: &mut Tx<'_>| {
            tx.defer(&TOUCH_SESSIONS, [OwnerId::from_bytes([0; 16]).into()], Expect::Rows(0))
        };
        let touch = self.app().store.write_shared(&meter, touch);
        touch.await.expect("a store that writes");
    }

    /// The proxy between the service and its server, where the test has one.
    ///
    /// # Panics
    /// Where it has none.
    #[must_use]
    pub fn proxy(&self) -> &Proxy {
        self.proxy.as_ref().expect("a test with a proxy before its database")
    }

    /// The clock, where it is held.
    ///
    /// # Panics
    /// Where the test runs in real time.
    #[must_use]
    pub fn clock(&self) -> &VirtualClock {
        self.clock.as_ref().expect("a test that holds its clock")
    }

    /// The present instant.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.injected.clock.now()
    }

    /// Somebody without a credential.
    #[must_use]
    pub fn nobody(&self) -> Principal {
        Principal::new(&self.address, Credential::Nothing)
    }

    /// Somebody with a browser, who has not signed in.
    #[must_use]
    pub fn browser(&self) -> Browser {
        Browser::new(self.nobody())
    }

    /// A new owner with 1000 credits, signed in.
    pub async fn owner(&self) -> Owner {
        self.owner_with(CREDITS.get()).await
    }

    /// A new owner with so many credits, signed in.
    pub async fn owner_with(&self, credits: i64) -> Owner {
        let ids = &self.injected.ids;
        let mut random = [0; 8];
        ids.fill(&mut random);
        let email = format!("owner-{}@example.com", u64::from_le_bytes(random));
        let new = admin::NewOwner {
            email: EmailAddress::parse(&email).expect("an address"),
            name: None,
            password: None,
            credits: Credits::new(credits),
            test_account: true,
        };
        let operator = admin::Operator::of(self.app());
        let created = admin::create_owner(&operator, new).await.expect("an owner");
        Owner::sign_in(&self.nobody(), created).await
    }

    /// Waits until nothing is under way, and looks after what nobody carries.
    ///
    /// # Panics
    /// Where something does not end: it waits for a clock that stands still.
    pub async fn settle(&self) {
        let Running { runtime, server } = self.running();
        let (app, tasks) = (Arc::clone(server.app()), server.tasks().clone());
        let settling = runtime.spawn(async move {
            within(tasks.drain()).await;
            janitor::pass(&app, Which::Over).await.expect("a look at what is due");
            queue::pass::<LinkExpiry>(&app, &|| false).await.expect("a look at links");
            queue::pass::<MonthTurn>(&app, &|| false).await.expect("a look at months");
            within(tasks.drain()).await;
        });
        settling.await.expect("everything to end");
    }

    /// Stops the service as an operator does.
    pub async fn stop(&mut self) {
        let Running { runtime, server } = self.take();
        let stopped = runtime.spawn(server.stop()).await.expect("a stop without a panic");
        assert!(stopped.expect("a stop"), "something was left under way");
        runtime.shutdown_background();
    }

    /// Stops it in the same way, whatever is under way; answers whether nothing was left.
    pub async fn stop_early(&mut self) -> bool {
        let Running { runtime, server } = self.take();
        let stopped = runtime.spawn(server.stop()).await.expect("a stop without a panic");
        runtime.shutdown_background();
        stopped.expect("a stop")
    }

    /// Makes the service send mail through a server with these settings, from its next start on.
    pub fn send_mail_to(&mut self, mail: MailSettings) {
        self.setup = self.setup.clone().with_mail(mail);
    }

    /// Starts the service again on the data that it left.
    pub async fn start_again(&mut self) {
        assert!(self.running.is_none(), "it runs");
        self.run().await;
    }

    /// Stops the service and starts it again on the same data.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.start_again().await;
    }

    /// Ends the service where it stands: every task is dropped, nothing is finished. What was
    /// committed stays.
    pub fn crash(&mut self) {
        let Running { runtime, server } = self.take();
        let ended = beside(move || {
            runtime.shutdown_timeout(END_TIMEOUT);
            drop(server);
        });
        ended.expect("an end");
    }

    /// Returns the findings of the ledger's audit, over all owners.
    pub async fn audit(&self) -> Vec<Findings> {
        let mut found = Vec::new();
        let progress = Arc::default();
        let audited = audit(&self.app().store, self.now(), &progress, |_, findings| {
            if !findings.differences.is_empty() || !findings.overdue.is_empty() {
                found.push(findings);
            }
        });
        audited.await.expect("an audit");
        found
    }

    /// Says that the test leaves the ledger in disorder, so that its end does not look.
    pub fn expect_disorder(&mut self) {
        self.is_broken = true;
    }

    /// The configuration of this service, for commands beside it.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--data".to_owned(), self.folder.path().display().to_string()];
        if let Some(url) = self.database.url() {
            arguments.extend(["--database".to_owned(), url]);
        }
        arguments
    }

    fn take(&mut self) -> Running {
        self.address.clear();
        self.running.take().expect("a running service")
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("a running service")
    }

    async fn look_at_the_end(&self) {
        self.settle().await;
        let open = self.database.number("select count(*) from verifications where state = 0");
        assert_eq!(open, 0, "verifications without an end");
        assert_eq!(self.audit().await, [], "the ledger");
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if self.running.is_some() && !self.is_broken && !thread::panicking() {
            let looked = beside(|| {
                let here = tokio::runtime::Builder::new_current_thread().enable_all().build();
                here.expect("a runtime").block_on(self.look_at_the_end());
            });
            if let Err(panic) = looked {
                self.end();
                std::panic::resume_unwind(panic);
            }
        }
        self.end();
    }
}

impl TestApp {
    fn end(&mut self) {
        if self.running.is_some() {
            let Running { runtime, server } = self.take();
            drop(beside(move || {
                server.app().store.close();
                runtime.shutdown_timeout(END_TIMEOUT);
                drop(server);
            }));
        }
    }
}

/// Does what blocks on a thread of its own, since tests are asynchronous.
fn beside<T: Send>(work: impl FnOnce() -> T + Send) -> thread::Result<T> {
    thread::scope(|scope| scope.spawn(work).join())
}

#[expect(clippy::disallowed_methods, reason = "a test must end also where the service does not")]
async fn within(work: impl Future<Output = ()>) {
    tokio::time::timeout(END_TIMEOUT, work).await.expect("work that waits for nothing");
}
