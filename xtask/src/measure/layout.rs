//! The layouts that were weighed, measured in turns: each keeps its database from round to round,
//! so that all have the same history at the same time and share the machine's moods.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rusqlite::Connection;

use super::charge::Writer;
use super::schema::{self, Ids, Keys, Rows};
use crate::process::progress;
use crate::statistics::median;

/// What each database holds before the first round, so that its trees have some depth, and with smaller pages
/// the cache is full.
const HISTORY: usize = 48_000;

/// How many verifications a round writes, with each layout and batch.
const ROUND: usize = 3_000;

const ROUNDS: usize = 5;

/// How many jobs a transaction takes.
const BATCHES: [usize; 2] = [64, 256];

/// A way to keep the rows.
#[derive(Clone, Copy)]
struct Layout {
    name: &'static str,
    ids: Ids,
    rows: Rows,
    keys: Keys,
    page_bytes: u32,
    cache_kib: u32,
    checkpoint_bytes: u32,
}

/// What the service does. The others differ from it in what their names say.
const CHOSEN: Layout = Layout {
    name: "**chosen**: ids of 16 bytes and first in their keys, few entries by owner, numbered rows, \
           pages of 4 KiB, cache 8 MiB, checkpoint at 64 MiB",
    ids: Ids::Bytes,
    rows: Rows::Numbered,
    keys: Keys::FewByOwner,
    page_bytes: 4 << 10,
    cache_kib: 8 << 10,
    checkpoint_bytes: 64 << 20,
};

const LAYOUTS: [Layout; 13] = [
    CHOSEN,
    Layout { name: "claims and lines by owner", keys: Keys::Id, ..CHOSEN },
    Layout { name: "the owner first in every key", keys: Keys::Owner, ..CHOSEN },
    Layout { name: "ids as text", ids: Ids::Text, ..CHOSEN },
    // `without rowid` needs a primary key, which a line of the ledger has by its number alone.
    Layout {
        name: "claims and lines by owner, rows in their key (`without rowid`)",
        keys: Keys::Id,
        rows: Rows::InKey,
        ..CHOSEN
    },
    Layout {
        name: "claims and lines by owner, wide rows numbered, narrow ones in their key",
        keys: Keys::Id,
        rows: Rows::ByWidth,
        ..CHOSEN
    },
    Layout { name: "pages of 1 KiB", page_bytes: 1 << 10, ..CHOSEN },
    Layout { name: "pages of 2 KiB", page_bytes: 2 << 10, ..CHOSEN },
    Layout { name: "pages of 8 KiB", page_bytes: 8 << 10, ..CHOSEN },
    Layout { name: "cache 2 MiB", cache_kib: 2 << 10, ..CHOSEN },
    Layout { name: "cache 64 MiB", cache_kib: 64 << 10, ..CHOSEN },
    Layout { name: "checkpoint at 16 MiB", checkpoint_bytes: 16 << 20, ..CHOSEN },
    Layout {
        name: "what SQLite does unasked: cache 2 MiB, checkpoint at 1,000 pages",
        cache_kib: 2 << 10,
        checkpoint_bytes: 4_000 << 10,
        ..CHOSEN
    },
];

/// What one round of one layout came to.
#[derive(Clone, Copy)]
struct Round {
    per_second: f64,
    /// Handed to the operating system, for each verification.
    bytes_passed: f64,
    /// Memory of the operating system that must go to the disk for it, in whole pages of 4 KiB.
    bytes_dirtied: f64,
}

