//! The queue of work that some node must do at its time.
//!
//! A row of `due` stands for each subject of a kind of work, from the transaction that made it on. Every node scans
//! for rows whose time has come and claims what it finds, so that of several nodes one attends to a subject, and a
//! node that dies leaves it to another. A kind is a type that implements [`Work`] and a line of [`crate::works::WORKS`].
//! Deliveries of webhooks are not among them: their scheduler is the crate `delivery`.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::OwnerId;
use domain::time::Timestamp;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use store::due::{self, Due, Kind, SCAN_MAX};
use store::fault::{Fault, WriteError};
use store::one_by_one::{self, Reach};
use store::tx::Tx;
use store::{Lane, Meter};

use crate::clock_skew::is_clock_near_database;
use crate::{App, Error};

/// Lease of a subject that is claimed and decided about in one transaction. It is never seen: that transaction removes
/// or postpones the row before it commits.
const LEASE: Duration = Duration::from_secs(30);

/// A kind of work.
pub trait Work: 'static {
    /// The rows of `due` that are its own.
    const KIND: Kind;

    /// How often a node looks for it. No two kinds have the same, so that they do not look at one instant.
    const POLL: Duration;

    /// The longest that a subject is put off; `None` if that may be any time. A row that lies further ahead was written
    /// by a clock that ran ahead, and is brought forward.
    const WAIT_MAX: Option<Duration>;

    /// How many subjects a node attends to at once.
    const AT_ONCE: usize = 1;

    /// Flag of work that a stop leaves where it is, since all of it may begin anew. Other work is finished first.
    const IS_CUT_SHORT: bool = false;

    /// Tells whether a node with these settings does this work.
    fn is_done_by(_: &App) -> bool {
        true
    }

    /// Prepares a pass: makes subjects due that no transaction has made due. Answers whether there may be more.
    fn prepare<'a>(
        _: &'a Arc<App>,
        _: &'a IsStopping,
    ) -> impl Future<Output = Result<Progress, Fault>> + Send + 'a {
        async { Ok(Progress::Rested) }
    }

    /// Shows the id of a subject, for the log.
    fn shown(subject: [u8; 16]) -> String;

    /// Attends to a subject that was due at `now`. An error is logged, and the subject is left as it stands: due, or
    /// due again once its lease has ended.
    fn attend<'a>(
        app: &'a Arc<App>,
        due: Due,
        now: Timestamp,
    ) -> impl Future<Output = Result<Progress, Error>> + Send + 'a;
}

/// Asks whether the process stops. No subject is begun from then on.
pub type IsStopping = dyn Fn() -> bool + Send + Sync;

/// How a pass, or a part of it, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The next pass waits for [`Work::POLL`].
    Rested,
    /// More is due now: the next pass begins at once.
    More,
}

impl Progress {
    fn and(self, other: Self) -> Self {
        if self == Self::More { self } else { other }
    }
}

type BringForward = for<'a> fn(&'a Arc<App>, &'a IsStopping) -> BoxFuture<'a, Result<(), Fault>>;
type Pass = for<'a> fn(&'a Arc<App>, &'a IsStopping) -> BoxFuture<'a, Result<Progress, Fault>>;

/// A kind of work as a value.
#[derive(Clone, Copy, Debug)]
pub struct AnyWork {
    /// Its rows.
    pub kind: Kind,
    /// How often a node looks for it.
    pub poll: Duration,
    /// Whether a stop leaves it where it is.
    pub is_cut_short: bool,
    is_done_by: fn(&App) -> bool,
    bring_forward: BringForward,
    pass: Pass,
}

impl AnyWork {
    /// The kind of work that `W` does.
    #[must_use]
    pub const fn of<W: Work>() -> Self {
        Self {
            kind: W::KIND,
            poll: W::POLL,
            is_cut_short: W::IS_CUT_SHORT,
            is_done_by: W::is_done_by,
            bring_forward: |app, is_stopping| bring_forward::<W>(app, is_stopping).boxed(),
            pass: |app, is_stopping| pass::<W>(app, is_stopping).boxed(),
        }
    }

