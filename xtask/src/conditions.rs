//! What numbers depend on, said beside them.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::Result;

use crate::process;
use crate::statistics::percentile;

/// How many syncs their latency is taken from.
const SYNCS: usize = 200;

/// The machine in one line, and its disk where `folder` lies.
pub(crate) fn machine(folder: &Path) -> Result<String> {
    let cores = thread::available_parallelism()?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let load = fs::read_to_string("/proc/loadavg")?;
    let load = load.split_whitespace().next().unwrap_or("?");
    let [p50, p99] = syncs(folder)?;
    Ok(format!(
        "{cores} cores, Linux {}, {}, fsync of 4 KiB p50 {p50:.0} µs and p99 {p99:.0} µs, load {load}",
        kernel.trim(),
        filesystem(folder)?,
    ))
}

fn filesystem(folder: &Path) -> Result<String> {
    let mut df = Command::new("df");
    let output = process::run_quietly(df.arg("--output=fstype").arg(folder))?;
    Ok(String::from_utf8(output.stdout)?.lines().last().unwrap_or("?").trim().to_owned())
}

/// How long it takes to append 4 KiB and have them on the disk, in microseconds.
fn syncs(folder: &Path) -> Result<[f64; 2]> {
    let path = folder.join("sync");
    let mut file = File::create(&path)?;
    let mut micros = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let begun = Instant::now();
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    fs::remove_file(&path)?;
    Ok([percentile(micros.clone(), 0.5), percentile(micros, 0.99)])
}
