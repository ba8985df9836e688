//! The operation: `POST /v1/movements/{bank_id}/read`, by which a person has a day read to see what came.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bank::{Bank, DayReading, DayRows, HeldDay};
use domain::access::{Caller, ReadStatement};
use domain::ids::{BankId, IdentityId};
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::Failure;
use futures_util::future::{Either, select};
use store::accounts::{self, Account};
use store::{Meter, bank_access};

use super::keep::keep_all;
use super::{Kept, lock};
use crate::accounts::{Opened, reached, unnamed_shown};
use crate::bank_tokens::AccountTokens;
use crate::ports::Clock;
use crate::{Act, App, Error};

/// How many days before today a person may have read.
pub const DAYS_BACK: i32 = 7;

/// How long a reading may take.
const READING_MAX: Duration = Duration::from_secs(5 * 60);

/// For how long a day that was read is not read again.
const REREAD_INTERVAL: Duration = Duration::from_secs(60);

/// How many readings go on in this process at once.
const RUNNING_MAX: usize = 32;

/// How long the result of a reading is remembered.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// How far a reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingState {
    /// The bank is being asked, or its rows are being written.
    Running,
    /// All that the bank lists of the day was read and taken in.
    Done,
    /// The bank did not answer to the end of the day; what it showed was taken in.
    Failed,
    /// The bank showed something that could not be written here, or the reading itself broke off.
    Unfinished,
}

/// The reading of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The day.
    pub day: CaracasDate,
    /// How far it is.
    pub state: ReadingState,
    /// How many credits of the day are known so far.
    pub rows: usize,
    /// How many rows that may be credits could not be read: of these it is not known what they are.
    pub unread: usize,
    /// When it began.
    pub began_at: Timestamp,
    /// When it ended, if it has.
    pub ended_at: Option<Timestamp>,
}

/// The readings of this process, the latest of each day.
#[derive(Debug, Default)]
pub(super) struct Readings(Mutex<BTreeMap<(IdentityId, CaracasDate), Reading>>);

/// Says whether a reading is to begin.
enum Begun {
    /// It is.
    Now(Reading),
    /// This one goes on, or has just ended.
    Before(Reading),
    /// Another day of the account is being read, or too many are.
    Busy,
}

impl Readings {
    fn find(&self, identity: IdentityId, day: CaracasDate) -> Option<Reading> {
        lock(&self.0).get(&(identity, day)).copied()
    }

    /// Begins a reading, one of an account at a time.
    fn begin(&self, identity: IdentityId, day: CaracasDate, now: Timestamp) -> Begun {
        let mut readings = lock(&self.0);
        readings
            .retain(|_, one| one.ended_at.is_none_or(|ended_at| now.since(ended_at) < REMEMBERED));
        let is_fresh = |one: &&Reading| {
            let is_again = one.state == ReadingState::Done;
            one.ended_at.is_none_or(|at| is_again && at <= now && now.since(at) < REREAD_INTERVAL)
        };
        if let Some(before) = readings.get(&(identity, day)).filter(is_fresh) {
            return Begun::Before(*before);
        }
        let running = || readings.iter().filter(|(_, one)| one.ended_at.is_none());
        if running().count() >= RUNNING_MAX || running().any(|((one, _), _)| *one == identity) {
            return Begun::Busy;
        }
        let state = ReadingState::Running;
        let reading = Reading { day, state, rows: 0, unread: 0, began_at: now, ended_at: None };
        readings.insert((identity, day), reading);
        Begun::Now(reading)
    }

    fn end(&self, identity: IdentityId, ended: Reading) {
        lock(&self.0).insert((identity, ended.day), ended);
    }
}

/// A reading that goes on. Dropped before its end is known, by a panic too, it is unfinished, and can be begun again.
struct Ongoing<'a> {
    readings: &'a Readings,
    clock: &'a dyn Clock,
    identity: IdentityId,
    /// The reading, as it ends.
    ending: Reading,
}

