//! Running other programs, with a line on stderr for each, and what processes use.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// How many clock ticks `/proc` counts in a second, on every Linux.
const TICKS: f64 = 100.0;

/// The repository's root.
pub(crate) fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the repository")
}

/// Says what is being done.
pub(crate) fn progress(what: &str) {
    eprintln!("xtask: {what}");
}

/// Runs the command with our own output; an error where it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let name = name(command);
    let status = command.status().with_context(|| format!("{name} cannot be started"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    Ok(())
}

/// Runs the command and keeps its output to itself, unless it fails.
pub(crate) fn run_quietly(command: &mut Command) -> Result<Output> {
    let name = name(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{name} cannot be started"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{name} failed: {}\n{}", output.status, said.trim_end());
    }
    Ok(output)
}

/// Tells whether the command can be run and succeeds.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Seconds of processor time that a process has used.
pub(crate) fn cpu_seconds(process: u32) -> Result<f64> {
    let [user, system, ..] = times(&stat(process)?)?;
    Ok(user + system)
}

/// Seconds of processor time that a process, its children and those that have ended have used.
pub(crate) fn family_cpu_seconds(parent: u32) -> Result<f64> {
    let mut seconds: f64 = times(&stat(parent)?)?.into_iter().sum();
    for entry in fs::read_dir("/proc")?.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        // One that is gone meanwhile is among its parent's.
        let Ok(stat) = stat(process) else { continue };
        if stat.split_whitespace().nth(1) == Some(&*parent.to_string()) {
            let [user, system, ..] = times(&stat)?;
            seconds += user + system;
        }
    }
    Ok(seconds)
}

/// Reads `/proc/PID/stat` of a process, from its state on: the name before it may hold anything.
fn stat(process: u32) -> Result<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, rest) = stat.rsplit_once(')').context("/proc/PID/stat")?;
    Ok(rest.to_owned())
}

/// The seconds of a process for itself and in the kernel, and those of its children that ended.
fn times(stat: &str) -> Result<[f64; 4]> {
    let mut fields = stat.split_whitespace().skip(11).map(str::parse::<f64>);
    let mut seconds = [0.0; 4];
    for time in &mut seconds {
        *time = fields.next().context("/proc/PID/stat")?.context("/proc/PID/stat")? / TICKS;
    }
    Ok(seconds)
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