    /// Tells whether this node does this work.
    #[must_use]
    pub fn is_done_by(&self, app: &App) -> bool {
        (self.is_done_by)(app)
    }

    /// Does what [`bring_forward`] does.
    ///
    /// # Errors
    /// A failure of the store to say what lies ahead.
    pub async fn bring_forward(
        &self,
        app: &Arc<App>,
        is_stopping: &IsStopping,
    ) -> Result<(), Fault> {
        (self.bring_forward)(app, is_stopping).await
    }

    /// Does what [`pass`] does.
    ///
    /// # Errors
    /// A failure of the store to say what is due.
    pub async fn pass(&self, app: &Arc<App>, is_stopping: &IsStopping) -> Result<Progress, Fault> {
        (self.pass)(app, is_stopping).await
    }
}

/// Attends once to everything that is due, the longest overdue first. A subject that fails holds up none behind it. Where
/// not every owner can be reached, the others are attended to one by one.
///
/// # Errors
/// A failure of the store to say what is due.
pub async fn pass<W: Work>(app: &Arc<App>, is_stopping: &IsStopping) -> Result<Progress, Fault> {
    let progress = W::prepare(app, is_stopping).await?;
    let (work, now) = (std::any::type_name::<W>(), app.clock.now());
    let all = pass_over_all::<W>(app, is_stopping);
    Ok(progress.and(match one_by_one::reach(&app.store, work, now, all).await? {
        Reach::All(progress) => progress,
        Reach::OneByOne(owners) => pass_one_by_one::<W>(app, owners, is_stopping).await,
    }))
}

async fn pass_over_all<W: Work>(
    app: &Arc<App>,
    is_stopping: &IsStopping,
) -> Result<Progress, Fault> {
    let (meter, mut progress, mut after) = (Meter::default(), Progress::Rested, None);
    loop {
        let now = app.clock.now();
        let scan = move |tx: &mut Tx<'_>| due::scan(tx, W::KIND, now, after);
        let page = app.store.look_up(&meter, scan).await?;
        // A page that is not full is the last.
        after = page.last().copied().filter(|_| page.len() == SCAN_MAX as usize);
        progress = progress.and(attend_to::<W>(app, page, now, is_stopping).await);
        if after.is_none() || is_stopping() {
            return Ok(progress);
        }
    }
}

async fn pass_one_by_one<W: Work>(
    app: &Arc<App>,
    owners: Vec<OwnerId>,
    is_stopping: &IsStopping,
) -> Progress {
    let (meter, mut progress) = (Meter::default(), Progress::Rested);
    for owner in owners {
        if is_stopping() {
            break;
        }
        let now = app.clock.now();
        let scan = move |tx: &mut Tx<'_>| one_by_one::due(tx, owner, W::KIND, now);
        match app.store.look_up(&meter, scan).await {
            Ok(page) => {
                progress = progress.and(attend_to::<W>(app, page, now, is_stopping).await);
            }
            Err(fault) => one_by_one::note_silence(&app.store, owner, &fault, now),
        }
    }
    progress
}

async fn attend_to<W: Work>(
    app: &Arc<App>,
    page: Vec<Due>,
    now: Timestamp,
    is_stopping: &IsStopping,
) -> Progress {
    let attend = |due: Due| async move {
        if is_stopping() {
            return Progress::Rested;
        }
        W::attend(app, due, now).await.unwrap_or_else(|error| {
            log_failure::<W>(due, &error);
            Progress::Rested
        })
    };
    let attending = stream::iter(in_turn(page)).map(attend).buffer_unordered(W::AT_ONCE);
    attending.fold(Progress::Rested, async |all, one| all.and(one)).await
}

