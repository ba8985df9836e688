//! A turn: days are read, and questions are asked beside and behind that.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and waits by it")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};

use super::super::load::{Load, Outcome};
use super::super::requests::{Verify, verify};
use super::super::rounds::LEAD_IN;
use super::super::service::Asker;
use super::site::{Day, Site, reference};

/// How many rows the day has, and how many the one that it is compared with.
pub(super) const ROWS: u64 = 5_000;
pub(super) const FEW_ROWS: u64 = 10;

/// How many verifications a second the others ask for: not so many that the load alone would take both cores.
pub(super) const PER_SECOND: f64 = 200.0;

/// How many days are read at most, one after the other, beside the others' verifications: of a single one, too few
/// would come for their slowest hundredth.
const BESIDE: usize = 5;

/// How often one who waits for a reading looks.
const LOOK: Duration = Duration::from_millis(10);

/// How long a reading may take.
const READING_MAX: Duration = Duration::from_secs(300);

/// Longer than the bank is to be left alone between two looks at a day.
const INTERVAL: Duration = Duration::from_millis(2_100);

/// How many days are looked at anew in a turn, with two questions each: as many as the short day has references for.
const LOOKS: u64 = FEW_ROWS / 2;

/// How long a reading took.
#[derive(Clone, Copy)]
pub(super) struct Took {
    /// From the call until all was kept.
    pub(super) seconds: f64,
    /// The part of it after the last page was there.
    pub(super) keeping: f64,
}

/// The figures of a turn.
pub(super) struct Turn {
    /// The first reading of a new store, of which PostgreSQL has no statistics yet.
    pub(super) first: Took,
    /// A reading beside which nothing goes on, and by how much the store grew for each of its rows.
    pub(super) alone: Took,
    pub(super) bytes_per_row: f64,
    /// The others' verifications without a reading, and beside one.
    pub(super) quiet: Outcome,
    pub(super) beside: Outcome,
    /// How long questions about the account waited while its day was read, in milliseconds, the first one first.
    pub(super) waits: Vec<f64>,
    pub(super) afterwards: Afterwards,
}

/// How long questions about days took that had been read, of the long one and of the short one, in milliseconds.
#[derive(Default)]
pub(super) struct Afterwards {
    /// The first since the bank may be asked again.
    pub(super) asking: [Vec<f64>; 2],
    /// One right behind it.
    pub(super) known: [Vec<f64>; 2],
}

/// One turn on a new store; every other one in the other order.
pub(super) fn run(mut site: Site<'_>, time: Duration, is_odd: bool) -> Result<Turn> {
    let [first, long, asked] = [site.account(ROWS)?, site.account(ROWS)?, site.account(ROWS)?];
    let short = site.account(FEW_ROWS)?;
    let loaded = (0..BESIDE).map(|_| site.account(ROWS)).collect::<Result<Vec<_>>>()?;
    let verify = Verify { accounts: site.others.clone(), series: 8 };
    let load = Load::new(site.service.addr, 1, Arc::new(verify));
    let mut service = site.asker()?;

    let first = read(&first, &mut service, |_| Ok(()))?;
    site.settle()?;
    let before = site.held()?;
    let alone = read(&long, &mut service, |_| Ok(()))?;
    let after = site.held()?;
    ensure!(after.rows - before.rows == ROWS, "{} rows were kept", after.rows - before.rows);
    let bytes_per_row = (after.bytes - before.bytes) as f64 / ROWS as f64;
    read(&short, &mut service, |_| Ok(()))?;

    load.run_open(PER_SECOND, LEAD_IN)?;
    let (quiet, beside) = if is_odd {
        let beside = read_beside(&loaded, time, &mut service, &load)?;
        (load.run_open(PER_SECOND, time)?, beside)
    } else {
        (load.run_open(PER_SECOND, time)?, read_beside(&loaded, time, &mut service, &load)?)
    };

    let mut waits = Vec::new();
    read(&asked, &mut service, |service| {
        // From the end of the day, so that none is asked about twice.
        let number = ROWS - 1 - waits.len() as u64;
        waits.push(ask(&asked, number, service)?);
        Ok(())
    })?;
    let afterwards = ask_in_turns([&long, &short], &mut service)?;
    Ok(Turn { first, alone, bytes_per_row, quiet, beside, waits, afterwards })
}

/// Reads a day, and does something again and again until all of it is kept.
fn read(
    day: &Day,
    service: &mut Asker,
    mut meanwhile: impl FnMut(&mut Asker) -> Result<()>,
) -> Result<Took> {
    let begun = Instant::now();
    let (mut reading, mut read_at) = (day.read(service)?, None);
    while reading.state == "running" {
        ensure!(begun.elapsed() < READING_MAX, "a day is not read to its end");
        meanwhile(service)?;
        thread::sleep(LOOK);
        reading = day.read(service)?;
        if reading.rows == day.rows {
            read_at.get_or_insert_with(|| begun.elapsed());
        }
    }
    let all = begun.elapsed();
    let ended = (reading.state.as_str(), reading.rows, reading.unread);
    ensure!(ended == ("done", day.rows, 0), "a reading ended otherwise: {ended:?}");
    let keeping = all - read_at.unwrap_or(all);
    Ok(Took { seconds: all.as_secs_f64(), keeping: keeping.as_secs_f64() })
}

/// The others' verifications while days are read: for that time, or the last day's if it takes longer.
fn read_beside(days: &[Day], time: Duration, service: &mut Asker, load: &Load) -> Result<Outcome> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (begin, begun) = mpsc::channel();
    let ends = Arc::clone(&is_over);
    // The load is over, too, once nobody waits for its beginning.
    let until =
        move |number| ends.load(Ordering::Relaxed) || number == 0 && begin.send(()).is_err();
    thread::scope(|scope| {
        let running = scope.spawn(|| load.run_open_until(PER_SECOND, until));
        // Its connections take as long as a day.
        let took = begun.recv().map_err(anyhow::Error::from).and_then(|()| {
            let begun = Instant::now();
            let mut days = days.iter().take_while(|_| begun.elapsed() < time);
            days.try_for_each(|day| read(day, service, |_| Ok(())).map(drop))
        });
        is_over.store(true, Ordering::Relaxed);
        let beside = running.join().map_err(|_| anyhow!("the load panicked"))?;
        took.and(beside)
    })
}

/// Asks about both days, which are read, each time one earlier and then the other.
fn ask_in_turns(days: [&Day; 2], service: &mut Asker) -> Result<Afterwards> {
    let mut times = Afterwards::default();
    for look in 0..LOOKS {
        thread::sleep(INTERVAL);
        let order = if look % 2 == 0 { [0, 1] } else { [1, 0] };
        let Afterwards { asking, known } = &mut times;
        for (times, number) in [(asking, 2 * look), (known, 2 * look + 1)] {
            for which in order {
                times[which].push(ask(days[which], number, service)?);
            }
        }
    }
    Ok(times)
}

/// How long the verification of a payment of the day takes, in milliseconds.
fn ask(day: &Day, payment: u64, service: &mut Asker) -> Result<f64> {
    let mut request = Vec::new();
    verify(&mut request, &day.account, &reference(payment));
    let begun = Instant::now();
    service.ask(&request)?;
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}
