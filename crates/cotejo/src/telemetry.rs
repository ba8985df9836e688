//! Logs: on standard error, plain for people and JSON for machines.

mod json;
mod lines;

use std::io::{IsTerminal, stderr};
use std::panic;

use anyhow::Context;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::json::Json;
use self::lines::Lines;
use crate::config::{Log, LogFormat};

/// Sends logs to standard error from here on, panics among them.
///
/// # Errors
/// Where they go somewhere already, or the machine gives no thread to write them.
pub(crate) fn start(log: &Log) -> anyhow::Result<()> {
    let plain = match log.format {
        LogFormat::Plain => true,
        LogFormat::Json => false,
        LogFormat::Auto => stderr().is_terminal(),
    };
    let out = Lines::to(stderr()).context("the thread that writes logs")?;
    let lines =
        if plain { layer().with_writer(out).with_ansi(false).boxed() } else { Json(out).boxed() };
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(log.level.clone()));
    subscriber.try_init().context("logs")?;
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let message = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(place, message, "a panic");
    }));
    Ok(())
}