impl<'a> Ongoing<'a> {
    fn new(
        readings: &'a Readings,
        clock: &'a dyn Clock,
        identity: IdentityId,
        begun: Reading,
    ) -> Self {
        let ending = Reading { state: ReadingState::Unfinished, ..begun };
        Self { readings, clock, identity, ending }
    }

    fn end(mut self, state: ReadingState, rows: DayRows) {
        self.ending = Reading { state, rows: rows.read, unread: rows.unread, ..self.ending };
    }
}

impl Drop for Ongoing<'_> {
    fn drop(&mut self) {
        let ended_at = Some(self.clock.now());
        self.readings.end(self.identity, Reading { ended_at, ..self.ending });
    }
}

/// Begins to read a day of an account, today's where none is said, unless it is being read or was just now. It goes on
/// behind the answer, and behind every verification.
///
/// # Errors
/// Not found where the caller does not reach the account; a refusal where the bank lists no days or the day is none
/// that the caller may have read; another day of the account is being read; or a failure of the store.
pub async fn read(
    app: &Arc<App>,
    act: &Act<ReadStatement>,
    id: BankId,
    day: Option<CaracasDate>,
) -> Result<Reading, Error> {
    let (owner, now) = (act.owner(), act.now);
    let account = find_account(app, act, id).await?;
    if account.is_disabled {
        return Err(Refusal::UserBankDisabled.into());
    }
    let bank = app.open_bank(&account.provider).ok_or(Refusal::InvalidBankProvider)?;
    if bank.statements().is_none() {
        let problem = ("ese banco no muestra su estado de cuenta", "that bank shows no statement");
        return Err(Refusal::invalid("user_bank_id", problem).into());
    }
    let day = day.unwrap_or(CaracasDate::of(now));
    check_day(app, &account, act.caller(), day, now)?;
    let identity = account.identity;
    match app.statements.readings.begin(identity, day, now) {
        Begun::Busy => Err(Refusal::RequestInProgress.into()),
        Begun::Before(reading) => Ok(with_rows(&**bank, identity, reading)),
        Begun::Now(reading) => {
            let kept = Kept { owner, bank: id, identity };
            app.tasks.spawn(Box::pin(run(Arc::clone(app), Arc::clone(bank), kept, reading)));
            Ok(reading)
        }
    }
}

/// The latest reading of that day in this process, if there was one lately.
///
/// # Errors
/// Not found where the caller does not reach the account, or a failure of the store.
pub async fn find_reading(
    app: &App,
    act: &Act<ReadStatement>,
    id: BankId,
    day: CaracasDate,
) -> Result<Option<Reading>, Error> {
    let account = find_account(app, act, id).await?;
    // How much came in on a day is no business of who does not see its rows.
    if !unnamed_shown(&app.settings, &account, act.caller()).has(day) {
        return Ok(None);
    }
    let reading = app.statements.readings.find(account.identity, day);
    let bank = app.open_bank(&account.provider);
    Ok(reading.map(|reading| match bank {
        Some(bank) => with_rows(&**bank, account.identity, reading),
        None => reading,
    }))
}

async fn find_account(app: &App, act: &Act<ReadStatement>, id: BankId) -> Result<Account, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    Ok(reached(found, act.caller())?)
}

/// Answers whether the caller may have that day read: today and some days back, and none of which it would not see the rows.
fn check_day(
    app: &App,
    account: &Account,
    caller: &Caller,
    day: CaracasDate,
    now: Timestamp,
) -> Result<(), Refusal> {
    let today = CaracasDate::of(now);
    if day > today || day < today.plus_days(-DAYS_BACK) {
        let problem = (
            "debe ser hoy o uno de los 7 días anteriores",
            "must be today or one of 7 days before",
        );
        return Err(Refusal::invalid("day", problem));
    }
    if unnamed_shown(&app.settings, account, caller).has(day) {
        return Ok(());
    }
    let problem =
        ("la cuenta es suya desde después de ese día", "the account became yours after that day");
    Err(Refusal::invalid("day", problem))
}