/// Measures every layout with every batch and prints the table.
pub(super) fn run() -> Result<()> {
    let folder = Folder::new()?;
    let mut writers = Vec::new();
    for (number, layout) in LAYOUTS.iter().enumerate() {
        progress(&format!("making the history: {}", layout.name));
        let mut writer = open(&folder.0.join(format!("{number}.sqlite3")), layout)?;
        measure(&mut writer, BATCHES[1], HISTORY)?;
        writers.push(writer);
    }
    let mut rounds = vec![Vec::new(); LAYOUTS.len() * BATCHES.len()];
    for round in 1..=ROUNDS {
        progress(&format!("round {round} of {ROUNDS}"));
        for (at, batch) in BATCHES.into_iter().enumerate() {
            // Whoever comes first pays for what the others have left to the disk.
            for turn in 0..LAYOUTS.len() {
                let number = (turn + round * 3) % LAYOUTS.len();
                let measured = measure(&mut writers[number], batch, ROUND)?;
                rounds[at * LAYOUTS.len() + number].push(measured);
            }
        }
    }
    print(&rounds, &folder.0)
}

fn open(path: &Path, layout: &Layout) -> Result<Writer> {
    let connection = Connection::open(path)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "page_size", layout.page_bytes)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "cache_size", format!("-{}", layout.cache_kib))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let pages = layout.checkpoint_bytes / layout.page_bytes;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", pages, |_| Ok(()))?;
    connection.execute_batch(&schema::text(layout.ids, layout.rows, layout.keys))?;
    Writer::new(connection, layout.ids)
}

fn measure(writer: &mut Writer, batch: usize, verifications: usize) -> Result<Round> {
    let before = Written::so_far()?;
    let begun = Instant::now();
    let mut ended = 0;
    while ended < verifications {
        ended += writer.transact(batch)?;
    }
    let seconds = begun.elapsed().max(Duration::from_micros(1)).as_secs_f64();
    let after = Written::so_far()?;
    Ok(Round {
        per_second: ended as f64 / seconds,
        bytes_passed: (after.passed - before.passed) as f64 / ended as f64,
        bytes_dirtied: (after.dirtied - before.dirtied) as f64 / ended as f64,
    })
}

/// What this process has written, by its own count in /proc.
struct Written {
    passed: u64,
    dirtied: u64,
}

impl Written {
    fn so_far() -> Result<Self> {
        let text = fs::read_to_string("/proc/self/io")?;
        let field = |name: &str| -> Result<u64> {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            Ok(line.with_context(|| format!("no {name} in /proc/self/io"))?.trim().parse()?)
        };
        Ok(Self { passed: field("wchar:")?, dirtied: field("write_bytes:")? })
    }
}

fn print(rounds: &[Vec<Round>], folder: &Path) -> Result<()> {
    let over = |rounds: &[Round], of: fn(&Round) -> f64| median(rounds.iter().map(of).collect());
    println!("{}\n", crate::conditions::machine(folder)?);
    println!(
        "1,000 owners, {HISTORY} verifications before the first round, {ROUNDS} rounds of {ROUND} \
         in turns, medians.\n"
    );
    println!(
        "| layout | jobs in a transaction | verifications per second, ratio | KB passed | KB dirtied |"
    );
    println!("| --- | --- | --- | --- | --- |");
    for (at, batch) in BATCHES.into_iter().enumerate() {
        let block = &rounds[at * LAYOUTS.len()..][..LAYOUTS.len()];
        for (layout, measured) in LAYOUTS.iter().zip(block) {
            let ratios = measured.iter().zip(&block[0]);
            let ratio =
                median(ratios.map(|(one, base)| one.per_second / base.per_second).collect());
            let passed = over(measured, |round| round.bytes_passed) / 1e3;
            let dirtied = over(measured, |round| round.bytes_dirtied) / 1e3;
            let name = layout.name;
            println!("| {name} | {batch} | {ratio:.2} | {passed:.1} | {dirtied:.1} |");
        }
        let base = over(&block[0], |round| round.per_second);
        progress(&format!("the first of {batch}: {base:.0} verifications per second"));
    }
    Ok(())
}

/// A folder beside the build's own, on a disk rather than in memory, deleted at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let path = PathBuf::from(format!("target/measure-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            progress(&format!("{} could not be deleted: {error}", self.0.display()));
        }
    }
}
