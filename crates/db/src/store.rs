//! The store as everyone else sees it: closures go in, and what they answered comes out once it
//! has been committed.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use domain::ids::OwnerId;
use domain::time::Timestamp;
use tokio::sync::mpsc::Receiver;

use crate::after_commit::{CommittedEvent, Subscribers};
use crate::auth_cache::{AuthCache, CacheStamp, Rows};
use crate::backend::{Backend, Lane, Metrics, Reading};
use crate::fault::{Fault, FaultKind, Obstacle, WriteError};
use crate::inline::{self, Mishap};
use crate::job::{Closure, Report};
use crate::known_owners::KnownOwners;
use crate::meter::Meter;
use crate::opening::OpenError;
use crate::options::{Engine, Options};
use crate::point_query::PointQuery;
use crate::postgres;
use crate::row_copy::{CopyError, RowSink, RowSource};
use crate::schema::Schema;
use crate::sql::Sql;
use crate::sqlite;
use crate::tx::Tx;
use crate::writes::Writes;

/// How often a write whose commit's answer was lost is written.
const WRITES_MAX: u32 = 3;

/// A handle on the store; clones share it.
#[derive(Clone)]
pub struct Store {
    backend: Arc<dyn Backend>,
    schema: &'static Schema,
    subscribers: Arc<Subscribers>,
    known_owners: Arc<KnownOwners>,
    /// Obstacle that a write met, while none was seen to succeed since.
    met_obstacle: Arc<Mutex<Option<Obstacle>>>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("metrics", &self.metrics()).finish()
    }
}

impl Store {
    /// Opens the store and brings its schema up to date. Blocks; meant for the start.
    ///
    /// # Errors
    /// Where the database cannot be reached, or its schema does not suit this program.
    pub fn open(schema: &'static Schema, options: &Options) -> Result<Self, OpenError> {
        let backend: Arc<dyn Backend> = match &options.engine {
            Engine::Sqlite(settings) => {
                Arc::new(sqlite::open(settings, schema, options.now, &options.on_fatal)?)
            }
            Engine::Postgres(settings) => {
                Arc::new(postgres::open(settings, schema, options.now, &options.on_fatal)?)
            }
        };
        Ok(Self::on(schema, backend))
    }

    /// Opens a store that another process may be working on, to read alone. A file is read without
    /// a time limit, on the calling thread: for audits, whose snapshots may take long.
    ///
    /// # Errors
    /// Where the database cannot be reached, or its schema is not the one of this program.
    pub fn open_to_read(schema: &'static Schema, options: &Options) -> Result<Self, OpenError> {
        let backend: Arc<dyn Backend> = match &options.engine {
            Engine::Sqlite(settings) => Arc::new(inline::open_to_read(&settings.path, schema)?),
            Engine::Postgres(settings) => {
                Arc::new(postgres::open_to_read(settings, schema, &options.on_fatal)?)
            }
        };
        Ok(Self::on(schema, backend))
    }

    /// Reads these tables from one snapshot, while others may work on the database. Blocks.
    ///
    /// # Errors
    /// Where the database cannot be opened or read, or the sink fails.
    pub fn copy_out(
        schema: &Schema,
        options: &Options,
        tables: &[&str],
        sink: &mut dyn RowSink,
    ) -> Result<(), CopyError> {
        match &options.engine {
            Engine::Sqlite(settings) => {
                sqlite::row_copy::copy_out(&settings.path, schema, tables, sink)
            }
            Engine::Postgres(settings) => postgres::copy_out(settings, schema, tables, sink),
        }
    }

    /// Makes the database, whose tables must have no rows, and writes those of the source in one transaction. Blocks.
    ///
    /// # Errors
    /// Where the database cannot be opened or written, has rows, or the source fails; nothing is written then.
    pub fn copy_in(
        schema: &Schema,
        options: &Options,
        tables: &[&str],
        source: &mut dyn RowSource,
    ) -> Result<(), CopyError> {
        let now = options.now;
        match &options.engine {
            Engine::Sqlite(settings) => {
                sqlite::row_copy::copy_in(&settings.path, schema, now, tables, source)
            }
            Engine::Postgres(settings) => postgres::copy_in(settings, schema, now, tables, source),
        }
    }