fn with_rows(bank: &dyn Bank, identity: IdentityId, reading: Reading) -> Reading {
    if reading.state != ReadingState::Running {
        return reading;
    }
    let DayRows { read: rows, unread } = rows_of(bank, identity, reading.day);
    Reading { rows, unread, ..reading }
}

fn rows_of(bank: &dyn Bank, identity: IdentityId, day: CaracasDate) -> DayRows {
    bank.statements().map(|days| days.rows_of(identity, day)).unwrap_or_default()
}

/// Reads the day and keeps what came of it, however the reading ends.
async fn run(app: Arc<App>, bank: Arc<dyn Bank>, kept: Kept, reading: Reading) {
    let identity = kept.identity;
    let ongoing = Ongoing::new(&app.statements.readings, &*app.clock, identity, reading);
    let read = read_day(&app, &*bank, kept, reading.day).await;
    let rows = rows_of(&*bank, identity, reading.day);
    // The day is held until its rows are kept: of one that is gone before, nobody can say that all of it is.
    let state = match (&read, keep_all(&app, kept, &*bank).await) {
        (_, Err(_)) => ReadingState::Unfinished,
        (Ok(_), Ok(())) => ReadingState::Done,
        (Err(failure), Ok(())) => {
            tracing::warn!(account = %kept.bank, day = %reading.day, ?failure, "a day could not be read");
            ReadingState::Failed
        }
    };
    ongoing.end(state, rows);
}

async fn read_day(
    app: &Arc<App>,
    bank: &dyn Bank,
    kept: Kept,
    day: CaracasDate,
) -> Result<HeldDay, Failure> {
    let Kept { owner, bank: id, identity } = kept;
    let Some(statements) = bank.statements() else { return Err(Failure::InvalidInput) };
    let meter = Meter::default();
    let found = app.store.look_up(&meter, move |tx| bank_access::find(tx, owner, id));
    let opened = found
        .await
        .and_then(|kept| kept.map(|kept| Opened::of(app, owner, kept)).transpose())
        .map_err(|error| {
            tracing::error!(account = %id, ?error, "an account cannot be reached");
            Failure::Unavailable
        })?;
    let (access, sealed) =
        opened.as_ref().map(|(opened, sealed)| (opened.access(), &**sealed)).unzip();
    let tokens = AccountTokens::new(app, (owner, id), sealed);
    let reading = statements.read_day(DayReading { identity, access, tokens: &tokens, day });
    match select(reading, app.clock.sleep(READING_MAX)).await {
        Either::Left((read, _)) => read,
        Either::Right(_) => Err(Failure::TimedOut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Task;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(1_763_640_000_000_000)
        }

        fn sleep_until(&self, _: Timestamp) -> Task {
            Box::pin(std::future::pending())
        }
    }

    #[test]
    fn a_reading_that_breaks_off_is_unfinished_and_can_be_begun_again() {
        let (readings, identity) = (Readings::default(), IdentityId::from_bytes([1; 16]));
        let day = CaracasDate::of(Still.now());
        let begin = || match readings.begin(identity, day, Still.now()) {
            Begun::Now(reading) => reading,
            Begun::Before(_) | Begun::Busy => panic!("it goes on"),
        };
        let begun = begin();
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ongoing = Ongoing::new(&readings, &Still, identity, begun);
            panic!("on purpose");
        }));
        assert!(broken.is_err());
        let ended = readings.find(identity, day).unwrap();
        assert_eq!((ended.state, ended.ended_at), (ReadingState::Unfinished, Some(Still.now())));
        Ongoing::new(&readings, &Still, identity, begin())
            .end(ReadingState::Done, DayRows { read: 7, unread: 1 });
        let ended = readings.find(identity, day).unwrap();
        assert_eq!((ended.state, ended.rows, ended.unread), (ReadingState::Done, 7, 1));
    }
}