/// Logs that a subject is left as it stands. A store that does not answer is no fault of the subject.
fn log_failure<W: Work>(due: Due, error: &Error) {
    let (owner, subject) = (due.owner, W::shown(due.subject));
    match error {
        Error::Unavailable(_) => {
            tracing::warn!(work = ?W::KIND, %owner, subject, ?error, "work that is due was not done; it is tried again");
        }
        Error::Refused(_) | Error::Internal(_) => {
            tracing::error!(work = ?W::KIND, %owner, subject, ?error, "work that is due failed; it is tried again");
        }
    }
}

/// Orders a page so that each owner's first comes before anybody's second: many of one hold up nobody's one.
fn in_turn(page: Vec<Due>) -> Vec<Due> {
    let mut seen: HashMap<OwnerId, usize> = HashMap::new();
    let turn = |due: Due| {
        let turn = seen.entry(due.owner).or_default();
        *turn += 1;
        (*turn, due)
    };
    let mut turns: Vec<_> = page.into_iter().map(turn).collect();
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, due)| due).collect()
}

/// Makes due at once what a clock that ran ahead has put off, further than this work ever is. Without it the subject
/// would wait until that instant comes. A node whose clock is off the database's leaves all as it is: to a clock that
/// is behind, everything lies too far ahead.
///
/// # Errors
/// A failure of the store to say what lies ahead.
pub async fn bring_forward<W: Work>(app: &Arc<App>, is_stopping: &IsStopping) -> Result<(), Fault> {
    let Some(wait_max) = W::WAIT_MAX else { return Ok(()) };
    let (meter, now) = (Meter::default(), app.clock.now());
    let mut after = due::behind(now.latest_believed(wait_max));
    loop {
        let scan = move |tx: &mut Tx<'_>| due::scan_beyond(tx, W::KIND, after);
        let page = app.store.look_up(&meter, scan).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = *last;
        if !is_clock_near_database(app).await? {
            return Ok(());
        }
        for found in page {
            if is_stopping() {
                return Ok(());
            }
            let bring = move |tx: &mut Tx<'_>| due::bring_forward(tx, W::KIND, found, now);
            let written = app.store.write(&meter, Lane::Maintenance, found.owner, bring).await;
            if let Err(error) = written {
                let owner = found.owner;
                tracing::error!(work = ?W::KIND, %owner, ?error, "work that is due too far ahead could not be rescheduled");
            }
        }
    }
}

/// Decision about what becomes of a subject that was attended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing is left to do about it.
    Done,
    /// It is due again then.
    At(Timestamp),
}

/// Claims a subject, decides about it and removes or postpones it, all in one transaction: it is done once on however
/// many nodes. `lock` comes before the claim and takes what everybody who touches the subject locks first.
pub(crate) async fn in_one_write<S>(
    app: &App,
    kind: Kind,
    (due, now): (Due, Timestamp),
    lock: impl Fn(&mut Tx<'_>) -> Result<S, Fault> + Send + 'static,
    decide: impl Fn(&mut Tx<'_>, S) -> Result<Next, Fault> + Send + 'static,
) -> Result<(), WriteError> {
    let Due { owner, subject, .. } = due;
    let job = move |tx: &mut Tx<'_>| {
        let locked = lock(tx)?;
        let Some(lease) = due::claim(tx, owner, kind, subject, now, now.plus(LEASE))? else {
            // Another node was faster.
            return Ok(());
        };
        match decide(tx, locked)? {
            Next::Done => due::remove(tx, owner, kind, subject),
            Next::At(then) => due::postpone(tx, owner, kind, subject, lease, then).map(drop),
        }
    };
    app.store.write(&Meter::default(), Lane::Maintenance, owner, job).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_owner_has_its_first_attended_to_before_anybodys_second() {
        let due = |owner: u8, subject: u8| Due {
            owner: OwnerId::from_bytes([owner; 16]),
            subject: [subject; 16],
            due_at: Timestamp::from_micros(0),
        };
        let page = vec![due(1, 1), due(1, 2), due(1, 3), due(2, 4), due(3, 5), due(2, 6)];
        let order = in_turn(page).iter().map(|due| due.subject[0]).collect::<Vec<_>>();
        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
    }
}