    /// A store in memory that runs every closure on its caller's thread, and each write meets what `next` says: for
    /// property tests and simulation, where nothing may depend on how threads are scheduled.
    ///
    /// # Errors
    /// Where the schema cannot be made.
    pub fn inline(
        schema: &'static Schema,
        next: impl Fn() -> Option<Mishap> + Send + Sync + 'static,
    ) -> Result<Self, OpenError> {
        Ok(Self::on(schema, Arc::new(inline::open(schema, Box::new(next))?)))
    }

    fn on(schema: &'static Schema, backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            schema,
            subscribers: Arc::default(),
            known_owners: Arc::default(),
            met_obstacle: Arc::default(),
        }
    }

    /// Subscribes to the events of one type that this store and its clones commit from now on. At most `max` of them
    /// are queued; more are dropped, as are those whose commit was not answered, so that a subscriber must look into
    /// the database too. A later subscriber to the same type takes the place of an earlier one.
    #[must_use]
    pub fn subscribe<E: CommittedEvent>(&self, max: usize) -> Receiver<E> {
        self.subscribers.subscribe(max)
    }

    /// Writes rows of `owner` in one transaction. The closure may run more than once, and only its
    /// last run counts, so it must have no effect but on the transaction.
    ///
    /// # Errors
    /// [`WriteError`] says whether the work was certainly not done or whether nobody knows.
    pub async fn write<T, F>(
        &self,
        meter: &Meter,
        lane: Lane,
        owner: OwnerId,
        job: F,
    ) -> Result<T, WriteError>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.submit(meter, lane, Some(owner), job).await
    }

    /// Writes what may be written twice without harm, again while the commit's answer is lost.
    ///
    /// # Errors
    /// As [`Store::write`]. Once an answer was lost a later failure says nothing of the first try, and nobody knows.
    pub async fn write_again<T, F>(
        &self,
        meter: &Meter,
        lane: Lane,
        owner: OwnerId,
        job: F,
    ) -> Result<T, WriteError>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Clone + Send + 'static,
        T: Send + 'static,
    {
        let mut was_lost = false;
        for _ in 0..WRITES_MAX {
            match self.write(meter, lane, owner, job.clone()).await {
                Err(WriteError::Unknown) => was_lost = true,
                Err(_) if was_lost => break,
                outcome => return outcome,
            }
        }
        Err(WriteError::Unknown)
    }

    /// Writes what belongs to no owner: locators, and the installation's own rows. Waits in the
    /// admission lane.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_shared<T, F>(&self, meter: &Meter, job: F) -> Result<T, WriteError>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.submit(meter, Lane::Admission, None, job).await
    }

    /// Reads by a few point statements, each of which sees the latest commit. May run on the calling thread, since it
    /// takes microseconds.
    ///
    /// # Errors
    /// The closure's own fault, or one of the engine.
    pub async fn look_up<T, F>(&self, meter: &Meter, job: F) -> Result<T, Fault>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.fetch(meter, Reading::Points, job).await
    }

    /// Looks up by one point query what decides whether a request is admitted. On SQLite the answer may come from a
    /// cache, if the statement reads nothing but tables of authentication ([`Sql::reads_auth`]): never one that is
    /// older than the latest commit.
    ///
    /// # Errors
    /// As [`Store::look_up`].
    pub async fn look_up_auth<T>(&self, meter: &Meter, query: PointQuery<T>) -> Result<T, Fault>
    where
        T: Send + 'static,
    {
        let statement = query.statement();
        // Stamped before anything is read.
        let Some((cache, stamp)) = self.auth_cache(statement.sql) else {
            return self.look_up(meter, move |tx| query.run(tx)).await;
        };
        if let Some(rows) = cache.get(stamp, statement) {
            return query.parse(&rows);
        }
        let asked = statement.clone();
        let rows: Rows =
            self.look_up(meter, move |tx| tx.query(asked.sql, &asked.params)).await?.into();
        cache.insert(stamp, statement, &rows);
        query.parse(&rows)
    }

    /// Returns the cache for the answers of that statement, and the present, if they may be used and stored now.
    fn auth_cache(&self, sql: &Sql) -> Option<(&AuthCache, CacheStamp)> {
        let cache = self.backend.auth_cache().filter(|_| sql.reads_only_auth_tables())?;
        Some((cache, cache.stamp()?))
    }

    /// Reads from one snapshot, for two seconds at most.
    ///
    /// # Errors
    /// As [`Store::look_up`]; a passed limit is [`FaultKind::Unavailable`].
    pub async fn read<T, F>(&self, meter: &Meter, job: F) -> Result<T, Fault>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        self.fetch(meter, Reading::Snapshot, job).await
    }

    /// How many microseconds the database's clock is ahead of `now`, this node's: negative where it
    /// is behind, and 0 where both are the same clock. The time that the answer takes counts as
    /// skew, which matters little against the seconds that nodes may be apart.
    ///
    /// # Errors
    /// As [`Store::look_up`].
    pub async fn clock_skew(&self, now: Timestamp) -> Result<i64, Fault> {
        let Some(clock) = self.backend.clock() else {
            return Ok(0);
        };
        let read = |tx: &mut Tx<'_>| tx.query_one(clock, &[])?.get::<i64>("micros");
        let theirs = self.look_up(&Meter::default(), read).await?;
        Ok(theirs - now.as_micros())
    }

    /// Tells whether the database is a server, which may be several of which one fails, and not a file of this process.
    #[must_use]
    pub fn is_served(&self) -> bool {
        self.backend.clock().is_some()
    }

    /// Owners that are asked one by one while a statement over all of them fails.
    #[must_use]
    pub fn known_owners(&self) -> &KnownOwners {
        &self.known_owners
    }

    /// Returns what keeps writes from succeeding, or soon will. Nothing is written to find out unless a write has met an
    /// obstacle.
    pub async fn obstacle(&self) -> Option<Obstacle> {
        let met = *self.met_obstacle();
        if let Some(met) = met {
            let probed = self.write_shared(&Meter::default(), self.schema.probe).await;
            if let Err(error) = probed {
                // One that fails for another reason, or has no place in line, says nothing of the obstacle.
                return Some(error.obstacle().unwrap_or(met));
            }
            *self.met_obstacle() = None;
        }
        self.backend.obstacle()
    }

    fn met_obstacle(&self) -> MutexGuard<'_, Option<Obstacle>> {
        self.met_obstacle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the database finds wrong with itself: its pages, its indexes against their tables, rows that refer
    /// to others which are not there. Meant for a store of [`Store::open_to_read`] on SQLite; any other answers nothing
    /// (PostgreSQL has `pg_amcheck`). Reads all of the database, and blocks.
    ///
    /// # Errors
    /// A fault of the engine.
    pub fn check_integrity(&self) -> Result<Vec<String>, Fault> {
        self.backend.check_integrity()
    }

    /// Returns what the engine is busy with.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.backend.metrics()
    }

    /// Finishes what was queued and closes the database, for every clone of the handle. Blocks.
    pub fn close(&self) {
        self.backend.shutdown();
    }

    #[expect(clippy::disallowed_methods, reason = "the store times its own queue")]
    async fn submit<T, F>(
        &self,
        meter: &Meter,
        lane: Lane,
        owner: Option<OwnerId>,
        job: F,
    ) -> Result<T, WriteError>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        let begun = Instant::now();
        let without_owner = (!lane.holds_owner()).then_some(self.schema.lock_order);
        let writes = owner.map(|owner| Writes { owner, without_owner });
        let (closure, answer) = Closure::new(writes, &self.subscribers, job);
        self.backend.write(lane, Box::new(closure))?;
        // An engine that dies with the job in hand does not say how far it came.
        let Report { result, cost } = answer.await.map_err(|_| WriteError::Unknown)?;
        meter.add(cost, begun.elapsed());
        if let Some(owner) = owner.filter(|_| result.is_ok() && self.is_served()) {
            self.known_owners.learn([owner]);
        }
        if let Some(met) = result.as_ref().err().and_then(WriteError::obstacle) {
            *self.met_obstacle() = Some(met);
        }
        result
    }

    #[expect(clippy::disallowed_methods, reason = "the store times its own queue")]
    async fn fetch<T, F>(&self, meter: &Meter, reading: Reading, job: F) -> Result<T, Fault>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
        T: Send + 'static,
    {
        let begun = Instant::now();
        let (closure, answer) = Closure::new(None, &self.subscribers, job);
        self.backend.read(reading, Box::new(closure));
        let gone = || Fault::new(FaultKind::Unavailable, "the store ended during a read");
        let Report { result, cost } = answer.await.map_err(|_| gone())?;
        meter.add(cost, begun.elapsed());
        result.map_err(|error| match error {
            WriteError::Fault(fault) => fault,
            WriteError::Busy | WriteError::Unknown => gone(),
        })
    }
}
