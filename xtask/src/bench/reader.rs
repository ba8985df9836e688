//! A program from outside that keeps a read open on SQLite's file, so that its log cannot be checkpointed: how long
//! verifications take meanwhile.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use rusqlite::{Connection, OpenFlags};

use super::load::Load;
use super::requests::Verify;
use super::rounds::LEAD_IN;
use super::rows::Row;
use super::stage::{self, now};
use super::{Measured, Options};
use crate::process::progress;

/// How many verifications a second are asked for: not so many that they alone would take both cores.
const PER_SECOND: f64 = 200.0;

/// How long the log is before it is measured beside the reader: beyond the length at which it is checkpointed.
const LOG_BYTES_MIN: u64 = 192 << 20;

/// How much longer it is then than before the reader, so that it is known to have grown.
const LOG_BYTES_GROWN: u64 = 64 << 20;

/// How many connections make it so long, and how often they may try.
const CONNECTIONS: usize = 64;
const FILLS_MAX: u32 = 60;

/// Measures SQLite, without the reader and then beside it.
pub(super) fn measure(program: &Path, folder: &Path, options: &Options) -> Result<Measured> {
    progress("making owners on SQLite");
    let at = stage::on_sqlite(program, &folder.join("reader"), 1, now()?)?;
    let verify = |series| Arc::new(Verify { accounts: at.accounts.clone(), series });
    let load = Load::new(at.service.addr, 1, verify(41));
    let time = Duration::from_secs(options.seconds * u64::from(options.rounds));
    let measured = || {
        stage::rest(None)?;
        load.run_open(PER_SECOND, LEAD_IN)?;
        load.run_open(PER_SECOND, time)
    };
    progress("verifications without a reader");
    let without = measured()?;

    let reading = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let reader = Connection::open_with_flags(at.data.join("cotejo.sqlite"), reading)?;
    reader.execute_batch("begin; select count(*) from sqlite_schema")?;
    progress("verifications beside a reader");
    let log = at.data.join("cotejo.sqlite-wal");
    make_long(&log, &Load::new(at.service.addr, CONNECTIONS, verify(42)))?;
    let beside = measured()?;
    let log_mib = fs::metadata(&log)?.len() >> 20;
    drop(reader);
    eprintln!(
        "  verifications {:.2}; {:.2} ms without, {:.2}; {:.2} ms beside ({} with a log of {log_mib} MiB)",
        without.p50_ms, without.p99_ms, beside.p50_ms, beside.p99_ms, beside.answered,
    );
    at.service.stop()?;
    let what = "verifications, SQLite, another program's read: p99, beside ÷ without";
    let rows = vec![Row::at_most(what, beside.p99_ms / without.p99_ms, 3.0)];
    Ok(Measured { rows, tables: Vec::new(), logs: Vec::new() })
}

/// Puts the load on until the log is so long that it would have been checkpointed without the reader.
fn make_long(log: &Path, load: &Load) -> Result<()> {
    // The file is as long as the log once was.
    let long = LOG_BYTES_MIN.max(fs::metadata(log)?.len() + LOG_BYTES_GROWN);
    for _ in 0..FILLS_MAX {
        if fs::metadata(log)?.len() >= long {
            return Ok(());
        }
        load.run(LEAD_IN)?;
    }
    ensure!(fs::metadata(log)?.len() >= long, "the log does not grow");
    Ok(())
}
