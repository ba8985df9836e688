//! Running other programs, with a line on stderr for each.

use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

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

/// Whether the command can be run and succeeds.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
